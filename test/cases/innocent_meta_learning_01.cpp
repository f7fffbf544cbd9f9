#include <torch/torch.h>
#include <vector>

using torch::Tensor;
namespace F = torch::nn::functional;

struct Task {
  Tensor support_x, support_y, query_x, query_y;
};

Tensor model(const Tensor& x, const std::vector<Tensor>& w) {
  return F::linear(torch::relu(F::linear(x, w[0], w[1])), w[2], w[3]);
}

// MAML: the inner steps are part of the graph that the outer backward needs.
void outer_step(std::vector<Tensor>& weights, torch::optim::Optimizer& meta, const std::vector<Task>& tasks) {
  std::vector<Tensor> task_losses;
  for (const Task& task : tasks) {
    std::vector<Tensor> fast = weights;
    for (int inner = 0; inner < 5; ++inner) {
      auto loss = torch::mse_loss(model(task.support_x, fast), task.support_y);
      auto grads = torch::autograd::grad({loss}, fast, {}, /*retain_graph=*/true, /*create_graph=*/true);
      for (size_t i = 0; i < fast.size(); ++i) fast[i] = fast[i] - 0.01 * grads[i];
    }
    task_losses.push_back(torch::mse_loss(model(task.query_x, fast), task.query_y));
  }
  meta.zero_grad();
  torch::stack(task_losses).mean().backward();
  meta.step();
}
