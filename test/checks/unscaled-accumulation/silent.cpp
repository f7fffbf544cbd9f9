// RUN: %check %s torch-unscaled-accumulation
//
// Several backward calls before a step that are no micro-batches, and one
// backward per step however it is skipped.

#include "../Inputs/net.h"

#include <cmath>

void ok_one_backward_per_step(Net &net, torch::optim::Optimizer &opt,
                              const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_two_losses(Net &net, torch::optim::Optimizer &opt,
                   const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    torch::l1_loss(net.forward(b.y), b.x).backward();
    opt.step();
  }
}

void ok_discriminator(Net &critic, torch::optim::Optimizer &opt,
                      const Batches &data, Tensor ones, Tensor zeros) {
  for (const auto &b : data) {
    critic.zero_grad();
    auto real = torch::binary_cross_entropy(critic.forward(b.x), ones);
    real.backward();
    auto fake = torch::binary_cross_entropy(critic.forward(b.y), zeros);
    fake.backward();
    opt.step();
  }
}

void ok_skip_on_nan(Net &net, torch::optim::Optimizer &opt,
                    const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (std::isnan(loss.item<float>()))
      continue;
    opt.step();
  }
}

void ok_skip_empty(Net &net, torch::optim::Optimizer &opt,
                   const Batches &data) {
  for (const auto &b : data) {
    if (b.x.numel() == 0)
      continue;
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_stop_on_divergence(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (loss.item<float>() > 1e6)
      break;
    opt.step();
  }
}

void ok_clipped(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    torch::nn::utils::clip_grad_norm_(net.parameters(), 1.0);
    opt.step();
  }
}

void ok_losses_summed_first(Net &net, torch::optim::Optimizer &opt,
                            const std::vector<Batches> &data) {
  for (const auto &window : data) {
    Tensor total = torch::zeros({1});
    for (const auto &micro : window)
      total = total + torch::mse_loss(net.forward(micro.x), micro.y);
    opt.zero_grad();
    (total / (double)window.size()).backward();
    opt.step();
  }
}

void ok_zero_grad_before_each(Net &net, torch::optim::Optimizer &opt,
                              const std::vector<Batches> &data) {
  for (const auto &window : data) {
    for (const auto &b : window) {
      opt.zero_grad();
      torch::mse_loss(net.forward(b.x), b.y).backward();
      opt.step();
    }
  }
}

void ok_lbfgs(Net &net, torch::optim::LBFGS &opt, const Batches &data) {
  for (const auto &b : data)
    opt.step([&]() {
      opt.zero_grad();
      auto loss = torch::mse_loss(net.forward(b.x), b.y);
      loss.backward();
      return loss;
    });
}

// Gradients of the input; no optimizer takes part.
Tensor ok_saliency(Net &net, Tensor image) {
  Tensor x = image.clone().requires_grad_(true);
  for (int i = 0; i < 4; ++i)
    net.forward(x).mean().backward();
  return x.grad();
}

void ok_hand_written_sgd(const Batches &data) {
  Tensor w = torch::randn({64, 8}, torch::requires_grad());
  for (const auto &b : data) {
    torch::mse_loss(b.x.mm(w), b.y).backward();
    torch::NoGradGuard no_grad;
    w -= 0.1 * w.grad();
    w.grad().zero_();
  }
}
