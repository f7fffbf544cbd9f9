// RUN: %check %s torch-undetached-state
//
// The same behind helpers, members and modules.

#include "../Inputs/net.h"

#include <tuple>

using torch::nn::GRU;
using torch::nn::GRUCell;
using torch::nn::LSTM;
using Pair = std::tuple<Tensor, Tensor>;

static Pair repackage(const Pair &s) {
  return {std::get<0>(s).detach(), std::get<1>(s).detach()};
}
void ok_repackaged(LSTM &lstm, torch::optim::Optimizer &opt,
                   const Batches &data) {
  Pair state{torch::zeros({1, 4, 32}), torch::zeros({1, 4, 32})};
  for (const auto &b : data) {
    state = repackage(state);
    auto [out, next] = lstm->forward(b.x, state);
    state = next;
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

static void cut(Tensor &t) { t.detach_(); }
void ok_cut_by_a_helper(GRUCell &cell, torch::optim::Optimizer &opt,
                        const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    cut(h);
    h = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

// What it does is not seen.
Tensor somewhere_else(Tensor h);
void reset_elsewhere(Tensor &h);
void ok_unseen_helper(GRUCell &cell, torch::optim::Optimizer &opt,
                      const Batches &data) {
  Tensor h = torch::zeros({4, 32}), k = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell(b.x, somewhere_else(h));
    reset_elsewhere(k);
    k = cell(h, k);
    opt.zero_grad();
    torch::mse_loss(k, b.y).backward();
    opt.step();
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
    return out;
  }
  void reset_state() { h = torch::zeros({1, 4, 16}); }
  GRU rnn{nullptr};
  Tensor h;
};
void ok_reset_by_the_caller(StatefulNet &net, torch::optim::Optimizer &opt,
                            const Batches &data) {
  for (const auto &b : data) {
    net.reset_state();
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_detached_by_the_caller(StatefulNet &net, torch::optim::Optimizer &opt,
                               const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    net.h = net.h.detach();
  }
}

struct DetachingNet : torch::nn::Module {
  DetachingNet() { rnn = register_module("rnn", GRU(8, 16)); }
  Tensor forward(Tensor x) {
    auto [out, next] = rnn->forward(x, h.defined() ? h.detach() : h);
    h = next;
    return out;
  }
  GRU rnn{nullptr};
  Tensor h;
};
void ok_detached_inside(DetachingNet &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

// The module cuts what it is given.
struct Cutting : torch::nn::Module {
  Cutting() { cell = register_module("cell", GRUCell(8, 16)); }
  Tensor forward(Tensor x, Tensor h) { return cell(x, h.detach()); }
  GRUCell cell{nullptr};
};
void ok_cut_by_the_module(Cutting &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  Tensor h = torch::zeros({4, 16});
  for (const auto &b : data) {
    h = net.forward(b.x, h);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

// Someone outside may begin it anew between the calls.
class Policy {
public:
  void ok_learn(const Batch &b) {
    h_ = cell_(b.x, h_);
    opt_->zero_grad();
    torch::mse_loss(h_, b.y).backward();
    opt_->step();
  }
  void ok_begin() { h_ = torch::zeros({4, 32}); }

private:
  GRUCell cell_{8, 32};
  std::shared_ptr<torch::optim::Adam> opt_;
  Tensor h_ = torch::zeros({4, 32});
};
class FarPolicy {
public:
  void ok_learn(const Batch &b) {
    h_ = cell_(b.x, h_);
    opt_->zero_grad();
    torch::mse_loss(h_, b.y).backward();
    opt_->step();
  }
  void begin();

private:
  GRUCell cell_{8, 32};
  std::shared_ptr<torch::optim::Adam> opt_;
  Tensor h_ = torch::zeros({4, 32});
};

// A helper that is used at the start and on the way.
static Tensor encode(GRUCell &cell, Tensor x, Tensor h) { return cell(x, h); }
void ok_one_helper_for_both(GRUCell &cell, torch::optim::Optimizer &opt,
                            const std::vector<Batches> &sequences) {
  Tensor h;
  for (const auto &sequence : sequences) {
    h = encode(cell, sequence[0].x, torch::zeros({4, 32}));
    Tensor loss = torch::zeros({});
    for (const auto &b : sequence) {
      h = encode(cell, b.x, h);
      loss = loss + torch::mse_loss(h, b.y);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void ok_frozen(StatefulNet &net, Net &head, torch::optim::Optimizer &opt,
               const Batches &data) {
  for (auto &p : net.parameters())
    p.set_requires_grad(false);
  Tensor h = torch::zeros({1, 4, 16});
  for (const auto &b : data) {
    auto [out, next] = net.rnn->forward(b.x, h);
    h = next;
    opt.zero_grad();
    torch::mse_loss(head.forward(out), b.y).backward();
    opt.step();
  }
}
