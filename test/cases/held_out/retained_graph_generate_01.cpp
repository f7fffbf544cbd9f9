#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <list>
#include <vector>

using torch::Tensor;

struct Sampler : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Sampler() { f = register_module("f", torch::nn::Linear(4, 2)); }
  Tensor forward(Tensor z) { return f(z); }
};

void scatter_plot(Sampler& generator, int points) {
  generator.eval();
  std::list<Tensor> cloud;
  std::generate_n(std::front_inserter(cloud), points,  // EXPECT: retained-graph
                  [&generator] { return generator.forward(torch::randn({1, 4})); });
  for (const auto& p : cloud) std::printf("%f %f\n", p[0][0].item<float>(), p[0][1].item<float>());
}

int main() {
  Sampler s;
  scatter_plot(s, 10000);
}
