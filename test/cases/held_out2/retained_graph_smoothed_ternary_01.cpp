#include <torch/torch.h>
#include <iostream>

class Monitor {
 public:
  explicit Monitor(float momentum) : momentum_(momentum) {}
  void observe(const torch::Tensor& value) {
    smooth_ = seen_++ == 0 ? value : momentum_ * smooth_ + (1.f - momentum_) * value;  // EXPECT: retained-graph
  }
  float current() const { return smooth_.item<float>(); }
  long seen() const { return seen_; }

 private:
  torch::Tensor smooth_;
  float momentum_;
  long seen_ = 0;
};

int main() {
  torch::manual_seed(0);
  auto encoder = torch::nn::Sequential(torch::nn::Linear(64, 8), torch::nn::Sigmoid());
  auto decoder = torch::nn::Sequential(torch::nn::Linear(8, 64));
  std::vector<torch::Tensor> params = encoder->parameters();
  for (auto& p : decoder->parameters()) params.push_back(p);
  torch::optim::Adam optimizer(params, torch::optim::AdamOptions(3e-4));
  Monitor monitor(0.98f);
  do {
    auto x = torch::rand({128, 64});
    auto reconstruction = decoder->forward(encoder->forward(x));
    auto loss = (reconstruction - x).square().mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    monitor.observe(loss);
    if (monitor.seen() % 1000 == 0) std::cout << monitor.current() << '\n';
  } while (monitor.seen() < 100000);
}
