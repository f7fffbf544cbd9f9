#include <torch/torch.h>
#include <memory>
#include <vector>

template <class Model, class Optimizer, class Loss>
class Trainer {
 public:
  Trainer(Model model, Optimizer optimizer, Loss loss) : model_(model), optimizer_(std::move(optimizer)), loss_(loss) {}

  void fit(const torch::Tensor& x, const torch::Tensor& y, int epochs, int64_t batch) {
    for (int e = 0; e < epochs; ++e) {
      for (int64_t i = 0; i < x.size(0); i += batch) {
        auto l = loss_(model_->forward(x.slice(0, i, i + batch)), y.slice(0, i, i + batch));
        optimizer_.zero_grad();
        l.backward();
        optimizer_.step();
        losses_.push_back(l);  // EXPECT: retained-graph
      }
    }
  }
  const std::vector<torch::Tensor>& losses() const { return losses_; }

 private:
  Model model_;
  Optimizer optimizer_;
  Loss loss_;
  std::vector<torch::Tensor> losses_;
};

int main() {
  torch::nn::Linear line(1, 1);
  Trainer trainer(line, torch::optim::SGD(line->parameters(), 0.1), torch::nn::MSELoss());
  const auto x = torch::rand({1000, 1});
  trainer.fit(x, 3 * x + 1, 20, 10);
  std::printf("%zu %f\n", trainer.losses().size(), trainer.losses().back().item<float>());
}
