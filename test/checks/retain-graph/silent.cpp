// RUN: %check %s torch-retain-graph
//
// Graphs that are used again, or may be.

#include "../Inputs/net.h"

#include <tuple>

std::vector<Tensor> ok_jacobian(Net &net, Tensor input) {
  Tensor x = input.clone().requires_grad_(true);
  Tensor y = net.forward(x);
  std::vector<Tensor> rows;
  for (int i = 0; i < 8; ++i) {
    y[0][i].backward({}, /*keep_graph=*/true);
    rows.push_back(x.grad().clone());
    x.grad().zero_();
  }
  return rows;
}

void ok_two_heads(Net &trunk, Net &first, Net &second,
                  torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    auto features = trunk.forward(b.x);
    opt.zero_grad();
    torch::mse_loss(first.forward(features), b.y).backward({}, true);
    torch::mse_loss(second.forward(features), b.y).backward();
    opt.step();
  }
}

void ok_heads_in_a_loop(Net &trunk, std::vector<Net> &heads,
                        torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    auto features = trunk.forward(b.x);
    opt.zero_grad();
    for (auto &head : heads)
      torch::mse_loss(head.forward(features), b.y).backward({}, true);
    opt.step();
  }
}

void ok_shared_generator(Net &generator, Net &critic,
                         torch::optim::Optimizer &g_opt,
                         torch::optim::Optimizer &d_opt, const Batches &data) {
  for (const auto &b : data) {
    auto fake = generator.forward(b.y);
    d_opt.zero_grad();
    critic.forward(fake).mean().backward({}, true);
    d_opt.step();
    g_opt.zero_grad();
    (-critic.forward(fake).mean()).backward();
    g_opt.step();
  }
}

void ok_closure(Net &net, torch::optim::LBFGS &opt, const Batches &data) {
  for (const auto &b : data) {
    auto fixed = net.forward(b.x);
    opt.step([&] {
      opt.zero_grad();
      auto loss = torch::mse_loss(net.forward(b.x), b.y);
      loss.backward({}, true);
      return loss;
    });
  }
}

void ok_gradient_after_it(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  for (const auto &b : data) {
    auto x = b.x.clone().requires_grad_(true);
    auto loss = net.forward(x).sum();
    opt.zero_grad();
    loss.backward({}, true);
    auto forces = torch::autograd::grad({loss}, {x});
    opt.step();
  }
}

void ok_penalty(Net &critic, torch::optim::Optimizer &opt,
                const Batches &data) {
  for (const auto &b : data) {
    auto x = b.x.clone().requires_grad_(true);
    auto y = critic.forward(x);
    auto g = torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true,
                                   /*create_graph=*/true)[0];
    opt.zero_grad();
    (y.mean() + (g.norm() - 1).pow(2)).backward();
    opt.step();
  }
}

void inspect(Tensor loss);
void ok_handed_to_someone(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward({}, true);
    inspect(loss);
    opt.step();
  }
}

Tensor ok_returned(Net &net, torch::optim::Optimizer &opt, const Batch &b) {
  auto loss = torch::mse_loss(net.forward(b.x), b.y);
  opt.zero_grad();
  loss.backward({}, true);
  opt.step();
  return loss;
}

void ok_as_told(Net &net, const Batches &data, bool keep) {
  for (const auto &b : data)
    torch::mse_loss(net.forward(b.x), b.y).backward({}, keep);
}

// torch-undetached-state speaks of the state.
void ok_carried_state(torch::nn::LSTM &lstm, torch::optim::Optimizer &opt,
                      const Batches &data) {
  auto h = torch::zeros({1, 4, 32}), c = torch::zeros({1, 4, 32});
  for (const auto &b : data) {
    auto [out, hc] = lstm->forward(b.x, std::make_tuple(h, c));
    std::tie(h, c) = hc;
    opt.zero_grad();
    out.sum().backward({}, true);
    opt.step();
  }
}

void ok_gradients_per_step(torch::nn::GRUCell &cell,
                           torch::optim::Optimizer &opt,
                           const std::vector<Batches> &sequences) {
  for (const auto &sequence : sequences) {
    Tensor h = torch::zeros({4, 32});
    opt.zero_grad();
    for (const auto &b : sequence) {
      h = cell(b.x, h);
      torch::mse_loss(h, b.y).backward({}, true);
    }
    opt.step();
  }
}

// The sum of all is differentiated later.
void ok_again_at_the_end(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data) {
  std::vector<Tensor> losses;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward({}, true);
    losses.push_back(loss);
  }
  torch::stack(losses).var().backward();
  opt.step();
}

// create_graph: the gradient is taken away in time.
void ok_emptied(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto x = b.x.clone().requires_grad_(true);
    net.forward(x).sum().backward({}, true, true);
    x.grad().norm().backward();
    x.mutable_grad().reset();
    opt.step();
  }
}

void ok_zeroed_parameters(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward({}, true, true);
    Tensor norm = torch::zeros({});
    for (auto &p : net.parameters())
      norm = norm + p.grad().norm();
    norm.backward();
    opt.step();
  }
}

void ok_plain(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward({}, false);
    opt.step();
  }
}
