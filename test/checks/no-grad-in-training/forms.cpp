// RUN: %check %s torch-no-grad-in-training
//
// A guard, or grad mode turned off, over what is differentiated.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

#include <memory>
#include <optional>
#include <thread>

void bad_guard_over_step(Net &net, torch::optim::Optimizer &opt, Tensor x,
                         Tensor y) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this guard turns grad mode off for a loss that is differentiated [torch-no-grad-in-training]
  opt.zero_grad();
  auto loss = torch::mse_loss(net.forward(x), y);
  loss.backward();
  opt.step();
}

void bad_guard_over_loop(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  for (auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void bad_inference_mode(Net &net, Tensor x, Tensor y) {
  c10::InferenceMode mode;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::mse_loss(net.forward(x), y).backward();
}

// Only InferenceMode(false) ends inference mode.
void bad_enabled_inside_inference_mode(Net &net, Tensor x, Tensor y) {
  c10::InferenceMode mode;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::AutoGradMode enable(true);
  torch::GradMode::set_enabled(true);
  torch::mse_loss(net.forward(x), y).backward();
}

void bad_mode_object(Net &net, Tensor x, Tensor y) {
  torch::AutoGradMode mode(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::mse_loss(net.forward(x), y).backward();
}

void bad_guard_only_over_forward(Net &net, Tensor x, Tensor y) {
  Tensor out;
  {
    torch::NoGradGuard guard;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-no-grad-in-training]
    out = net.forward(x);
  }
  out.mean().backward();
}

void bad_sum_under_guard(Net &net, const Batches &data) {
  Tensor total = torch::zeros({});
  for (auto &b : data) {
    torch::NoGradGuard guard;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-no-grad-in-training]
    total += torch::mse_loss(net.forward(b.x), b.y);
  }
  total.backward();
}

void bad_turned_off(Net &net, Tensor x, Tensor y) {
  torch::GradMode::set_enabled(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: grad mode is turned off for a loss that is differentiated [torch-no-grad-in-training]
  auto loss = torch::mse_loss(net.forward(x), y);
  loss.backward();
  torch::GradMode::set_enabled(true);
}

void bad_handle(Net &net, Tensor x, Tensor y) {
  auto guard = std::make_unique<torch::NoGradGuard>();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  auto loss = torch::mse_loss(net.forward(x), y);
  loss.backward();
  guard.reset();
}

Tensor bad_forces(Net &net, Tensor x) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  auto energy = net.forward(x).sum();
  return -torch::autograd::grad({energy}, {x})[0];
}

void bad_free_function(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::autograd::backward({torch::mse_loss(net.forward(x), y)}, {});
}

static void step(Net &net, const Batch &b) {
  auto loss = torch::mse_loss(net.forward(b.x), b.y);
  loss.backward();
}

void bad_in_caller(Net &net, const Batches &data) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  for (auto &b : data)
    step(net, b);
}

static Tensor loss_of(Net &net, const Batch &b) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  return torch::mse_loss(net.forward(b.x), b.y);
}

void bad_in_callee(Net &net, const Batch &b) {
  auto loss = loss_of(net, b);
  loss.backward();
}

void bad_lambda(Net &net, const Batches &data) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  auto train = [&](const Batch &b) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
  };
  for (auto &b : data)
    train(b);
}

void bad_thread(Net &net, Tensor x, Tensor y) {
  std::thread worker([&] {
    torch::NoGradGuard guard;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-no-grad-in-training]
    torch::mse_loss(net.forward(x), y).backward();
  });
  worker.join();
}

template <typename Model> void bad_template(Model &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::mse_loss(net.forward(x), y).backward();
}

struct Other : Net {};

void use(Net &net, Other &other, Tensor x, Tensor y) {
  bad_template(net, x, y);
  bad_template(other, x, y);
}

class GradOff {
  bool before = torch::GradMode::is_enabled();

public:
  GradOff() { torch::GradMode::set_enabled(false); }
  ~GradOff() { torch::GradMode::set_enabled(before); }
};

void bad_guard_by_hand(Net &net, Tensor x, Tensor y) {
  GradOff off;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  torch::mse_loss(net.forward(x), y).backward();
}

struct Trainer {
  torch::NoGradGuard guard; // meant for evaluation
  Net &net;
  void fit(Tensor x, Tensor y) {
    torch::mse_loss(net.forward(x), y).backward();
  }
};

void bad_member_guard(Net &net, Tensor x, Tensor y) {
  Trainer trainer{{}, net};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  trainer.fit(x, y);
}
