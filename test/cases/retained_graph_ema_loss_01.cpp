#include <torch/torch.h>
#include <cstdio>
#include <vector>

struct Sample {
  torch::Tensor image, label;
};

class ConvNet : public torch::nn::Module {
 public:
  ConvNet() {
    register_module("conv", conv);
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv(x)), 2);
    return fc(x.flatten(1));
  }

 private:
  torch::nn::Conv2d conv{torch::nn::Conv2dOptions(1, 4, 3).padding(1)};
  torch::nn::Linear fc{4 * 14 * 14, 10};
};

void fit(ConvNet& net, torch::optim::Optimizer& optimizer, const std::vector<Sample>& samples) {
  torch::Tensor smoothed;
  size_t i = 0;
  while (i < samples.size()) {
    const Sample& s = samples[i++];
    optimizer.zero_grad();
    torch::Tensor loss = torch::nn::functional::cross_entropy(net.forward(s.image), s.label);
    loss.backward();
    optimizer.step();
    if (!smoothed.defined())
      smoothed = loss.detach();
    else
      smoothed = 0.98 * smoothed + 0.02 * loss;  // EXPECT: retained-graph
    if (i % 100 == 0) std::printf("%zu: %.4f\n", i, smoothed.item<double>());
  }
}
