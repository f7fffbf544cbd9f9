#include <torch/torch.h>
#include <cstddef>
#include <utility>

template <typename Net, typename Loss>
class AccumulatingTrainer {
 public:
  AccumulatingTrainer(Net net, Loss loss, std::size_t steps)
      : net_(std::move(net)), loss_(std::move(loss)), steps_(steps), opt_(net_->parameters(), 1e-3) {}

  template <typename Loader>
  void epoch(Loader& loader) {
    std::size_t n = 0;
    for (auto& batch : loader) {
      auto value = loss_(net_->forward(batch.data.flatten(1)), batch.target);
      value.backward();  // EXPECT: unscaled-accumulation
      n += 1;
      if (n % steps_ != 0) continue;
      opt_.step();
      opt_.zero_grad();
    }
  }

 private:
  Net net_;
  Loss loss_;
  std::size_t steps_;
  torch::optim::Adam opt_;
};

int main() {
  auto set = torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(std::move(set), 16);
  AccumulatingTrainer trainer(torch::nn::Linear(784, 10), torch::nn::CrossEntropyLoss(), 4);
  for (int e = 0; e < 5; ++e) trainer.epoch(*loader);
}
