#include <torch/torch.h>
#include <vector>

using torch::Tensor;

class Attention : public torch::nn::Module {
 public:
  explicit Attention(int64_t width) {
    q_ = register_module("q", torch::nn::Linear(width, width));
    k_ = register_module("k", torch::nn::Linear(width, width));
    v_ = register_module("v", torch::nn::Linear(width, width));
  }

  Tensor forward(const Tensor& x) {
    auto scores = torch::matmul(q_(x), k_(x).transpose(-2, -1)) / std::sqrt(static_cast<double>(x.size(-1)));
    auto weights = torch::softmax(scores, -1);
    maps_.push_back(weights);  // EXPECT: retained-graph
    return torch::matmul(weights, v_(x));
  }

  size_t recorded() const { return maps_.size(); }

 private:
  torch::nn::Linear q_{nullptr}, k_{nullptr}, v_{nullptr};
  std::vector<Tensor> maps_;
};

void train(Attention& net, torch::optim::Optimizer& opt, Tensor x, Tensor y, int steps) {
  for (int i = 0; i < steps; ++i) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(x), y);
    loss.backward();
    opt.step();
  }
  std::printf("%zu maps\n", net.recorded());
}
