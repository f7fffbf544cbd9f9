// RUN: %check %s torch-zero-grad
//
// Steps over gradients that nothing zeroes.

#include "../Inputs/net.h"

#include <functional>

void bad_plain(Net &net, torch::optim::Optimizer &opt, Tensor x, Tensor y) {
  for (int i = 0; i < 6000; ++i) {
    auto loss = torch::mse_loss(net.forward(x), y);
    loss.backward();
    opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: gradients are not zeroed between optimizer steps [torch-zero-grad]
  }
}

void bad_zeroed_once_before(Net &net, const Batches &data) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  opt.zero_grad();
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

void bad_zeroed_per_epoch(Net &net, const std::vector<Batches> &epochs) {
  torch::optim::Adam opt(net.parameters());
  for (const auto &epoch : epochs) {
    opt.zero_grad();
    for (const auto &b : epoch) {
      torch::mse_loss(net.forward(b.x), b.y).backward();
      opt.step();
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    }
  }
}

void bad_window(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    (torch::mse_loss(net.forward(b.x), b.y) / 4).backward();
    if (++i % 4 == 0)
      opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

static void update(torch::optim::Optimizer &opt, Tensor loss) {
  loss.backward();
  opt.step();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
}
void bad_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data) {
  for (const auto &b : data)
    update(opt, torch::mse_loss(net.forward(b.x), b.y));
}

void bad_lambda(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  auto train = [&](const Batch &b) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  };
  for (const auto &b : data)
    train(b);
}

void bad_closure(Net &net, torch::optim::LBFGS &opt, const Batches &data) {
  for (const auto &b : data)
    opt.step([&] {
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
      auto loss = torch::mse_loss(net.forward(b.x), b.y);
      loss.backward();
      return loss;
    });
}

void bad_by_hand(const Batches &data) {
  Tensor w = torch::randn({64, 8}, torch::requires_grad());
  for (const auto &b : data) {
    torch::mse_loss(b.x.mm(w), b.y).backward();
    torch::NoGradGuard no_grad;
    w -= 0.1 * w.grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

void bad_by_hand_over_parameters(Net &net, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    torch::NoGradGuard no_grad;
    for (auto &p : net.parameters())
      p.sub_(0.1 * p.grad());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

// Scaling and clipping zero nothing.
void bad_clipped(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    torch::nn::utils::clip_grad_norm_(net.parameters(), 1.0);
    for (auto &p : net.parameters())
      p.mutable_grad().div_(2);
    opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

class Trainer {
public:
  explicit Trainer(std::shared_ptr<Net> net)
      : net_(net), opt_(net->parameters(), 0.1) {}
  void bad_fit(const Batches &data) {
    for (const auto &b : data)
      step(b);
  }

private:
  void step(const Batch &b) {
    torch::mse_loss(net_->forward(b.x), b.y).backward();
    opt_.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
  std::shared_ptr<Net> net_;
  torch::optim::SGD opt_;
};

// The other optimizer's gradients are others.
struct Critic : torch::nn::Module {
  Critic() { l = register_module("l", torch::nn::Linear(64, 1)); }
  Tensor forward(Tensor x) { return torch::sigmoid(l->forward(x)); }
  torch::nn::Linear l{nullptr};
};
void bad_gan(const Batches &data, Tensor ones, Tensor zeros) {
  Net generator;
  Critic critic;
  torch::optim::Adam g_opt(generator.parameters());
  torch::optim::Adam d_opt(critic.parameters());
  for (const auto &b : data) {
    auto fake = generator.forward(b.y);
    (torch::binary_cross_entropy(critic.forward(b.x), ones) +
     torch::binary_cross_entropy(critic.forward(fake.detach()), zeros))
        .backward();
    d_opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    g_opt.zero_grad();
    torch::binary_cross_entropy(critic.forward(fake), ones).backward();
    g_opt.step();
  }
}
void bad_gan_by_module(const Batches &data, Tensor ones) {
  Net generator;
  Critic critic;
  torch::optim::Adam g_opt(generator.parameters());
  torch::optim::Adam d_opt(critic.parameters());
  for (const auto &b : data) {
    critic.zero_grad();
    torch::binary_cross_entropy(critic.forward(b.x), ones).backward();
    d_opt.step();
    torch::binary_cross_entropy(critic.forward(generator.forward(b.y)), ones)
        .backward();
    g_opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}

template <class Optimizer>
void bad_template(Net &net, Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}
template void bad_template<torch::optim::SGD>(Net &, torch::optim::SGD &,
                                              const Batches &);

void bad_dream(Net &net, Tensor image) {
  Tensor x = image.clone().requires_grad_(true);
  for (int i = 0; i < 20; ++i) {
    net.forward(x).mean().backward();
    torch::NoGradGuard guard;
    x += 0.1 * x.grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  }
}
