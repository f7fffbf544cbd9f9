#include <torch/torch.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;

// Losses and layers behind type-erased modules.
class Zoo {
 public:
  void add(const std::string& name, torch::nn::AnyModule m) {
    for (const auto& p : m.ptr()->parameters()) parameters_.push_back(p);
    modules_.emplace(name, std::move(m));
  }

  double train(const std::string& name, const std::vector<std::pair<Tensor, Tensor>>& data, int window) {
    torch::optim::SGD opt(parameters_, 0.1);
    auto& m = modules_.at(name);
    double sum = 0;
    int n = 0;
    const auto scale = [window](const Tensor& loss) { return loss / window; };
    for (const auto& [x, y] : data) {
      auto loss = torch::mse_loss(m.forward(x), y);
      scale(loss).backward();
      sum += loss.item<double>();
      if (++n % window) continue;
      opt.step();
      opt.zero_grad();
    }
    return sum;
  }

  double test(const std::string& name, const std::vector<std::pair<Tensor, Tensor>>& data) {
    const std::function<double(const Tensor&, const Tensor&)> error = [&](const Tensor& x, const Tensor& y) {
      return torch::mse_loss(modules_.at(name).forward(x), y).item<double>();
    };
    torch::NoGradGuard no_grad;
    double sum = 0;
    for (const auto& [x, y] : data) sum += error(x, y);
    return sum;
  }

 private:
  std::map<std::string, torch::nn::AnyModule> modules_;
  std::vector<Tensor> parameters_;
};

int main() {
  Zoo zoo;
  zoo.add("linear", torch::nn::AnyModule(torch::nn::Linear(3, 1)));
  std::vector<std::pair<Tensor, Tensor>> data(16, {torch::rand({2, 3}), torch::rand({2, 1})});
  return zoo.train("linear", data, 4) < zoo.test("linear", data);
}
