#include <torch/torch.h>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

struct Classifier : torch::nn::Module {
  Classifier() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 5).stride(2)));
    fc = register_module("fc", torch::nn::Linear(16, 10));
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc(torch::relu(conv(x)).mean({2, 3})); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};

// Runs the classifier beside the caller, so that the next frame can be decoded meanwhile.
class BackgroundClassifier {
 public:
  explicit BackgroundClassifier(std::shared_ptr<Classifier> model) : model_(std::move(model)) { model_->eval(); }
  ~BackgroundClassifier() { wait(); }

  std::future<int64_t> classify(torch::Tensor frame) {
    torch::NoGradGuard no_grad;
    wait();
    std::packaged_task<int64_t(torch::Tensor)> task([this](torch::Tensor x) {
      auto scores = torch::log_softmax(model_->forward(x.unsqueeze(0)), 1);
      return scores.argmax(1).item<int64_t>();
    });
    auto result = task.get_future();
    worker_ = std::thread(std::move(task), std::move(frame));
    return result;
  }

 private:
  void wait() {
    if (worker_.joinable()) worker_.join();
  }
  std::shared_ptr<Classifier> model_;
  std::thread worker_;
};

int main() {
  auto model = std::make_shared<Classifier>();
  torch::load(model, "classifier.pt");
  BackgroundClassifier background(model);
  for (int i = 0; i < 100; ++i) std::cout << background.classify(torch::rand({3, 64, 64})).get() << '\n';
}
