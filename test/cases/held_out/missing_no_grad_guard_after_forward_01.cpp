#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Mos : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Mos() { f = register_module("f", torch::nn::Linear(257, 1)); }
  torch::Tensor forward(torch::Tensor x) { return f(x).mean(); }
};

// Speech quality of a folder of recordings.
void rate(Mos& net, const std::vector<torch::Tensor>& spectra) {
  net.eval();
  for (const auto& s : spectra) {
    auto y = net.forward(s.log1p());  // EXPECT: missing-no-grad
    torch::NoGradGuard no_grad;
    const float mos = (y.clamp(0, 1) * 4 + 1).item<float>();
    std::cout << std::string(static_cast<size_t>(mos), '*') << ' ' << mos << '\n';
  }
}

int main() {
  Mos net;
  rate(net, {torch::rand({100, 257}), torch::rand({50, 257})});
}
