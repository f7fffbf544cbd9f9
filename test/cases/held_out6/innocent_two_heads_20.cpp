// Two heads on one trunk; each loss is differentiated on its own so that the gradient norms can be compared.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <vector>

struct TwoHeadImpl : torch::nn::Module {
  TwoHeadImpl() {
    trunk = register_module("trunk", torch::nn::GRU(torch::nn::GRUOptions(10, 32).batch_first(true)));
    speech = register_module("speech", torch::nn::Linear(32, 2));
    pitch = register_module("pitch", torch::nn::Linear(32, 1));
  }
  torch::nn::GRU trunk{nullptr};
  torch::nn::Linear speech{nullptr}, pitch{nullptr};
};
TORCH_MODULE(TwoHead);

static double grad_norm(const torch::nn::Module& m) {
  double sum = 0;
  for (const auto& p : m.parameters())
    if (p.grad().defined()) sum += std::pow(p.grad().norm().item<double>(), 2);
  return std::sqrt(sum);
}

int main() {
  TwoHead net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  std::vector<double> share;
  for (int i = 0; i < 3000; ++i) {
    auto x = torch::randn({16, 40, 10});
    auto voiced = torch::randint(0, 2, {16}, torch::kLong);
    auto hertz = torch::rand({16, 1});

    auto last = std::get<0>(net->trunk->forward(x)).select(1, 39);
    auto speech_loss = torch::cross_entropy_loss(net->speech->forward(last), voiced);
    auto pitch_loss = torch::mse_loss(net->pitch->forward(last), hertz);

    opt.zero_grad();
    speech_loss.backward({}, /*retain_graph=*/true);
    const double first = grad_norm(*net->trunk);
    pitch_loss.backward();
    const double both = grad_norm(*net->trunk);
    opt.step();

    share.push_back(first / (both + 1e-12));
    if (i % 200 == 0) std::printf("%d %.4f %.4f share %.2f\n", i, speech_loss.item<double>(), pitch_loss.item<double>(), share.back());
  }
}
