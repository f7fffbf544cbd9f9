// RUN: %check %s torch-unscaled-accumulation
//
// Decays, and quotients that are no rate, scale no micro-batch.

#include "../Inputs/net.h"

class BadTrainer {
public:
  BadTrainer(double rate, int window) : rate(rate), window(window) {}
  void train(Net &net, const Batches &data) {
    float mean = 0;
    for (int epoch = 0; epoch < 9; ++epoch) {
      if (epoch == 5)
        rate /= 10;
      torch::optim::SGD opt(net.parameters(), torch::optim::SGDOptions(rate));
      int i = 0;
      for (const auto &b : data) {
        auto loss = torch::mse_loss(net.forward(b.x), b.y);
        loss.backward();
        // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
        mean += loss.item<float>();
        if (++i % window == 0) {
          opt.step();
          opt.zero_grad();
        }
      }
      mean = mean / data.size();
      shown = mean / window;
    }
  }

private:
  double rate = 0, shown = 0;
  int window = 1;
};
