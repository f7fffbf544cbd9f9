#include <torch/torch.h>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(40, 4)); }
  torch::Tensor forward(torch::Tensor x) { return f(x); }
};

void train(Net& net, const std::vector<Batch>& batches, int epochs, unsigned accumulate) {
  torch::optim::AdamW opt(net.parameters(), torch::optim::AdamWOptions(3e-4).weight_decay(0.1));
  unsigned long iteration = 0;
  for (int e = 0; e < epochs; e++) {
    for (const Batch& b : batches) {
      if (iteration % accumulate == 0) opt.zero_grad();
      auto loss = torch::kl_div(torch::log_softmax(net.forward(b.x), 1), b.y, torch::Reduction::Mean);
      loss.backward();  // EXPECT: unscaled-accumulation
      iteration++;
      if (iteration % accumulate == 0) opt.step();
    }
  }
}
