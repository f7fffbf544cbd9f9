// RUN: %check %s torch-missing-no-grad,torch-retained-graph
//
// What a header declares is called from other files: grad mode on entry is
// unknown, unless a backward in it proves that it was on.

#include "../Inputs/trainer.h"

void bad_train_keeps_losses(Net &net, torch::optim::Optimizer &optimizer,
                            const Batches &data, std::vector<Tensor> &losses) {
  for (const auto &b : data) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    optimizer.step();
    losses.push_back(loss);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void ok_train_keeps_items(Net &net, torch::optim::Optimizer &optimizer,
                          const Batches &data, std::vector<float> &losses) {
  for (const auto &b : data) {
    optimizer.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
  }
}

static Tensor loss_of(Net &net, const Batch &b) {
  return torch::mse_loss(net.forward(b.x), b.y);
}
static void learn(torch::optim::Optimizer &optimizer, Tensor loss) {
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}
void bad_train_in_helpers(Net &net, torch::optim::Optimizer &optimizer,
                          const Batches &data, std::vector<Tensor> &losses) {
  for (const auto &b : data) {
    Tensor loss = loss_of(net, b);
    learn(optimizer, loss);
    losses.push_back(loss);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

float ok_only_evaluates(Net &net, const Batches &data) {
  float best = 0;
  for (const auto &b : data)
    best += net.forward(b.x).max().item<float>();
  return best;
}

// The caller that evaluates may hold a guard.
float ok_trains_or_evaluates(Net &net, torch::optim::Optimizer &optimizer,
                             const Batches &data, bool train) {
  float sum = 0;
  for (const auto &b : data) {
    if (train) {
      optimizer.zero_grad();
      torch::mse_loss(net.forward(b.x), b.y).backward();
      optimizer.step();
    } else {
      sum += net.forward(b.x).max().item<float>();
    }
  }
  return sum;
}
float ok_returns_early(Net &net, torch::optim::Optimizer &optimizer,
                       const Batches &data, bool train) {
  float sum = 0;
  for (const auto &b : data)
    sum += net.forward(b.x).max().item<float>();
  if (!train)
    return sum;
  for (const auto &b : data) {
    optimizer.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    optimizer.step();
  }
  return sum;
}

// The loss may have been made before a guard.
void ok_given_loss(torch::optim::Optimizer &optimizer, Tensor loss,
                   std::vector<Tensor> &losses, Net &net, Tensor x) {
  loss.backward();
  optimizer.step();
  for (int i = 0; i < 100; ++i)
    losses.push_back(net.forward(x));
}

float bad_evaluates_after_training(Net &net, torch::optim::Optimizer &optimizer,
                                   const Batches &data) {
  for (const auto &b : data) {
    optimizer.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    optimizer.step();
  }
  float sum = 0;
  for (const auto &b : data)
    sum += net.forward(b.x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return sum;
}

// It proves nothing about its own beginning.
void ok_turns_grad_on(Net &net, torch::optim::Optimizer &optimizer,
                      const Batches &data, std::vector<Tensor> &outputs) {
  for (const auto &b : data)
    outputs.push_back(net.forward(b.x));
  torch::AutoGradMode on(true);
  torch::mse_loss(net.forward(data[0].x), data[0].y).backward();
  optimizer.step();
}
