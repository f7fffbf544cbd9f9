// RUN: %check %s torch-retained-graph
//
// Where history comes from: every way to call a module, and parameters.

#include "../Inputs/net.h"
#include <torch/script.h>

struct TailImpl : torch::nn::Module {
  TailImpl() { l = register_module("l", torch::nn::Linear(8, 1)); }
  Tensor forward(Tensor x) { return l(x); }
  Tensor encode(Tensor x) { return l(x).tanh(); }
  torch::nn::Linear l{nullptr};
};
TORCH_MODULE(Tail);

void bad_holder_call(Tail &tail, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(tail(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_holder_forward(Tail &tail, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(tail->forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_other_method(Tail &tail, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(tail->encode(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_shared_pointer(std::shared_ptr<TailImpl> tail, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(tail->forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_sequential(torch::nn::Sequential &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net->forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_any_module(torch::nn::AnyModule &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_linear(torch::nn::Linear &layer, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(layer(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_lstm(torch::nn::LSTM &lstm, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto [out, state] = lstm->forward(b.x);
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_gru_tuple(torch::nn::GRU &gru, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto result = gru->forward(b.x);
    kept.push_back(std::get<0>(result));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_tie(torch::nn::GRU &gru, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out, state;
    std::tie(out, state) = gru->forward(b.x);
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_script(torch::jit::script::Module &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward({b.x}).toTensor());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_script_value(torch::jit::Module &net, const Batches &data) {
  std::vector<torch::jit::IValue> kept;
  for (const auto &b : data)
    kept.push_back(net.forward({b.x}));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_script_tuple(torch::jit::Module &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto parts = net.forward({b.x}).toTuple();
    kept.push_back(parts->elements()[0].toTensor());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_parameter(const Batches &data) {
  Tensor w = torch::randn({64, 8}, torch::requires_grad());
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(torch::matmul(b.x, w));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_requires_grad_later(const Batches &data) {
  Tensor w = torch::randn({64, 8});
  w.requires_grad_(true);
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(b.x.mm(w));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_loss_module(Net &net, const Batches &data) {
  torch::nn::MSELoss criterion;
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(criterion(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_functional_loss(Net &net, const Batches &data) {
  namespace F = torch::nn::functional;
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(F::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_second_derivative(const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor x = b.x.clone().requires_grad_(true);
    Tensor y = (x * x * x).sum();
    auto g = torch::autograd::grad({y}, {x}, {}, true, /*create_graph=*/true);
    kept.push_back(g[0]);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void ok_gradient(const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor x = b.x.clone().requires_grad_(true);
    Tensor y = (x * x * x).sum();
    auto g = torch::autograd::grad({y}, {x});
    kept.push_back(g[0]);
  }
}

void ok_no_parameter(const Batches &data) {
  Tensor w = torch::randn({64, 8});
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(torch::matmul(b.x, w));
}

// The weights of library modules are parameters, what is tracked is none.
void bad_penalty_on_weights(torch::nn::Linear layer, int n) {
  std::vector<Tensor> kept;
  for (int i = 0; i < n; ++i)
    kept.push_back(1e-4 * layer->weight.pow(2).sum());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void ok_weights_themselves(torch::nn::Linear layer, int n) {
  std::vector<Tensor> kept, detached;
  for (int i = 0; i < n; ++i) {
    kept.push_back(layer->weight);
    detached.push_back(layer->weight.detach().pow(2).sum());
    torch::NoGradGuard no_grad;
    detached.push_back(layer->weight.norm());
  }
}
