#include <torch/torch.h>
#include <memory>
#include <vector>

using torch::Tensor;

struct Member : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Member() { f = register_module("f", torch::nn::Linear(7, 2)); }
  Tensor forward(Tensor x) { return f(x); }
};

class Ensemble : public torch::nn::Module {
 public:
  explicit Ensemble(int n) {
    for (int i = 0; i < n; ++i) members_.push_back(register_module("m" + std::to_string(i), std::make_shared<Member>()));
  }
  Tensor forward(const Tensor& x) {
    std::vector<Tensor> outs;
    outs.reserve(members_.size());
    std::transform(members_.begin(), members_.end(), std::back_inserter(outs), [&](auto& m) { return m->forward(x); });
    return torch::stack(outs);
  }
  Tensor diversity(const Tensor& x) {
    Tensor sum;
    for (const auto& m : members_) sum = sum.defined() ? sum + m->forward(x) : m->forward(x);
    auto best = members_.front()->forward(x);
    for (const auto& m : members_) best = torch::maximum(best, m->forward(x));
    return (best - sum / static_cast<double>(members_.size())).mean();
  }

 private:
  std::vector<std::shared_ptr<Member>> members_;
};

void train(Ensemble& e, torch::optim::Optimizer& opt, const Tensor& x, const Tensor& y, int steps) {
  for (int i = 0; i < steps; ++i) {
    auto loss = torch::mse_loss(e.forward(x).mean(0), y) - 0.01 * e.diversity(x);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
