#include <torch/torch.h>
#include <iostream>

struct TinyYoloImpl : torch::nn::Module {
  explicit TinyYoloImpl(int64_t out) {
    features = register_module("features", torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).stride(2).padding(1)), torch::nn::SiLU(),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).stride(2).padding(1)), torch::nn::SiLU(),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3).stride(2).padding(1)), torch::nn::SiLU()));
    head = register_module("head", torch::nn::Conv2d(torch::nn::Conv2dOptions(64, out, 1)));
  }
  torch::Tensor forward(torch::Tensor x) { return head->forward(features->forward(x)); }
  torch::nn::Sequential features{nullptr};
  torch::nn::Conv2d head{nullptr};
};
TORCH_MODULE(TinyYolo);

static torch::Tensor detection_loss(const torch::Tensor& pred, const torch::Tensor& target) {
  auto box = torch::smooth_l1_loss(pred.slice(1, 0, 4), target.slice(1, 0, 4));
  auto obj = torch::binary_cross_entropy_with_logits(pred.slice(1, 4, 5), target.slice(1, 4, 5).clamp(0, 1));
  return 5.0 * box + obj;
}

int main() {
  const int64_t nominal = 64, batch = 16;
  const int64_t accumulate = std::max<int64_t>(nominal / batch, 1);
  TinyYolo model(5);
  model->train();
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(1e-2).momentum(0.937).nesterov(true));
  int64_t ni = 0;
  optimizer.zero_grad();
  for (int epoch = 0; epoch < 100; ++epoch) {
    double mean_loss = 0;
    const int64_t nb = 200;
    for (int64_t i = 0; i < nb; ++i, ++ni) {
      auto images = torch::rand({batch, 3, 128, 128});
      auto targets = torch::rand({batch, 5, 16, 16});
      auto pred = model->forward(images);
      auto loss = detection_loss(pred, targets);
      loss.backward();
      if ((ni + 1) % accumulate == 0) {
        optimizer.step();
        optimizer.zero_grad();
      }
      mean_loss = (mean_loss * i + loss.item<double>()) / (i + 1);
    }
    std::cout << "epoch " << epoch << " loss " << mean_loss << "\n";
    if (epoch % 10 == 9) torch::save(model, "yolo.pt");
  }
}
