#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct CharRnn : torch::nn::Module {
  torch::nn::Embedding emb{nullptr};
  torch::nn::GRUCell cell{nullptr};
  torch::nn::Linear out{nullptr};
  CharRnn() {
    emb = register_module("emb", torch::nn::Embedding(96, 32));
    cell = register_module("cell", torch::nn::GRUCell(32, 64));
    out = register_module("out", torch::nn::Linear(64, 96));
  }
};

void train(CharRnn& net, torch::optim::Optimizer& opt, const Tensor& text, int64_t window) {
  Tensor h = torch::zeros({1, 64});
  Tensor loss = torch::zeros({});
  for (int64_t t = 0; t + 1 < text.size(0); ++t) {
    h = net.cell->forward(net.emb->forward(text[t].view({1})), h);
    loss = loss + torch::cross_entropy_loss(net.out->forward(h), text[t + 1].view({1}));
    if ((t + 1) % window == 0) {
      opt.zero_grad();
      (loss / static_cast<double>(window)).backward();
      torch::nn::utils::clip_grad_norm_(net.parameters(), 1.0);
      opt.step();
      loss = torch::zeros({});
      h = h.detach();
    }
  }
}
