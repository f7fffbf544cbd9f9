// A denoiser whose trainer writes every metric into a book of named series.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

class MeterBook {
 public:
  void log(const std::string& name, torch::Tensor value) {
    series_[name].push_back(std::move(value));  // EXPECT: retained-graph
  }

  double mean(const std::string& name) const {
    const auto& s = series_.at(name);
    return s.empty() ? 0.0 : torch::stack(s).mean().item<double>();
  }

  void print(int epoch) const {
    std::cout << "epoch " << epoch;
    for (const auto& entry : series_) std::cout << "  " << entry.first << " " << mean(entry.first);
    std::cout << "\n";
  }

 private:
  std::map<std::string, std::vector<torch::Tensor>> series_;
};

struct DenoiserImpl : torch::nn::Module {
  DenoiserImpl() {
    enc = register_module("enc", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 3).padding(1)));
    dec = register_module("dec", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 3).padding(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return x - dec(torch::relu(enc(x))); }
  torch::nn::Conv2d enc{nullptr}, dec{nullptr};
};
TORCH_MODULE(Denoiser);

struct NoisyPair {
  torch::Tensor noisy, clean;
};

void fit_denoiser(Denoiser& net, const std::vector<NoisyPair>& pairs, int epochs) {
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(3e-4));
  MeterBook book;
  for (int e = 0; e < epochs; ++e) {
    for (const auto& p : pairs) {
      opt.zero_grad();
      auto rec = net->forward(p.noisy);
      auto loss = torch::l1_loss(rec, p.clean);
      loss.backward();
      opt.step();
      book.log("l1", loss);  // ALSO: retained-graph
      book.log("psnr", -10 * torch::log10(torch::mse_loss(rec.detach(), p.clean)));
    }
    book.print(e);
  }
}

int main() {
  torch::manual_seed(3);
  std::vector<NoisyPair> pairs;
  for (int i = 0; i < 64; ++i) {
    auto clean = torch::rand({4, 1, 32, 32});
    pairs.push_back({clean + 0.1 * torch::randn_like(clean), clean});
  }
  Denoiser net;
  fit_denoiser(net, pairs, 20);
}
