// RUN: %check %s torch-no-grad-in-training
//
// Grad mode turned off and not restored before training goes on.

#include "../Inputs/net.h"

#include <stdexcept>

namespace sync_like {

static void sync(Net &a, Net &b) {
  torch::GradMode::set_enabled(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: grad mode is turned off and not restored before training goes on [torch-no-grad-in-training]
  auto source = a.named_parameters();
  for (auto &p : b.named_parameters())
    p.value().copy_(source[p.key()]);
}

void bad_callee_leaves_it_off(Net &net, Net &target,
                              torch::optim::Optimizer &opt,
                              const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    sync(net, target);
  }
}

} // namespace sync_like

namespace epochs {

static void train(Net &net, const Batches &data) {
  for (const auto &b : data)
    torch::mse_loss(net.forward(b.x), b.y).backward();
}

static double test(Net &net, const Batches &data) {
  torch::GradMode::set_enabled(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  double sum = 0;
  for (const auto &b : data)
    sum += torch::mse_loss(net.forward(b.x), b.y).item<double>();
  return sum;
}

void bad_epochs(Net &net, const Batches &data) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    train(net, data);
    test(net, data);
  }
}

} // namespace epochs

void bad_every_hundredth(Net &net, const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (++i % 100 == 0) {
      torch::GradMode::set_enabled(false);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: {{.*}} [torch-no-grad-in-training]
      net.forward(b.x);
    }
  }
}

void bad_continue(Net &net, const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    torch::GradMode::set_enabled(false);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-no-grad-in-training]
    auto score = net.forward(b.x).max().item<float>();
    if (score < 0)
      continue;
    torch::GradMode::set_enabled(true);
  }
}

float risky(Net &net, Tensor x) {
  if (!x.defined())
    throw std::runtime_error("no input");
  return net.forward(x).max().item<float>();
}

void bad_exception(Net &net, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    try {
      torch::GradMode::set_enabled(false);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: {{.*}} [torch-no-grad-in-training]
      risky(net, b.x);
      torch::GradMode::set_enabled(true);
    } catch (const std::exception &) {
      continue;
    }
  }
}

double bad_early_return(Net &net, const Batches &data) {
  torch::GradMode::set_enabled(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: grad mode is turned off and not restored on every way out [torch-no-grad-in-training]
  double sum = 0;
  for (const auto &b : data) {
    if (!b.x.defined())
      return -1;
    sum += net.forward(b.x).max().item<double>();
  }
  torch::GradMode::set_enabled(true);
  return sum;
}

double bad_saved_but_early(Net &net, Tensor x) {
  const bool before = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: {{.*}} [torch-no-grad-in-training]
  if (x.numel() == 0)
    return 0;
  double best = net.forward(x).max().item<double>();
  torch::GradMode::set_enabled(before);
  return best;
}

class Agent {
  Net net;
  torch::optim::SGD opt{net.parameters(), 0.1};

public:
  void learn(const Batch &b) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
  }
  int act(Tensor x) {
    torch::GradMode::set_enabled(false);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: {{.*}} [torch-no-grad-in-training]
    return net.forward(x).argmax().item<int>();
  }
};

void bad_agent(Agent &agent, const Batches &data) {
  for (const auto &b : data) {
    agent.act(b.x);
    agent.learn(b);
  }
}

// What was on again before the try statement is on in its handler.
void ok_restored_before_a_try(Net &net, torch::optim::Optimizer &opt,
                              const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    torch::GradMode::set_enabled(false);
    net.l->weight.mul_(0.9);
    torch::GradMode::set_enabled(true);
    try {
      net.to(torch::kCPU);
    } catch (const std::exception &) {
      return;
    }
  }
}
