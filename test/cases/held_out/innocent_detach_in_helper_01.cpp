#include <torch/torch.h>
#include <iostream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

using torch::Tensor;

class Board {
 public:
  void log(const std::string& name, const Tensor& value) { series_[name].push_back(plain(value)); }
  void log_in_place(const std::string& name, Tensor value) {
    value.detach_();
    series_[name].emplace_back(std::move(value));
  }
  void add(const Tensor& value) { sum_ = sum_ ? *sum_ + plain(value) : plain(value); }
  double total() const { return sum_->item<double>(); }

 private:
  static Tensor plain(const Tensor& t) { return t.detach().to(torch::kCPU); }
  std::unordered_map<std::string, std::vector<Tensor>> series_;
  std::optional<Tensor> sum_;
};

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(2, 2)); }
  Tensor forward(Tensor x) { return f(x); }
};

double train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs) {
  Board board;
  for (const auto& x : xs) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(x), x);
    loss.backward();
    opt.step();
    board.log("loss", loss);
    board.add(loss);
    loss = loss.detach();
    board.log_in_place("loss2", loss * 2);
    board.log_in_place("raw", loss);
  }
  return board.total();
}
