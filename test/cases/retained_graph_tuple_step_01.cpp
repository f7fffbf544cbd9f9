#include <torch/torch.h>
#include <iostream>
#include <tuple>
#include <vector>

using torch::Tensor;
using Example = torch::data::Example<>;

class Experiment {
 public:
  explicit Experiment(int64_t classes) : net_(28 * 28, classes), opt_(net_->parameters(), 0.01) {}

  std::tuple<Tensor, float> step(const Example& e) {
    auto out = net_(e.data.flatten(1));
    auto loss = torch::cross_entropy_loss(out, e.target);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    return {loss, out.argmax(1).eq(e.target).to(torch::kFloat).mean().item<float>()};
  }

  void run(const std::vector<Example>& examples) {
    std::vector<std::tuple<int, Tensor, float>> history;
    int i = 0;
    for (const auto& e : examples) {
      auto [loss, accuracy] = step(e);
      history.emplace_back(++i, loss, accuracy);  // EXPECT: retained-graph
    }
    for (const auto& [n, loss, accuracy] : history)
      std::cout << n << '\t' << loss.item<float>() << '\t' << accuracy << '\n';
  }

 private:
  torch::nn::Linear net_;
  torch::optim::SGD opt_;
};
