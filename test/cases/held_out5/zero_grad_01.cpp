#include <torch/torch.h>
#include <iostream>
#include <limits>

struct ForecasterImpl : torch::nn::Module {
  ForecasterImpl() : hidden(24, 48), out(48, 1) {
    register_module("hidden", hidden);
    register_module("out", out);
  }
  torch::Tensor forward(const torch::Tensor& x) { return out(torch::tanh(hidden(x))); }
  torch::nn::Linear hidden, out;
};
TORCH_MODULE(Forecaster);

template <typename Loader>
float run_epoch(Forecaster& model, Loader& loader, torch::optim::Optimizer& optimizer) {
  model->train();
  optimizer.zero_grad();
  float last = 0;
  for (auto& batch : loader) {
    auto prediction = model->forward(batch.data);
    auto loss = torch::mse_loss(prediction, batch.target);
    loss.backward();
    optimizer.step();
    last = loss.template item<float>();
  }
  return last;
}

int main() {
  auto x = torch::rand({8192, 24});
  Forecaster model;
  torch::optim::Adam optimizer(model->parameters(), 1e-3);
  struct Pair {
    torch::Tensor data, target;
  };
  std::vector<Pair> batches;
  for (int64_t i = 0; i < x.size(0); i += 128)
    batches.push_back({x.narrow(0, i, 128), x.narrow(0, i, 128).mean(1, true)});
  float best = std::numeric_limits<float>::max();
  int patience = 5;
  for (int epoch = 0; epoch < 100 && patience > 0; ++epoch) {
    const float loss = run_epoch(model, batches, optimizer);
    if (loss < best) {
      best = loss;
      patience = 5;
      torch::save(model, "best.pt");
    } else {
      --patience;
    }
    std::cout << epoch << ": " << loss << '\n';
  }
}
