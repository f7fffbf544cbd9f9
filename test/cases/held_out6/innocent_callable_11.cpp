// Everything that must not record goes through quietly(); the forward calls stand in the lambdas.
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <utility>
#include <vector>

template <typename F>
auto quietly(torch::nn::Module& m, F&& body) {
  const bool was_training = m.is_training();
  m.eval();
  torch::NoGradGuard no_grad;
  auto result = std::forward<F>(body)();
  m.train(was_training);
  return result;
}

struct RankerImpl : torch::nn::Module {
  RankerImpl() {
    user = register_module("user", torch::nn::Embedding(1000, 32));
    item = register_module("item", torch::nn::Embedding(5000, 32));
  }
  torch::Tensor forward(torch::Tensor u, torch::Tensor i) { return (user(u) * item(i)).sum(-1); }
  torch::nn::Embedding user{nullptr}, item{nullptr};
};
TORCH_MODULE(Ranker);

struct Feedback {
  torch::Tensor users, items, clicked;
};

double hit_rate(Ranker& ranker, const std::vector<Feedback>& held) {
  return quietly(*ranker, [&] {
    double hits = 0;
    std::vector<torch::Tensor> scores;
    for (const auto& f : held) {
      auto s = ranker->forward(f.users, f.items);
      scores.push_back(s);
      hits += s.gt(0).eq(f.clicked.gt(0.5)).to(torch::kFloat).mean().item<double>();
    }
    std::cout << "spread " << torch::cat(scores).std().item<float>() << "\n";
    return hits / static_cast<double>(held.size());
  });
}

Feedback draw(int64_t n) {
  return {torch::randint(0, 1000, {n}, torch::kLong), torch::randint(0, 5000, {n}, torch::kLong), torch::rand(n).round()};
}

int main() {
  Ranker ranker;
  torch::optim::Adagrad opt(ranker->parameters(), torch::optim::AdagradOptions(0.05));
  std::vector<Feedback> held;
  for (int i = 0; i < 20; ++i) held.push_back(draw(512));
  for (int step = 0; step < 5000; ++step) {
    const auto f = draw(256);
    opt.zero_grad();
    auto loss = torch::binary_cross_entropy_with_logits(ranker->forward(f.users, f.items), f.clicked);
    loss.backward();
    opt.step();
    if (step % 500 == 0) std::cout << step << " " << hit_rate(ranker, held) << "\n";
  }
}
