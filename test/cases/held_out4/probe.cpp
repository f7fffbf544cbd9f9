#include <torch/torch.h>
#include <iostream>
#include <memory>

struct Extractor : torch::nn::Module {
  Extractor() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3)));
    fc = register_module("fc", torch::nn::Linear(16, 32));
  }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(torch::relu(conv->forward(x)).mean({2, 3})); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};

struct Head : torch::nn::Module {
  explicit Head(int64_t classes) {
    fc1 = register_module("fc1", torch::nn::Linear(32, 32));
    fc2 = register_module("fc2", torch::nn::Linear(32, classes));
  }
  torch::Tensor forward(torch::Tensor x) { return fc2->forward(torch::relu(fc1->forward(x))); }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};

class LinearProbe {
 public:
  LinearProbe(std::shared_ptr<Extractor> extractor, int64_t classes)
      : extractor_(std::move(extractor)), head_(std::make_shared<Head>(classes)),
        optimizer_(head_->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9)) {
    extractor_->eval();
  }

  torch::Tensor logits(const torch::Tensor& images) {
    torch::NoGradGuard no_grad;
    auto f = extractor_->forward(images);
    return head_->forward(f);
  }

  double fit(const torch::Tensor& images, const torch::Tensor& labels, int epochs) {
    double last = 0;
    for (int e = 0; e < epochs; ++e) {
      for (int64_t i = 0; i + 32 <= images.size(0); i += 32) {
        auto out = logits(images.slice(0, i, i + 32));
        auto loss = torch::nn::functional::cross_entropy(out, labels.slice(0, i, i + 32));
        optimizer_.zero_grad();
        loss.backward();
        optimizer_.step();
        last = loss.item<double>();
      }
    }
    return last;
  }

  double score(const torch::Tensor& images, const torch::Tensor& labels) {
    return logits(images).argmax(1).eq(labels).to(torch::kFloat).mean().item<double>();
  }

 private:
  std::shared_ptr<Extractor> extractor_;
  std::shared_ptr<Head> head_;
  torch::optim::SGD optimizer_;
};

int main() {
  auto extractor = std::make_shared<Extractor>();
  torch::load(extractor, "extractor.pt");
  LinearProbe probe(extractor, 10);
  auto x = torch::rand({1024, 3, 32, 32});
  auto y = torch::randint(10, {1024}, torch::kLong);
  std::cout << "loss " << probe.fit(x, y, 5) << "\n";
  std::cout << "acc " << probe.score(x, y) << "\n";
}
