// RUN: %check %s torch-unowned-gradients
//
// The notes.

#include "../Inputs/net.h"

void bad_two_networks(const Batches &data) {
  Net encoder, judge;
  torch::optim::Adam opt(encoder.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(judge.forward(encoder.forward(b.x)), b.y);
    loss.backward();
    // CHECK-NOTES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'judge', which no optimizer here owns [torch-unowned-gradients]
    // CHECK-NOTES: :[[@LINE-3]]:33: note: the loss comes through 'judge' here
    // CHECK-NOTES: :[[@LINE+2]]:5: note: this step uses gradients of other parameters
    // CHECK-NOTES: :[[@LINE-9]]:16: note: as many bytes as the weights, and the time to compute them; without need if its parameters are set to requires_grad_(false)
    opt.step();
  }
}

void ok_both(const Batches &data) {
  Net encoder, judge;
  torch::optim::Adam opt(encoder.parameters(), 1e-3);
  torch::optim::Adam other(judge.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    other.zero_grad();
    torch::mse_loss(judge.forward(encoder.forward(b.x)), b.y).backward();
    opt.step();
    other.step();
  }
}
