#include <torch/torch.h>
#include <cstdio>
#include <utility>
#include <vector>

enum class Phase { Train, Validate };
using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

double run(Phase phase, torch::nn::Sequential& net, torch::optim::Optimizer* optimizer, const Batches& batches) {
  double sum = 0;
  for (const auto& [x, y] : batches) {
    switch (phase) {
      case Phase::Train: {
        auto loss = torch::huber_loss(net->forward(x), y);
        optimizer->zero_grad();
        loss.backward();
        optimizer->step();
        sum += loss.item<double>();
        break;
      }
      case Phase::Validate:
        sum += torch::huber_loss(net->forward(x), y).item<double>();  // EXPECT: missing-no-grad
        break;
    }
  }
  return sum / batches.size();
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(6, 12), torch::nn::GELU(), torch::nn::Linear(12, 1));
  torch::optim::Adam adam(net->parameters());
  Batches train, held_out;
  for (int i = 0; i < 500; ++i) (i % 10 ? train : held_out).emplace_back(torch::randn({32, 6}), torch::randn({32, 1}));
  for (int e = 0; e < 50; ++e) {
    net->train();
    auto fit = run(Phase::Train, net, &adam, train);
    net->eval();
    std::printf("%f %f\n", fit, run(Phase::Validate, net, nullptr, held_out));
  }
}
