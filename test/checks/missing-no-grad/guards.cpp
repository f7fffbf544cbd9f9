// RUN: %check %s torch-missing-no-grad
//
// What is a guard, and what only looks like one.

#include "../Inputs/net.h"
#include <torch/script.h>

#include <memory>
#include <optional>

float bad_temporary(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard();
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_temporary_braces(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard{};
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_declares_a_function(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard guard();
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_scope_ended(Net &net, Tensor x) {
  net.eval();
  {
    torch::NoGradGuard guard;
    x = x * 2;
  }
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_guard_too_late(Net &net, Tensor x) {
  net.eval();
  auto out = net.forward(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  torch::NoGradGuard guard;
  return out.max().item<float>();
}

float bad_enabled_again(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard guard;
  torch::AutoGradMode enable(true);
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_inference_mode_off(Net &net, Tensor x) {
  net.eval();
  c10::InferenceMode guard(false);
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_on_one_path(Net &net, Tensor x, bool fast) {
  net.eval();
  std::unique_ptr<torch::NoGradGuard> guard;
  if (fast)
    guard = std::make_unique<torch::NoGradGuard>();
  else
    return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return 0;
}

float bad_set_enabled_restored(Net &net, Tensor x) {
  net.eval();
  torch::autograd::GradMode::set_enabled(false);
  x = x * 2;
  torch::autograd::GradMode::set_enabled(true);
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float ok_guard(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  return net.forward(x).max().item<float>();
}

float ok_guard_before_eval(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  net.eval();
  return net.forward(x).max().item<float>();
}

float ok_copy_initialised(Net &net, Tensor x) {
  net.eval();
  auto guard = torch::NoGradGuard();
  return net.forward(x).max().item<float>();
}

float ok_at_namespace(Net &net, Tensor x) {
  net.eval();
  at::NoGradGuard no_grad;
  return net.forward(x).max().item<float>();
}

float ok_inference_mode(Net &net, Tensor x) {
  net.eval();
  c10::InferenceMode guard;
  return net.forward(x).max().item<float>();
}

float ok_inference_mode_argument(Net &net, Tensor x) {
  net.eval();
  torch::InferenceMode guard(true);
  return net.forward(x).max().item<float>();
}

float ok_auto_grad_mode(Net &net, Tensor x) {
  net.eval();
  torch::AutoGradMode guard(false);
  return net.forward(x).max().item<float>();
}

// Not a constant: may be off.
float ok_unknown_mode(Net &net, Tensor x, bool grad) {
  net.eval();
  torch::AutoGradMode guard(grad);
  return net.forward(x).max().item<float>();
}

float ok_unique_ptr(Net &net, Tensor x) {
  net.eval();
  auto guard = std::make_unique<torch::NoGradGuard>();
  return net.forward(x).max().item<float>();
}

float ok_optional(Net &net, Tensor x) {
  net.eval();
  std::optional<torch::NoGradGuard> guard;
  guard.emplace();
  return net.forward(x).max().item<float>();
}

using Frozen = torch::NoGradGuard;
float ok_alias(Net &net, Tensor x) {
  net.eval();
  Frozen guard;
  return net.forward(x).max().item<float>();
}

struct InferenceScope {
  torch::NoGradGuard no_grad;
  int depth = 0;
};
float ok_member_of_a_class(Net &net, Tensor x) {
  net.eval();
  InferenceScope scope;
  return net.forward(x).max().item<float>();
}

struct Derived : torch::NoGradGuard {};
float ok_derived(Net &net, Tensor x) {
  net.eval();
  Derived guard;
  return net.forward(x).max().item<float>();
}

class Switch {
public:
  Switch() : before_(torch::GradMode::is_enabled()) {
    torch::GradMode::set_enabled(false);
  }
  ~Switch() { torch::GradMode::set_enabled(before_); }

private:
  bool before_;
};
float ok_hand_written_guard(Net &net, Tensor x) {
  net.eval();
  Switch off;
  return net.forward(x).max().item<float>();
}

#define NO_GRAD torch::NoGradGuard no_grad_guard_
float ok_macro(Net &net, Tensor x) {
  NO_GRAD;
  net.eval();
  return net.forward(x).max().item<float>();
}

float ok_set_enabled(Net &net, Tensor x) {
  net.eval();
  torch::GradMode::set_enabled(false);
  float best = net.forward(x).max().item<float>();
  torch::GradMode::set_enabled(true);
  return best;
}

float ok_set_enabled_saved(Net &net, Tensor x) {
  net.eval();
  const bool before = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  float best = net.forward(x).max().item<float>();
  torch::GradMode::set_enabled(before);
  return best;
}

class Server {
public:
  void start() { torch::GradMode::set_enabled(false); }
  void stop() { torch::GradMode::set_enabled(true); }
  float run(Net &net, Tensor x) {
    start();
    float best = net.forward(x).max().item<float>();
    stop();
    return best;
  }
};
