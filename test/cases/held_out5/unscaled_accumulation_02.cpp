#include <torch/torch.h>
#include <iostream>

namespace F = torch::nn::functional;

struct SegNetImpl : torch::nn::Module {
  SegNetImpl() {
    net = register_module(
        "net", torch::nn::Sequential(torch::nn::Conv3d(torch::nn::Conv3dOptions(1, 16, 3).padding(1)),
                                     torch::nn::InstanceNorm3d(16), torch::nn::LeakyReLU(),
                                     torch::nn::Conv3d(torch::nn::Conv3dOptions(16, 4, 1))));
  }
  torch::Tensor forward(const torch::Tensor& volume) { return net->forward(volume); }
  torch::nn::Sequential net{nullptr};
};
TORCH_MODULE(SegNet);

// A whole batch of volumes does not fit, so it is processed in four shards before the optimizer moves.
double train_batch(SegNet& net, torch::optim::Optimizer& opt, const torch::Tensor& volumes, const torch::Tensor& labels) {
  constexpr int64_t kShards = 4;
  auto xs = volumes.chunk(kShards);
  auto ys = labels.chunk(kShards);
  double reported = 0;
  opt.zero_grad();
  for (size_t s = 0; s < xs.size(); ++s) {
    auto loss = F::cross_entropy(net->forward(xs[s]), ys[s]);
    reported += loss.item<double>() / xs.size();
    loss.backward();
  }
  opt.step();
  return reported;
}

int main() {
  SegNet net;
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.99).nesterov(true));
  torch::optim::StepLR schedule(opt, 50, 0.5);
  for (int epoch = 0; epoch < 300; ++epoch) {
    double loss = 0;
    for (int i = 0; i < 250; ++i)
      loss = train_batch(net, opt, torch::rand({8, 1, 32, 32, 32}), torch::randint(4, {8, 32, 32, 32}, torch::kLong));
    schedule.step();
    std::cout << epoch << ' ' << loss << '\n';
  }
}
