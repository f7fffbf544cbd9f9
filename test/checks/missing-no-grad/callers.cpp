// RUN: %check %s torch-missing-no-grad
//
// The mode on entry is that of the callers, chain by chain.

#include "../Inputs/net.h"

#include <functional>

static float ok_only_caller_guards(Net &net, Tensor x) {
  net.eval();
  return net.forward(x).max().item<float>();
}
float ok_caller(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
  float best = 0;
  for (const auto &b : data)
    best += ok_only_caller_guards(net, b.x);
  return best;
}

static float bad_one_caller_without(Net &net, Tensor x) {
  net.eval();
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
float guarded(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  return bad_one_caller_without(net, x);
}
float unguarded(Net &net, Tensor x) { return bad_one_caller_without(net, x); }

static float ok_innermost(Net &net, Tensor x) {
  net.eval();
  return net.forward(x).max().item<float>();
}
static float ok_middle(Net &net, Tensor x) { return ok_innermost(net, x); }
float ok_outermost(Net &net, Tensor x) {
  c10::InferenceMode guard;
  return ok_middle(net, x);
}

class Engine {
public:
  explicit Engine(std::shared_ptr<Net> net) : net_(net) { net_->eval(); }
  float ok_public(Tensor x) {
    torch::NoGradGuard no_grad;
    return score(x);
  }

private:
  float score(Tensor x) { return net_->forward(x).max().item<float>(); }
  std::shared_ptr<Net> net_;
};

float ok_guard_round_a_lambda(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  net.eval();
  auto score = [&](Tensor t) { return net.forward(t).max().item<float>(); };
  return score(x);
}

float ok_guard_inside_a_lambda(Net &net, Tensor x) {
  net.eval();
  auto score = [&](Tensor t) {
    torch::NoGradGuard no_grad;
    return net.forward(t).max().item<float>();
  };
  return score(x);
}

template <class F> auto without_grad(F &&body) {
  torch::NoGradGuard no_grad;
  return body();
}
float ok_helper_that_guards(Net &net, Tensor x) {
  net.eval();
  return without_grad([&] { return net.forward(x).max().item<float>(); });
}

// A guard of the callee ends with the callee.
static void warm_up(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  net.forward(x);
}
float bad_guard_of_the_callee(Net &net, Tensor x) {
  net.eval();
  warm_up(net, x);
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
