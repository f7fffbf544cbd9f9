#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <string>

namespace nn = torch::nn;

class MlpImpl : public nn::Module {
 public:
  MlpImpl() : layers_(nn::Linear(8, 8), nn::Sigmoid(), nn::Linear(8, 1)) { register_module("layers", layers_); }
  torch::Tensor forward(torch::Tensor x) { return layers_->forward(x); }

 private:
  nn::Sequential layers_;
};
TORCH_MODULE(Mlp);

template <class Model, class Metric>
float evaluate(Model model, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& set, Metric metric) {
  model->eval();
  float score = 0.f;
  for (const auto& [x, y] : set) {
    auto out = model(x);  // EXPECT: missing-no-grad
    score += metric(out, y);
  }
  model->train();
  return score / set.size();
}

int main() {
  std::vector<std::pair<torch::Tensor, torch::Tensor>> set(10, {torch::rand({4, 8}), torch::rand({4, 1})});
  Mlp mlp;
  auto mae = [](const torch::Tensor& p, const torch::Tensor& t) { return (p - t).abs().mean().item<float>(); };
  std::cout << evaluate(mlp, set, mae) << '\n';
}
