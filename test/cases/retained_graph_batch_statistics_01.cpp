#include <torch/torch.h>
#include <vector>

using torch::Tensor;

// Standardises activations and tracks their mean for later inspection.
class Standardise : public torch::nn::Module {
 public:
  explicit Standardise(int64_t width) {
    gain_ = register_parameter("gain", torch::ones({width}));
    tracked_ = register_buffer("tracked", torch::zeros({width}));
  }
  Tensor forward(const Tensor& x) {
    auto mean = x.mean(0);
    tracked_ = 0.99 * tracked_ + 0.01 * mean;  // EXPECT: retained-graph
    return (x - mean) / (x.std(0) + 1e-5) * gain_;
  }
  Tensor tracked() const { return tracked_.detach(); }

 private:
  Tensor gain_, tracked_;
};

void train(Standardise& layer, torch::nn::Linear in, torch::nn::Linear out, const std::vector<Tensor>& xs) {
  std::vector<Tensor> parameters = in->parameters();
  for (const auto& p : out->parameters()) parameters.push_back(p);
  for (const auto& p : layer.parameters()) parameters.push_back(p);
  torch::optim::SGD opt(parameters, 0.1);
  for (const auto& x : xs) {
    opt.zero_grad();
    out(layer.forward(in(x))).square().mean().backward();
    opt.step();
  }
}
