#include <torch/torch.h>
#include <vector>

struct Clip {
  torch::Tensor audio, label;
};

class Tagger : public torch::nn::Module {
 public:
  Tagger() {
    conv_ = register_module("conv", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 8, 64).stride(16)));
    fc_ = register_module("fc", torch::nn::Linear(8, 4));
  }
  torch::Tensor forward(torch::Tensor x) { return fc_(torch::relu(conv_(x)).mean(-1)); }

 private:
  torch::nn::Conv1d conv_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

// The card holds two clips at a time; eight make one update.
void train(Tagger& net, torch::optim::Optimizer& optimizer, const std::vector<Clip>& clips) {
  const int window = 4;
  int pending = 0;
  optimizer.zero_grad();
  for (const Clip& clip : clips) {
    auto loss = torch::cross_entropy_loss(net.forward(clip.audio), clip.label);
    loss.backward();  // EXPECT: unscaled-accumulation
    if (++pending == window) {
      optimizer.step();
      optimizer.zero_grad();
      pending = 0;
    }
  }
}
