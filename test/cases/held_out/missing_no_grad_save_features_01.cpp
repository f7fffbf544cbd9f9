#include <torch/torch.h>
#include <filesystem>
#include <string>
#include <vector>

struct TrunkImpl : torch::nn::Module {
  TrunkImpl() {
    stem = register_module("stem", torch::nn::Conv3d(torch::nn::Conv3dOptions(1, 4, 3)));
    norm = register_module("norm", torch::nn::GroupNorm(2, 4));
  }
  torch::Tensor forward(torch::Tensor v) { return torch::gelu(norm(stem(v))).mean({2, 3, 4}); }
  torch::nn::Conv3d stem{nullptr};
  torch::nn::GroupNorm norm{nullptr};
};
TORCH_MODULE(Trunk);

// Writes one feature file per scan, to train a small head on them later.
int main(int argc, char** argv) {
  Trunk trunk;
  torch::load(trunk, "trunk.pt");
  trunk->eval();
  for (int i = 1; i < argc; ++i) {
    torch::Tensor scan;
    torch::load(scan, argv[i]);
    auto features = trunk(scan.unsqueeze(0));  // EXPECT: missing-no-grad
    torch::save(features, std::string(argv[i]) + ".features");
    std::cout << argv[i] << ' ' << features.sizes() << '\n';
  }
}
