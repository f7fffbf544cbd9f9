#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Detector : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Detector() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 6, 3).padding(1))); }
  Tensor forward(Tensor x) { return c(x); }
};

namespace {
Tensor raw(Detector& d, const Tensor& image) { return d.forward(image.unsqueeze(0)); }

std::vector<float> boxes(Detector& d, const Tensor& image) {
  auto out = torch::sigmoid(raw(d, image)).amax({2, 3}).flatten();
  return {out.data_ptr<float>(), out.data_ptr<float>() + out.numel()};
}

class Evaluator {
 public:
  explicit Evaluator(Detector& d) : detector_(d) { detector_.eval(); }
  void add(const Tensor& image) {
    kept_.push_back(raw(detector_, image));
    for (float b : boxes(detector_, image)) sum_ += b;
  }
  float result() const { return sum_ / kept_.size(); }

 private:
  Detector& detector_;
  std::vector<Tensor> kept_;
  float sum_ = 0;
};
}  // namespace

int main() {
  torch::NoGradGuard no_grad;
  Detector d;
  Evaluator e(d);
  for (int i = 0; i < 100; ++i) e.add(torch::rand({3, 32, 32}));
  std::cout << e.result() << '\n';
}
