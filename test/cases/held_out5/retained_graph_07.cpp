#include <torch/torch.h>
#include <fstream>
#include <memory>

struct DepthNetImpl : torch::nn::Module {
  DepthNetImpl() {
    enc = register_module("enc", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).padding(1)));
    norm = register_module("norm", torch::nn::BatchNorm2d(32));
    dec = register_module("dec", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 3).padding(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return dec(torch::relu(norm(enc(x)))); }
  torch::nn::Conv2d enc{nullptr}, dec{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
};
TORCH_MODULE(DepthNet);

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  DepthNet net;
  torch::load(net, argv[1]);
  net->eval();

  torch::Tensor frames;
  torch::load(frames, argv[2]);
  const int64_t n = frames.size(0), chunk = 8;
  auto depth = torch::empty({n, 1, frames.size(2), frames.size(3)});
  for (int64_t i = 0; i < n; i += chunk) {
    const int64_t end = std::min(i + chunk, n);
    auto out = net->forward(frames.slice(0, i, end));
    depth.slice(0, i, end).copy_(out);
  }

  std::ofstream report(argv[3]);
  for (int64_t i = 0; i < n; ++i)
    report << i << ' ' << depth[i].min().item<float>() << ' ' << depth[i].max().item<float>() << '\n';
}
