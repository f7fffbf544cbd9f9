// RUN: %check %s torch-retained-graph
//
// Members and globals that a header declares: other files may empty them.

#include "../Inputs/trainer.h"

std::vector<Tensor> ok_all_losses;
std::vector<Tensor> bad_here_only;

void Trainer::epoch(const Batches &data) {
  Tensor loss;
  for (const auto &b : data) {
    optimizer.zero_grad();
    loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    optimizer.step();
  }
  ok_losses.push_back(loss); // Trainer::reset may clear it
  seen.push_back(loss);      // and so may anybody this
  ok_all_losses.push_back(loss);
  bad_here_only.push_back(loss);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// No method that could clear it is defined elsewhere.
void Recorder::epoch(const Batches &data) {
  Tensor loss;
  for (const auto &b : data) {
    optimizer.zero_grad();
    loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    optimizer.step();
  }
  losses.push_back(loss);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
