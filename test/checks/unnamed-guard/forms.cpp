// RUN: %check %s torch-unnamed-guard
//
// Every spelling of a guard that is gone before anything runs under it.

#include "../Inputs/net.h"
#include <ATen/ThreadLocalState.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>

#include <memory>
#include <optional>
#include <tuple>

Tensor bad_parentheses(Net &net, Tensor x) {
  torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'torch::NoGradGuard' without a name is gone at once and guards nothing [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_braces(Net &net, Tensor x) {
  torch::NoGradGuard{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_cast_to_void(Net &net, Tensor x) {
  (void)torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: {{.*}} [torch-unnamed-guard]
  static_cast<void>(torch::NoGradGuard{});
  // CHECK-MESSAGES: :[[@LINE-1]]:21: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_vexing_parse(Net &net, Tensor x) {
  torch::NoGradGuard guard();
  // CHECK-MESSAGES: :[[@LINE-1]]:22: warning: 'guard' declares a function that returns 'torch::NoGradGuard': there is no guard [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_inference_mode(Net &net, Tensor x) {
  c10::InferenceMode();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  torch::InferenceMode{true};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_grad_modes(Net &net, Tensor x, bool train) {
  torch::AutoGradMode(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  at::AutoGradMode{train};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_dispatch_guards(Net &net, Tensor x) {
  at::AutoDispatchBelowAutograd();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  at::AutoDispatchBelowADInplaceOrView{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

void bad_thread_local_state(const at::ThreadLocalState &state, Net &net,
                            Tensor x) {
  at::ThreadLocalStateGuard{state};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  net.forward(x);
}

void bad_devices(c10::Device device, c10::Stream stream) {
  c10::DeviceGuard{device};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  c10::OptionalDeviceGuard{device};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  c10::StreamGuard{stream};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
}

namespace c10::cuda {
// As in LibTorch with CUDA.
struct CUDAGuard {
  explicit CUDAGuard(int index);
  ~CUDAGuard();
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(c10::Stream stream);
  ~CUDAStreamGuard();
};
} // namespace c10::cuda

void bad_cuda(int device, c10::Stream stream) {
  c10::cuda::CUDAGuard(1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  c10::cuda::CUDAGuard{device};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  c10::cuda::CUDAStreamGuard{stream};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
}

using Quiet = torch::NoGradGuard;

Tensor bad_alias(Net &net, Tensor x) {
  Quiet();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

torch::NoGradGuard without_grad();

Tensor bad_result_dropped(Net &net, Tensor x) {
  without_grad();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the 'torch::NoGradGuard' that this call returns is dropped and guards nothing [torch-unnamed-guard]
  return net.forward(x);
}

std::unique_ptr<torch::NoGradGuard> quiet();

Tensor bad_made_pointer_dropped(Net &net, Tensor x) {
  quiet();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_pointer_dropped(Net &net, Tensor x) {
  std::make_unique<torch::NoGradGuard>();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  std::ignore = std::make_shared<torch::NoGradGuard>();
  // CHECK-MESSAGES: :[[@LINE-1]]:17: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_after_the_work(Net &net, Tensor x) {
  Tensor y;
  y = net.forward(x), torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:23: {{.*}} [torch-unnamed-guard]
  return y;
}

Tensor bad_comma_without_work(Net &net, Tensor x) {
  int i;
  torch::NoGradGuard(), i = 0;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x) + i;
}

Tensor bad_conditional(Net &net, Tensor x, bool train) {
  if (!train)
    torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_either(Net &net, Tensor x, bool train) {
  train ? torch::AutoGradMode(true) : torch::AutoGradMode(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:11: {{.*}} [torch-unnamed-guard]
  // CHECK-MESSAGES: :[[@LINE-2]]:39: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

Tensor bad_init_statement(Net &net, Tensor x) {
  if (torch::NoGradGuard(); x.defined())
    // CHECK-MESSAGES: :[[@LINE-1]]:7: {{.*}} [torch-unnamed-guard]
    return net.forward(x);
  return x;
}

void bad_loops(Net &net, const Batches &data) {
  for (torch::NoGradGuard(); net.is_training();)
    // CHECK-MESSAGES: :[[@LINE-1]]:8: {{.*}} [torch-unnamed-guard]
    net.forward(data[0].x);
  for (auto &batch : data) {
    torch::NoGradGuard();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-unnamed-guard]
    net.forward(batch.x);
  }
}

#define NO_GRAD torch::NoGradGuard()

Tensor bad_macro(Net &net, Tensor x) {
  NO_GRAD;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

template <typename Model> Tensor bad_template(Model &net, Tensor x) {
  torch::NoGradGuard();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

struct Other : Net {};

void use(Net &net, Other &other, Tensor x) {
  bad_template(net, x);
  bad_template(other, x);
}

Tensor bad_lambda(Net &net, Tensor x) {
  auto predict = [&] {
    torch::NoGradGuard();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-unnamed-guard]
    return net.forward(x);
  };
  return predict();
}

class EvalScope {
  torch::NoGradGuard guard;
  Net &net;

public:
  explicit EvalScope(Net &net) : net(net) { net.eval(); }
  ~EvalScope() { net.train(); }
};

Tensor bad_own_guard(Net &net, Tensor x) {
  EvalScope{net};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}

class GradOff {
  bool before = torch::GradMode::is_enabled();

public:
  GradOff() { torch::GradMode::set_enabled(false); }
  ~GradOff() { torch::GradMode::set_enabled(before); }
};

Tensor bad_guard_by_hand(Net &net, Tensor x) {
  GradOff();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-unnamed-guard]
  return net.forward(x);
}
