#include <torch/torch.h>
#include <iostream>
class Optim {
 public:
  virtual ~Optim() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};
class Noam : public Optim {
 public:
  Noam(std::vector<torch::Tensor> p, int64_t d, int64_t warm) : adam_(std::move(p), torch::optim::AdamOptions(0).betas(std::make_tuple(0.9, 0.98))), d_(d), warm_(warm) {}
  void begin() override { adam_.zero_grad(); }
  void end() override {
    ++step_;
    double lr = std::pow(d_, -0.5) * std::min(std::pow(step_, -0.5), step_ * std::pow(warm_, -1.5));
    for (auto& g : adam_.param_groups()) static_cast<torch::optim::AdamOptions&>(g.options()).lr(lr);
    adam_.step();
  }
 private:
  torch::optim::Adam adam_;
  double d_, warm_, step_ = 0;
};
int main() {
  torch::nn::TransformerEncoder enc(torch::nn::TransformerEncoderOptions(torch::nn::TransformerEncoderLayerOptions(64, 4), 2));
  torch::nn::Linear head(64, 10);
  auto params = enc->parameters();
  auto hp = head->parameters();
  params.insert(params.end(), hp.begin(), hp.end());
  std::unique_ptr<Optim> opt = std::make_unique<Noam>(params, 64, 400);
  const int micro = 4;
  for (int step = 0; step < 1000; ++step) {
    opt->begin();
    double shown = 0;
    for (int m = 0; m < micro; ++m) {
      auto x = torch::randn({16, 8, 64});
      auto y = torch::randint(10, {8}, torch::kLong);
      auto loss = torch::nn::functional::cross_entropy(head(enc(x).mean(0)), y);
      loss.backward(torch::full({}, 1.0 / micro));
      shown += loss.item<double>() / micro;
    }
    opt->end();
    if (step % 100 == 0) std::cout << step << " " << shown << "\n";
  }
}
