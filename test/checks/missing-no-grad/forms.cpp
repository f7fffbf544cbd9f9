// RUN: %check %s torch-missing-no-grad
//
// Inference in its usual forms. One report per region of evaluation.

#include "../Inputs/net.h"
#include <torch/script.h>

#include <cstdio>
#include <functional>
#include <iostream>

int bad_after_eval(Net &net, Tensor image) {
  net.eval();
  auto p = torch::softmax(net.forward(image), 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return p.argmax(1).item<int>();
}

int bad_eval_by_train(Net &net, Tensor image) {
  net.train(false);
  auto p = torch::softmax(net.forward(image), 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return p.argmax(1).item<int>();
}

double bad_validation_loop(Net &net, const Batches &data) {
  net.eval();
  double total = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
    total += loss.item<double>();
  }
  return total / data.size();
}

int64_t bad_accuracy(std::shared_ptr<Net> net, const Batches &data) {
  net->eval();
  int64_t correct = 0;
  for (const auto &b : data)
    correct += net->forward(b.x).argmax(1).eq(b.y).sum().item<int64_t>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return correct;
}

void bad_script_module(const std::string &path, Tensor image) {
  torch::jit::script::Module net = torch::jit::load(path);
  std::vector<torch::jit::IValue> inputs{image};
  Tensor out = net.forward(inputs).toTensor();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::cout << out.argmax(1) << std::endl;
}

void bad_script_module_call(const std::string &path, Tensor image) {
  auto net = torch::jit::load(path);
  net.eval();
  auto out = net({image}).toTensor();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::printf("%f", out.max().item<float>());
}

void bad_script_method(const std::string &path, Tensor image) {
  auto net = torch::jit::load(path);
  auto out = net.get_method("encode")({image}).toTensor();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::printf("%f", out.max().item<float>());
}

class Detector {
public:
  explicit Detector(const std::string &path) {
    net_ = torch::jit::load(path);
    net_.eval();
  }
  float bad_member_module(Tensor image) {
    auto out = net_.forward({image}).toTensor();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
    return out.max().item<float>();
  }

private:
  torch::jit::Module net_;
};

class Classifier {
public:
  Classifier() { net_->eval(); }
  int bad_eval_in_constructor(Tensor image) {
    return net_->forward(image).argmax(1).item<int>();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  }

private:
  std::shared_ptr<Net> net_ = std::make_shared<Net>();
};

void bad_module_holder(torch::nn::Linear &head, Tensor x) {
  head->eval();
  auto y = head(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::cout << y << std::endl;
}

void bad_sequential(Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(64, 8), torch::nn::ReLU());
  net->eval();
  auto y = net->forward(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::cout << y << std::endl;
}

void bad_lambda(Net &net, const Batches &data) {
  net.eval();
  auto score = [&](const Tensor &x) {
    return net.forward(x).max().item<float>();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  };
  for (const auto &b : data)
    std::printf("%f\n", score(b.x));
}

// No eval(), but nobody ever optimises this network.
void bad_without_eval(Tensor x) {
  Net net;
  torch::load(net.l, "l.pt");
  for (int i = 0; i < 10; ++i)
    std::cout << net.forward(x).sum().item<float>() << "\n";
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

template <class Model> float bad_template(Model &model, Tensor x) {
  model.eval();
  return model.forward(x).max().template item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
template float bad_template<Net>(Net &, Tensor);

#define RUN(Model, Input) Model.forward(Input)
float bad_macro(Net &net, Tensor x) {
  net.eval();
  return RUN(net, x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void ok_no_forward(Net &net) {
  net.eval();
  for (auto &p : net.parameters())
    std::cout << p.numel() << "\n";
}
