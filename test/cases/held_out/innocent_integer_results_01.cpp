#include <torch/torch.h>
#include <map>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(16, 6)); }
  Tensor forward(Tensor x) { return f(x); }
};

struct Tally {
  std::vector<Tensor> kept;
  std::map<int, Tensor> by_step;
  Tensor hits = torch::zeros({6});
  Tensor sum = torch::zeros({});
  Tensor marks = torch::zeros({4096}, torch::kBool);
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data, Tally& tally) {
  int step = 0;
  for (const auto& [x, y] : data) {
    auto out = net.forward(x);
    auto loss = torch::cross_entropy_loss(out, y);
    opt.zero_grad();
    loss.backward();
    opt.step();

    tally.kept.push_back((out * 100).round().to(torch::kInt32));
    tally.kept.push_back(std::get<0>(out.sort(1, true)).isnan());
    tally.kept.push_back(std::get<1>(out.sort(1)));
    tally.by_step[step] = torch::nonzero(out > 0);
    tally.hits += torch::one_hot(out.argmax(1), 6).sum(0);
    tally.sum = tally.sum + out.ge(0.5).to(torch::kFloat).mean();
    tally.marks[step % 4096] = torch::isfinite(loss).all();
    ++step;
  }
}
