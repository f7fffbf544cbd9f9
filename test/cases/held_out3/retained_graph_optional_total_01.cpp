#include <torch/torch.h>
#include <cstdio>
#include <optional>
#include <vector>

void run_epoch(torch::nn::Sequential model, torch::optim::Optimizer& optimizer, const std::vector<torch::Tensor>& graphs) {
  std::optional<torch::Tensor> total;
  for (const torch::Tensor& adjacency : graphs) {
    torch::Tensor energy = model->forward(adjacency).mean();
    optimizer.zero_grad();
    energy.backward();
    optimizer.step();
    total = total ? *total + energy : energy;  // EXPECT: retained-graph
  }
  if (total) std::printf("mean energy %f\n", total->item<double>() / graphs.size());
}
