#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <vector>

using torch::Tensor;
using torch::indexing::Slice;

struct Encoder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Encoder() { f = register_module("f", torch::nn::Linear(32, 8)); }
  Tensor forward(Tensor x) { return torch::tanh(f(x)); }
};

struct Bank {
  Tensor slots = torch::zeros({1024, 8});
  int64_t next = 0;

  // A queue of keys as in momentum contrast: written without history.
  void enqueue(const Tensor& keys) {
    const int64_t n = keys.size(0);
    slots.index_put_({Slice(next, next + n)}, keys.detach());
    slots.slice(0, next, next + n).copy_(keys.data());
    next = (next + n) % slots.size(0);
  }
};

void train(Encoder& query, Encoder& key, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs, Bank& bank) {
  for (const auto& x : xs) {
    auto q = query.forward(x);
    Tensor k;
    {
      torch::NoGradGuard no_grad;
      k = key.forward(x);
    }
    auto logits = torch::cat({(q * k).sum(1, true), q.mm(bank.slots.clone().t())}, 1);
    auto loss = torch::cross_entropy_loss(logits, torch::zeros({x.size(0)}, torch::kLong));
    opt.zero_grad();
    loss.backward();
    opt.step();
    bank.enqueue(k);
  }
}

std::vector<Tensor> embed(Encoder& e, const std::vector<Tensor>& xs) {
  torch::NoGradGuard no_grad;
  std::vector<Tensor> out;
  std::transform(xs.begin(), xs.end(), std::back_inserter(out), [&](const Tensor& x) { return e.forward(x); });
  return out;
}
