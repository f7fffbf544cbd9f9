// RUN: %check %s torch-retain-graph
//
// retain_graph without a second backward over any part of the graph.

#include "../Inputs/net.h"

void bad_plain(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward({}, /*keep_graph=*/true);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the graph is kept, but nothing else runs backward over any part of it [torch-retain-graph]
    opt.step();
  }
}

// It does not need to be kept, and what is stored now holds all of it.
void bad_stored(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  std::vector<Tensor> history;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward({}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    opt.step();
    history.push_back(loss);
  }
}

void bad_autograd_backward(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    torch::autograd::backward({loss}, {}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    opt.step();
  }
}

// The generator's output is detached: nothing is shared.
void bad_detached_gan(Net &generator, Net &critic,
                      torch::optim::Optimizer &g_opt,
                      torch::optim::Optimizer &d_opt, const Batches &data) {
  for (const auto &b : data) {
    auto fake = generator.forward(b.y);
    d_opt.zero_grad();
    critic.forward(fake.detach()).mean().backward({}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    d_opt.step();
    g_opt.zero_grad();
    critic.forward(fake).mean().backward();
    g_opt.step();
  }
}

static void learn(torch::optim::Optimizer &opt, Tensor loss) {
  opt.zero_grad();
  loss.backward({}, true);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
  opt.step();
}
void bad_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data) {
  for (const auto &b : data)
    learn(opt, torch::mse_loss(net.forward(b.x), b.y));
}

class Trainer {
public:
  explicit Trainer(std::shared_ptr<Net> net)
      : net_(net), opt_(net->parameters(), 0.1) {}
  void bad_step(const Batch &b) {
    auto loss = torch::mse_loss(net_->forward(b.x), b.y);
    opt_.zero_grad();
    loss.backward({}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    opt_.step();
  }

private:
  std::shared_ptr<Net> net_;
  torch::optim::SGD opt_;
};

// Two graphs, one after the other.
void bad_two_graphs(Net &net, torch::optim::Optimizer &opt,
                    const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    net.forward(b.x).mean().backward({}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    net.forward(b.y).mean().backward();
    opt.step();
  }
}

template <class Optimizer>
void bad_template(Net &net, Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward({}, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    opt.step();
  }
}
template void bad_template<torch::optim::SGD>(Net &, torch::optim::SGD &,
                                              const Batches &);
