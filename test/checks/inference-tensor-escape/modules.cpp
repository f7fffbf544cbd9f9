// RUN: %check %s torch-inference-tensor-escape
//
// Modules that are made under inference mode, and trained outside.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

#include <memory>

struct Deep : torch::nn::Module {
  Deep() {
    first = register_module("first", torch::nn::Linear(8, 8));
    second = register_module("second", torch::nn::Linear(8, 2));
  }
  Tensor forward(Tensor x) {
    return second->forward(torch::relu(first->forward(x)));
  }
  torch::nn::Linear first{nullptr}, second{nullptr};
};

static std::shared_ptr<Deep> load_model() {
  c10::InferenceMode guard;
  auto net = std::make_shared<Deep>();
  torch::load(net, "model.pt");
  net->to(torch::kCPU);
  return net;
}
void bad_loaded(const Batches &data) {
  auto net = load_model();
  for (const auto &b : data)
    torch::mse_loss(net->forward(b.x), b.y).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: the parameters of 'net' were made under InferenceMode and cannot be saved for backward [torch-inference-tensor-escape]
}

void bad_made_in_a_block(const Batches &data) {
  std::shared_ptr<Deep> net;
  {
    c10::InferenceMode guard;
    net = std::make_shared<Deep>();
  }
  for (const auto &b : data)
    torch::mse_loss(net->forward(b.x), b.y).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

void bad_optimizer(const Batches &data) {
  torch::nn::Linear layer{nullptr};
  {
    c10::InferenceMode guard;
    layer = torch::nn::Linear(8, 2);
  }
  torch::optim::Adam opt(layer->parameters(), 0.1);
  // CHECK-MESSAGES: :[[@LINE-1]]:22: warning: the parameters of 'layer' were made under InferenceMode and cannot be changed in place outside it [torch-inference-tensor-escape]
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(layer->forward(b.x), b.y).backward();
    opt.step();
  }
}

// The weight is saved for the gradient of its input.
void bad_behind_another(Net &net, Tensor x) {
  torch::nn::Linear head{nullptr};
  {
    c10::InferenceMode guard;
    head = torch::nn::Linear(8, 2);
  }
  head->forward(net.forward(x)).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// Only evaluated.
void ok_evaluated(const Batches &data) {
  auto net = load_model();
  c10::InferenceMode guard;
  for (const auto &b : data)
    net->forward(b.x).argmax(1);
}

// Moved: these may be other parameters.
void ok_moved(const Batches &data) {
  auto moved = load_model();
  moved->to(torch::kCUDA);
  torch::mse_loss(moved->forward(data[0].x), data[0].y).backward();
}

void ok_made_again(const Batches &data) {
  auto net = load_model();
  net = std::make_shared<Deep>();
  torch::mse_loss(net->forward(data[0].x), data[0].y).backward();
}

void ok_made_outside(const Batches &data) {
  Deep net;
  torch::optim::Adam opt(net.parameters(), 0.1);
  {
    c10::InferenceMode guard;
    net.forward(data[0].x).argmax(1);
  }
  torch::mse_loss(net.forward(data[0].x), data[0].y).backward();
  opt.step();
}

// SGD updates behind autograd's back, and one layer saves only its input.
void ok_one_layer(const Batches &data) {
  torch::nn::Linear layer{nullptr};
  {
    c10::InferenceMode guard;
    layer = torch::nn::Linear(8, 2);
  }
  torch::optim::SGD opt(layer->parameters(), 0.1);
  torch::mse_loss(layer->forward(data[0].x), data[0].y).backward();
  opt.step();
}

void ok_one_of_two(const Batches &data, bool deploy) {
  std::shared_ptr<Deep> net;
  if (deploy) {
    net = load_model();
  } else {
    net = std::make_shared<Deep>();
  }
  torch::mse_loss(net->forward(data[0].x), data[0].y).backward();
}
