#include <torch/script.h>
#include <torch/torch.h>
#include <string>
#include <vector>

struct Item {
  torch::Tensor image, label;
};

void clear_gradients(torch::jit::Module& m) {
  for (const auto& p : m.parameters())
    if (p.grad().defined()) p.grad().zero_();
}

void fine_tune(const std::string& path, const std::vector<Item>& items, unsigned window) {
  auto module = torch::jit::load(path);
  module.train();
  std::vector<at::Tensor> weights;
  for (const auto& p : module.parameters()) weights.push_back(p);
  torch::optim::SGD sgd(weights, torch::optim::SGDOptions(1e-3).momentum(0.9));

  clear_gradients(module);
  unsigned count = 0;
  for (const auto& item : items) {
    auto out = module.forward({item.image}).toTensor();
    auto loss = torch::nll_loss(torch::log_softmax(out, 1), item.label);
    loss.backward();  // EXPECT: unscaled-accumulation
    count++;
    if (count < window) continue;
    sgd.step();
    clear_gradients(module);
    count = 0;
  }
  module.save(path + ".tuned");
}
