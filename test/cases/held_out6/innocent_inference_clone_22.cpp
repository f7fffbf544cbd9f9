// Features come from an InferenceMode scope and are cloned outside of it before they are trained on.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct SpectraImpl : torch::nn::Module {
  SpectraImpl() {
    c = register_module("c", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 40, 32).stride(8)));
    p = register_module("p", torch::nn::Linear(40, 24));
  }
  torch::Tensor forward(torch::Tensor x) { return p(torch::relu(c(x)).mean(2)); }
  torch::nn::Conv1d c{nullptr};
  torch::nn::Linear p{nullptr};
};
TORCH_MODULE(Spectra);

class FeatureBank {
 public:
  explicit FeatureBank(Spectra net) : net_(net) { net_->eval(); }

  torch::Tensor build(const torch::Tensor& waves) {
    std::vector<torch::Tensor> rows;
    for (const auto& w : waves.split(32)) {
      torch::Tensor f;
      {
        c10::InferenceMode guard;
        f = net_->forward(w);
        high_ = std::max(high_, f.max().item<float>());
      }
      rows.push_back(f.clone());
    }
    return torch::cat(rows);
  }

  float high() const { return high_; }

 private:
  Spectra net_;
  float high_ = -1e30f;
};

int main() {
  Spectra net;
  torch::load(net, "spectra.pt");
  FeatureBank bank(net);
  const auto waves = torch::randn({400, 1, 2048});
  const auto features = bank.build(waves);
  const auto target = torch::rand({400, 1});

  torch::nn::Sequential head(torch::nn::Linear(24, 16), torch::nn::ReLU(), torch::nn::Linear(16, 1));
  torch::optim::Adam opt(head->parameters(), 1e-2);
  for (int i = 0; i < 500; ++i) {
    opt.zero_grad();
    auto loss = torch::mse_loss(head->forward(features), target);
    loss.backward();
    opt.step();
    if (i % 50 == 0) std::cout << loss.item<float>() << " (max feature " << bank.high() << ")\n";
  }
}
