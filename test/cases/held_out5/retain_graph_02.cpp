#include <torch/torch.h>
#include <iostream>
#include <memory>

struct SuperResolutionImpl : torch::nn::Module {
  SuperResolutionImpl() {
    feat = register_module("feat", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 64, 5).padding(2)));
    up = register_module("up", torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 4, 3).padding(1)));
    shuffle = register_module("shuffle", torch::nn::PixelShuffle(2));
  }
  torch::Tensor forward(const torch::Tensor& x) { return shuffle(up(torch::relu(feat(x)))); }
  torch::nn::Conv2d feat{nullptr}, up{nullptr};
  torch::nn::PixelShuffle shuffle{nullptr};
};
TORCH_MODULE(SuperResolution);

class Session {
 public:
  explicit Session(SuperResolution net) : net_(std::move(net)), opt_(net_->parameters(), 1e-3) {}

  void step(const torch::Tensor& low, const torch::Tensor& high) {
    opt_.zero_grad();
    preview_ = net_->forward(low);
    auto loss = torch::l1_loss(preview_, high);
    loss.backward(/*gradient=*/{}, /*retain_graph=*/true);
    opt_.step();
    loss_ = loss.item<float>();
  }

  float loss() const { return loss_; }
  // First upscaled image of the last batch, for the preview window.
  torch::Tensor preview() const { return preview_[0].detach().clamp(0, 1); }

 private:
  SuperResolution net_;
  torch::optim::Adam opt_;
  torch::Tensor preview_;
  float loss_ = 0;
};

int main() {
  Session session{SuperResolution()};
  for (int i = 0; i < 20000; ++i) {
    auto high = torch::rand({16, 1, 64, 64});
    session.step(torch::avg_pool2d(high, 2), high);
    if (i % 100 == 0) {
      std::cout << i << ' ' << session.loss() << '\n';
      torch::save(session.preview(), "preview.pt");
    }
  }
}
