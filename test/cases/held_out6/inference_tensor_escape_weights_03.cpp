// Class weights and a positional table are prepared under InferenceMode and meet trainable parameters later.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

class Positions {
 public:
  Positions(int64_t length, int64_t width) {
    c10::InferenceMode once;
    auto t = torch::arange(length).to(torch::kFloat).unsqueeze(1);
    auto f = torch::exp(torch::arange(0, width, 2).to(torch::kFloat) * (-std::log(10000.0) / width));
    table_ = torch::cat({torch::sin(t * f), torch::cos(t * f)}, 1);  // ALSO: inference-tensor-escape
  }
  const torch::Tensor& table() const { return table_; }

 private:
  torch::Tensor table_;
};

struct GateImpl : torch::nn::Module {
  GateImpl(int64_t length, int64_t width) : positions(length, width) {
    gain = register_parameter("gain", torch::ones({width}));
    out = register_module("out", torch::nn::Linear(width, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto tagged = x + gain * positions.table();  // EXPECT: inference-tensor-escape
    return out(tagged.mean(1));
  }
  Positions positions;
  torch::Tensor gain;
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(Gate);

int main() {
  Gate gate(50, 64);
  torch::optim::Adam opt(gate->parameters(), 1e-3);
  for (int i = 0; i < 2000; ++i) {
    auto x = torch::randn({8, 50, 64});
    auto y = torch::randint(0, 2, {8}, torch::kLong);
    opt.zero_grad();
    auto loss = torch::cross_entropy_loss(gate->forward(x), y);
    loss.backward();
    opt.step();
    if (i % 200 == 0) std::cout << loss.item<float>() << "\n";
  }
}
