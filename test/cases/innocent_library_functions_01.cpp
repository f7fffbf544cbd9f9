#include <torch/torch.h>
#include <memory>
#include <utility>
#include <vector>

using torch::Tensor;

struct Backbone : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Backbone() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3))); }
  Tensor forward(Tensor x) { return torch::relu(c(x)); }
};

// Building blocks of a library: what the callers do with the results is theirs to know.
Tensor pooled(Backbone& net, const Tensor& x) { return net.forward(x).mean({2, 3}); }

void pooled_into(Backbone& net, const Tensor& x, Tensor& out) { out = net.forward(x).amax({2, 3}); }

std::pair<Tensor, Tensor> two_views(Backbone& net, const Tensor& x) {
  auto a = net.forward(x);
  auto b = net.forward(x.flip(3));
  return {a.flatten(1), b.flatten(1)};
}

class Model {
 public:
  explicit Model(std::shared_ptr<Backbone> b) : backbone_(std::move(b)) {}
  Tensor operator()(const Tensor& x) {
    last_ = backbone_->forward(x);
    return head_(last_.mean({2, 3}));
  }
  const Tensor& last() const { return last_; }
  Tensor loss(const Tensor& x, const Tensor& y) { return torch::cross_entropy_loss((*this)(x), y); }

 private:
  std::shared_ptr<Backbone> backbone_;
  torch::nn::Linear head_{8, 10};
  Tensor last_;
};
