// A big batch is cut into chunks so that it fits; one step per big batch.
#include <torch/torch.h>

#include <algorithm>
#include <iostream>
#include <vector>

struct SegNetImpl : torch::nn::Module {
  explicit SegNetImpl(int64_t classes) {
    down = register_module("down", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).stride(2).padding(1)));
    mid = register_module("mid", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 16, 3).padding(1)));
    out = register_module("out", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, classes, 1)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = torch::relu(mid(torch::relu(down(x))));
    return torch::upsample_bilinear2d(out(y), {x.size(2), x.size(3)}, false);
  }
  torch::nn::Conv2d down{nullptr}, mid{nullptr}, out{nullptr};
};
TORCH_MODULE(SegNet);

struct Scene {
  torch::Tensor image, mask;
};

class SegTrainer {
 public:
  SegTrainer(SegNet net, int64_t chunk) : net_(net), opt_(net_->parameters(), 1e-3), chunk_(chunk) {}

  double big_step(const torch::Tensor& images, const torch::Tensor& masks) {
    opt_.zero_grad();
    double sum = 0;
    const auto xs = images.split(chunk_), ys = masks.split(chunk_);
    for (size_t i = 0; i < xs.size(); ++i) {
      auto logits = net_->forward(xs[i]);
      auto loss = torch::nn::functional::cross_entropy(logits, ys[i]);
      sum += loss.item<double>();
      loss.backward();  // EXPECT: unscaled-accumulation
    }
    opt_.step();
    return sum / static_cast<double>(xs.size());
  }

 private:
  SegNet net_;
  torch::optim::Adam opt_;
  int64_t chunk_;
};

int main() {
  SegNet net(5);
  SegTrainer trainer(net, 8);
  for (int i = 0; i < 1000; ++i) {
    auto images = torch::rand({64, 3, 64, 64});
    auto masks = torch::randint(0, 5, {64, 64, 64}, torch::kLong);
    std::cout << trainer.big_step(images, masks) << "\n";
  }
}
