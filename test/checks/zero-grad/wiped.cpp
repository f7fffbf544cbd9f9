// RUN: %check %s torch-zero-grad
//
// Micro-batches whose gradients are zeroed before the step.

#include "../Inputs/net.h"

void bad_step_every_k(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data, int k) {
  for (size_t i = 0; i < data.size(); ++i) {
    opt.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: gradients of all micro-batches but the last are zeroed before the optimizer steps [torch-zero-grad]
    auto loss = torch::mse_loss(net.forward(data[i].x), data[i].y) / k;
    loss.backward();
    if ((i + 1) % k == 0)
      opt.step();
  }
}

void bad_step_behind_the_loop(Net &net, torch::optim::Optimizer &opt,
                              const std::vector<Batches> &windows) {
  for (const auto &window : windows) {
    for (const auto &b : window) {
      opt.zero_grad();
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
      (torch::mse_loss(net.forward(b.x), b.y) / 4).backward();
    }
    opt.step();
  }
}

void bad_in_the_last_round(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data, int k) {
  for (size_t i = 0; i < data.size(); ++i) {
    auto loss = torch::mse_loss(net.forward(data[i].x), data[i].y) / k;
    if ((i + 1) % k == 0)
      opt.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    loss.backward();
    if ((i + 1) % k == 0)
      opt.step();
  }
}

void bad_module(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  int seen = 0;
  for (const auto &b : data) {
    net.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    torch::mse_loss(net.forward(b.x), b.y).backward();
    if (++seen % 8 == 0)
      opt.step();
  }
}

static void micro(Net &net, torch::optim::Optimizer &opt, const Batch &b) {
  opt.zero_grad();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
  (torch::mse_loss(net.forward(b.x), b.y) / 4).backward();
}
void bad_wiped_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  for (const auto &b : data)
    micro(net, opt, b);
  opt.step();
}

void ok_at_the_start_of_the_window(Net &net, torch::optim::Optimizer &opt,
                                   const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    if (i % 4 == 0)
      opt.zero_grad();
    (torch::mse_loss(net.forward(data[i].x), data[i].y) / 4).backward();
    if (i % 4 == 3)
      opt.step();
  }
}

// The counter moves on in between: this is the start of the window.
void ok_counted_in_between(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data, unsigned k) {
  unsigned seen = 0;
  for (const auto &b : data) {
    if (seen % k == 0)
      opt.zero_grad();
    (torch::mse_loss(net.forward(b.x), b.y) / 4).backward();
    seen++;
    if (seen % k == 0)
      opt.step();
  }
}

void ok_behind_the_step(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    (torch::mse_loss(net.forward(data[i].x), data[i].y) / 4).backward();
    if ((i + 1) % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

// A step that is skipped is no window.
void ok_skipped_step(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (loss.item<float>() < 1e6)
      opt.step();
  }
}

void ok_warm_up(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    opt.zero_grad();
    torch::mse_loss(net.forward(data[i].x), data[i].y).backward();
    if (i >= 10)
      opt.step();
  }
}

// The critic learns in each round, the generator in some.
void ok_two_optimizers(Net &generator, Net &critic,
                       torch::optim::Optimizer &g_opt,
                       torch::optim::Optimizer &d_opt, const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    d_opt.zero_grad();
    critic.forward(data[i].x).mean().backward();
    d_opt.step();
    g_opt.zero_grad();
    critic.forward(generator.forward(data[i].y)).mean().backward();
    if (i % 5 == 0)
      g_opt.step();
  }
}

// Gradients of single samples are collected before they are zeroed.
void ok_per_sample(Net &net, torch::optim::Optimizer &opt,
                   const std::vector<Batches> &windows) {
  for (const auto &window : windows) {
    Tensor sum = torch::zeros({8, 64});
    for (const auto &b : window) {
      net.zero_grad();
      torch::mse_loss(net.forward(b.x), b.y).backward();
      sum += net.l->weight.grad().clamp(-1, 1);
    }
    net.l->weight.mutable_grad() = sum;
    opt.step();
  }
}

// The inner loop works on the input.
void ok_adversarial(Net &net, torch::optim::Optimizer &opt,
                    const Batches &data) {
  for (const auto &b : data) {
    Tensor x = b.x.clone().requires_grad_(true);
    for (int k = 0; k < 7; ++k) {
      net.zero_grad();
      torch::mse_loss(net.forward(x), b.y).backward();
    }
    opt.zero_grad();
    torch::mse_loss(net.forward(x.detach()), b.y).backward();
    opt.step();
  }
}

void bad_two_optimizers(Net &a, Net &b, torch::optim::SGD &body,
                        torch::optim::SGD &head, const Batches &data, int k) {
  for (size_t i = 0; i < data.size(); ++i) {
    a.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    (torch::mse_loss(b.forward(a.forward(data[i].x)), data[i].y) / k).backward();
    if ((i + 1) % k == 0) {
      body.step();
      head.step();
    }
  }
}
