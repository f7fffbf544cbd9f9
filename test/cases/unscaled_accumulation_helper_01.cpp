#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};

struct Net : torch::nn::Module {
  torch::nn::Linear fc{nullptr};
  Net() { fc = register_module("fc", torch::nn::Linear(30, 5)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
};

static float accumulate_gradients(Net& net, const Batch& batch) {
  auto loss = torch::mse_loss(net.forward(batch.x), batch.y);
  loss.backward();  // EXPECT: unscaled-accumulation
  return loss.item<float>();
}

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Batch>& batches, size_t accumulation_steps) {
  float running = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    running += accumulate_gradients(net, batches[i]);
    if ((i + 1) % accumulation_steps == 0) {
      torch::nn::utils::clip_grad_norm_(net.parameters(), 5.0);
      opt.step();
      opt.zero_grad();
      std::cout << running / accumulation_steps << '\n';
      running = 0;
    }
  }
}
