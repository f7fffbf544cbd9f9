// RUN: %check %s torch-undetached-state
//
// State in members, behind helpers, lambdas and trainers.

#include "../Inputs/net.h"

#include <functional>
#include <tuple>

using torch::nn::GRU;
using torch::nn::GRUCell;
using torch::nn::LSTM;
using Pair = std::tuple<Tensor, Tensor>;

static Tensor advance(GRUCell &cell, Tensor x, Tensor h) {
  return torch::relu(cell(x, h));
}
void bad_returned_by_a_helper(GRUCell &cell, torch::optim::Optimizer &opt,
                              const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = advance(cell, b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

static void advance_in_place(GRUCell &cell, const Tensor &x, Tensor &h) {
  h = cell(x, h);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
}
void bad_written_by_a_helper(GRUCell &cell, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    advance_in_place(cell, b.x, h);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

static void learn(torch::optim::Optimizer &opt, Tensor loss) {
  opt.zero_grad();
  loss.backward();
  opt.step();
}
void bad_backward_in_a_helper(GRUCell &cell, torch::optim::Optimizer &opt,
                              const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    learn(opt, torch::mse_loss(h, b.y));
  }
}

struct StatefulNet : torch::nn::Module {
  StatefulNet() {
    rnn = register_module("rnn", GRU(8, 16));
    h = torch::zeros({1, 4, 16});
  }
  Tensor forward(Tensor x) {
    auto [out, next] = rnn->forward(x, h);
    h = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} 'net.h' carries {{.*}} [torch-undetached-state]
    return out;
  }
  GRU rnn{nullptr};
  Tensor h;
};
void bad_inside_the_module(StatefulNet &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

class Trainer {
public:
  explicit Trainer(std::shared_ptr<Net> head)
      : head_(head), opt_(head->parameters(), 0.1) {}

  float bad_train_step(const Batch &b) {
    Tensor next = cell_(b.x, h_);
    auto loss = torch::mse_loss(head_->forward(next), b.y);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    h_ = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    return loss.item<float>();
  }

private:
  std::shared_ptr<Net> head_;
  GRUCell cell_{8, 32};
  torch::optim::SGD opt_;
  Tensor h_ = torch::zeros({4, 32});
};

struct Result {
  Tensor out;
  Pair state;
};
struct Model : torch::nn::Module {
  Model() { lstm = register_module("lstm", LSTM(8, 16)); }
  Result run(Tensor x, Pair state) {
    auto [out, next] = lstm->forward(x, state);
    return {out, next};
  }
  LSTM lstm{nullptr};
};
void bad_struct_of_results(Model &model, torch::optim::Optimizer &opt,
                           const Batches &data) {
  Pair state{torch::zeros({1, 4, 16}), torch::zeros({1, 4, 16})};
  for (const auto &b : data) {
    Result r = model.run(b.x, state);
    state = r.state;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(r.out, b.y).backward();
    opt.step();
  }
}

void bad_lambda(GRUCell &cell, torch::optim::Optimizer &opt,
                const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  auto step = [&](const Batch &b) {
    h = cell(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    return torch::mse_loss(h, b.y);
  };
  for (const auto &b : data) {
    auto loss = step(b);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

struct Walker {
  GRUCell cell{8, 32};
  Tensor h = torch::zeros({4, 32});
  void advance(Tensor x) {
    h = cell(x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
  }
  void ok_restart() { h = torch::zeros({4, 32}); }
};
void bad_restarted_too_late(Walker &w, torch::optim::Optimizer &opt,
                            const std::vector<Batches> &epochs) {
  for (const auto &epoch : epochs) {
    w.ok_restart();
    for (const auto &b : epoch) {
      w.advance(b.x);
      opt.zero_grad();
      torch::mse_loss(w.h, b.y).backward();
      opt.step();
    }
  }
}
