#include <torch/torch.h>
#include <iostream>

struct ModelImpl : torch::nn::Module {
  ModelImpl() : e(register_module("e", torch::nn::Embedding(256, 32))), o(register_module("o", torch::nn::Linear(32, 256))) {}
  torch::Tensor forward(const torch::Tensor& ids) { return o(e(ids)); }
  torch::nn::Embedding e;
  torch::nn::Linear o;
};
TORCH_MODULE(Model);

struct TrainConfig {
  int max_iters = 1000, grad_accum_steps = 5, batch = 12, block = 64;
  double lr = 6e-4, clip = 1.0;
};

int main() {
  const TrainConfig config;
  Model model;
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(config.lr));
  auto data = torch::randint(0, 256, {100000}, torch::kLong);

  for (int iter = 0; iter < config.max_iters; ++iter) {
    float lossf = 0;
    for (int micro_step = 0; micro_step < config.grad_accum_steps; ++micro_step) {
      auto ix = torch::randint(0, 99000, {config.batch, 1}, torch::kLong) + torch::arange(config.block + 1);
      auto ids = data.index({ix});
      auto logits = model(ids.slice(1, 0, config.block));
      auto loss = torch::cross_entropy_loss(logits.flatten(0, 1), ids.slice(1, 1).flatten());
      lossf += loss.item<float>() / config.grad_accum_steps;
      loss.backward();  // EXPECT: unscaled-accumulation
    }
    torch::nn::utils::clip_grad_norm_(model->parameters(), config.clip);
    optimizer.step();
    optimizer.zero_grad();
    if (iter % 10 == 0) std::cout << iter << ": " << lossf << '\n';
  }
}
