// RUN: %check %s torch-missing-no-grad
//
// A guard is added only where nothing in reach needs gradients.

#include "../Inputs/net.h"

float bad_simple(Net &net, Tensor x) {
  net.eval();
  auto out = net.forward(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return out.max().item<float>();
}
// CHECK-FIXES: float bad_simple(Net &net, Tensor x) {
// CHECK-FIXES: torch::NoGradGuard {{[a-z_]+}};
// CHECK-FIXES: auto out = net.forward(x);

// The callee asks for gradients: with a guard it would throw.
struct Saliency : torch::nn::Module {
  Tensor forward(Tensor x) {
    Tensor y = torch::relu(l->forward(x));
    y.retain_grad();
    return y;
  }
  torch::nn::Linear l{nullptr};
};
float bad_callee_needs_gradients(Saliency &net, Tensor x) {
  net.eval();
  auto out = net.forward(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return out.max().item<float>();
}
// CHECK-FIXES: float bad_callee_needs_gradients(Saliency &net, Tensor x) {
// CHECK-FIXES-NEXT: net.eval();
// CHECK-FIXES-NEXT: auto out = net.forward(x);

#define INFER(Net, X) Net.forward(X)
float bad_macro(Net &net, Tensor x) {
  net.eval();
  return INFER(net, x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
