#include <torch/torch.h>

struct MlpImpl : torch::nn::Module {
  MlpImpl(int64_t in, int64_t out)
      : hidden(register_module("hidden", torch::nn::Linear(in, 32))),
        head(register_module("head", torch::nn::Linear(32, out))) {}
  torch::Tensor forward(const torch::Tensor& x) { return head(torch::tanh(hidden(x))); }
  torch::nn::Linear hidden, head;
};
TORCH_MODULE(Mlp);

class Trainer {
 public:
  Trainer(Mlp model, double lr) : model_(model), optimizer_(model->parameters(), lr) {}

  void step(const torch::Tensor& x, const torch::Tensor& y) {
    optimizer_.zero_grad();
    auto loss = torch::mse_loss(model_(x), y);
    loss.backward();
    optimizer_.step();
    running_ += loss;  // EXPECT: retained-graph
    ++steps_;
  }

  double average() const { return running_.item<double>() / steps_; }

 private:
  Mlp model_;
  torch::optim::Adam optimizer_;
  torch::Tensor running_ = torch::zeros({});
  int steps_ = 0;
};

int main() {
  Trainer trainer(Mlp(8, 1), 1e-3);
  for (int i = 0; i < 1000; ++i) trainer.step(torch::randn({16, 8}), torch::randn({16, 1}));
  return trainer.average() < 1.0 ? 0 : 1;
}
