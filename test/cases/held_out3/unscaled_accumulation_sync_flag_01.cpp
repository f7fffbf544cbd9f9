#include <torch/torch.h>
#include <vector>

struct Batch {
  torch::Tensor tokens, next;
};

void pretrain(torch::nn::Sequential& lm, std::vector<Batch>& batches, const int window) {
  torch::optim::AdamW opt(lm->parameters(), torch::optim::AdamWOptions(6e-4));
  for (size_t i = 0; i < batches.size(); ++i) {
    const bool last = i + 1 == batches.size();
    const bool sync = (i + 1) % window == 0 || last;
    auto logits = lm->forward(batches[i].tokens);
    auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), batches[i].next.flatten());
    loss.backward();  // EXPECT: unscaled-accumulation
    if (!sync) continue;
    torch::nn::utils::clip_grad_norm_(lm->parameters(), 1.0);
    opt.step();
    opt.zero_grad();
  }
}
