// RUN: %check %s torch-unscaled-accumulation
//
// The optimizer is a member, made with the divided rate.

#include "../Inputs/net.h"

class OkTrainer {
public:
  OkTrainer(Net &net, double rate, int window)
      : net(net), window(window),
        opt(net.parameters(), torch::optim::SGDOptions(rate / window)) {}
  void train(const Batches &data) {
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
  Net &net;
  int window;
  torch::optim::SGD opt;
};
