#include <torch/torch.h>
#include <vector>

struct Flow : torch::nn::Module {
  torch::Tensor scale, shift;
  Flow() {
    scale = register_parameter("scale", torch::zeros({2}));
    shift = register_parameter("shift", torch::zeros({2}));
  }
  torch::Tensor log_prob(torch::Tensor x) {
    auto z = (x - shift) * torch::exp(-scale);
    return -0.5 * z.square().sum(1) - scale.sum();
  }
};

int main() {
  Flow flow;
  torch::optim::Adam opt(flow.parameters(), 1e-2);
  constexpr int kSteps = 20000;
  std::vector<torch::Tensor> nll(kSteps);
  for (int i = 0; i < kSteps; ++i) {
    auto loss = -flow.log_prob(torch::randn({256, 2}) * 3 + 1).mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
    nll[i] = loss;  // EXPECT: retained-graph
  }
  for (int i = 0; i < kSteps; i += 1000) std::printf("%d %.4f\n", i, nll[i].item<float>());
}
