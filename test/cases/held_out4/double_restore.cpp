#include <torch/torch.h>
#include <iostream>
struct NetImpl : torch::nn::Module {
  NetImpl() : a(10, 20), b(20, 3) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::dropout(torch::tanh(a(x)), 0.1, is_training())); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
class Session {
 public:
  Session() : opt_(net_->parameters(), torch::optim::SGDOptions(0.1)) {}
  void set_train(bool on) {
    net_->train(on);
    torch::GradMode::set_enabled(on);
  }
  double run(bool training, int n) {
    set_train(training);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      auto x = torch::randn({64, 10});
      auto loss = torch::nn::functional::cross_entropy(net_->forward(x), x.slice(1, 0, 3).argmax(1));
      if (training) {
        opt_.zero_grad();
        loss.backward();
        opt_.step();
      }
      sum += loss.item<double>();
    }
    return sum / n;
  }
 private:
  Net net_;
  torch::optim::SGD opt_;
};
static double probe(Session& s) {
  const bool prev = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  double v = 0;
  try {
    v = s.run(false, 5);
  } catch (...) {
    torch::GradMode::set_enabled(prev);
    throw;
  }
  torch::GradMode::set_enabled(prev);
  return v;
}
int main() {
  Session s;
  for (int e = 0; e < 10; ++e) {
    auto t = s.run(true, 100);
    auto v = s.run(false, 10);
    std::cout << e << " " << t << " " << v << " " << probe(s) << "\n";
  }
}
