#include <torch/torch.h>
#include <iostream>
#include <string>
#include <vector>

struct LogEntry {
  int step;
  std::string phase;
  torch::Tensor loss;
};

struct Lm : torch::nn::Module {
  torch::nn::Embedding emb{nullptr};
  torch::nn::Linear out{nullptr};
  Lm(int64_t vocabulary, int64_t width) {
    emb = register_module("emb", torch::nn::Embedding(vocabulary, width));
    out = register_module("out", torch::nn::Linear(width, vocabulary));
  }
  torch::Tensor forward(torch::Tensor ids) { return out(emb(ids)); }
};

void pretrain(Lm& lm, torch::optim::AdamW& opt, torch::Tensor corpus, int steps, int64_t vocabulary) {
  std::vector<LogEntry> log;
  for (int s = 0; s < steps; s++) {
    auto ids = corpus.narrow(0, s * 64, 65);
    auto logits = lm.forward(ids.slice(0, 0, 64));
    auto loss = torch::cross_entropy_loss(logits.view({-1, vocabulary}), ids.slice(0, 1, 65));
    opt.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(lm.parameters(), 1.0);
    opt.step();
    log.push_back({s, "pretrain", loss});  // EXPECT: retained-graph
  }
  for (auto& e : log) std::cout << e.step << ' ' << e.phase << ' ' << e.loss.item<double>() << '\n';
}
