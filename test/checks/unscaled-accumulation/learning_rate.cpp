// RUN: %check %s torch-unscaled-accumulation
//
// The rate was divided by the window where the trainer was made, for an
// optimizer that is made later.

#include "../Inputs/net.h"

class OkTrainer {
public:
  OkTrainer(double rate, int window) {
    this->rate = rate / window;
    this->window = window;
  }
  void train(Net &net, const Batches &data) {
    torch::optim::SGD opt(net.parameters(), torch::optim::SGDOptions(rate));
    int i = 0;
    for (const auto &b : data) {
      torch::mse_loss(net.forward(b.x), b.y).backward();
      if (++i % window == 0) {
        opt.step();
        opt.zero_grad();
      }
    }
  }

private:
  double rate = 0;
  int window = 1;
};
