// RUN: %check %s torch-unscaled-accumulation
//
// The divisor is the modulus of the window; without one there is no edit.

#include "../Inputs/net.h"

void bad_named_window(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    // CHECK-FIXES: (loss / k).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
