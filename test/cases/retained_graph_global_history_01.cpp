#include <torch/torch.h>
#include <vector>

namespace {
std::vector<torch::Tensor> g_history;

struct Linear1 : torch::nn::Module {
  torch::Tensor w, b;
  Linear1() {
    w = register_parameter("w", torch::randn({5, 1}));
    b = register_parameter("b", torch::zeros({1}));
  }
  torch::Tensor forward(const torch::Tensor& x) { return torch::mm(x, w) + b; }
};

void log_loss(const torch::Tensor& loss) { g_history.push_back(loss); }  // EXPECT: retained-graph
}  // namespace

int main() {
  Linear1 model;
  torch::optim::SGD sgd(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  const auto x = torch::rand({100, 5});
  const auto y = x.sum(1, true);

  int iteration = 0;
  do {
    sgd.zero_grad();
    auto loss = torch::l1_loss(model.forward(x), y);
    loss.backward();
    sgd.step();
    log_loss(loss);
  } while (++iteration < 5000 && g_history.back().item<float>() > 1e-3f);

  std::printf("%d iterations, first loss %f\n", iteration, g_history.front().item<float>());
}
