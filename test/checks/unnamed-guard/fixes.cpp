// RUN: %check %s torch-unnamed-guard
//
// The guard gets a name where that is enough and safe.

#include "../Inputs/net.h"
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>

#include <memory>

Tensor bad_parentheses(Net &net, Tensor x) {
  torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::NoGradGuard no_grad;
  return net.forward(x);
}

Tensor bad_braces(Net &net, Tensor no_grad) {
  torch::NoGradGuard{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::NoGradGuard no_grad2;
  return net.forward(no_grad);
}

Tensor bad_void(Net &net, Tensor x) {
  (void)torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::NoGradGuard no_grad;
  return net.forward(x);
}

Tensor bad_arguments(Net &net, Tensor x, bool train) {
  torch::AutoGradMode(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::AutoGradMode grad_mode(false);
  return net.forward(x);
}

Tensor bad_braced_arguments(Net &net, Tensor x) {
  c10::InferenceMode{true};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  c10::InferenceMode inference_mode{true};
  return net.forward(x);
}

Tensor bad_vexing(Net &net, Tensor x) {
  torch::NoGradGuard guard();
  // CHECK-MESSAGES: :[[@LINE-1]]:22: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::NoGradGuard guard;
  return net.forward(x);
}

Tensor bad_vexing_needs_argument(Net &net, Tensor x) {
  torch::AutoGradMode mode();
  // CHECK-MESSAGES: :[[@LINE-1]]:23: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::AutoGradMode mode();
  return net.forward(x);
}

torch::NoGradGuard without_grad();

Tensor bad_result(Net &net, Tensor x) {
  without_grad();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  auto no_grad = without_grad();
  return net.forward(x);
}

// Training follows in the block: a name would stop it.
void bad_before_training(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  torch::NoGradGuard();
  torch::mse_loss(net.forward(x), y).backward();
}

// The name would die as soon as the temporary.
Tensor bad_branch(Net &net, Tensor x, bool train) {
  if (!train)
    torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}    torch::NoGradGuard();
  return net.forward(x);
}

#define NO_GRAD torch::NoGradGuard()

Tensor bad_macro(Net &net, Tensor x) {
  NO_GRAD;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  // CHECK-FIXES: {{^}}  NO_GRAD;
  return net.forward(x);
}

Tensor ok_named(Net &net, Tensor x) {
  torch::NoGradGuard guard;
  return net.forward(x);
}
