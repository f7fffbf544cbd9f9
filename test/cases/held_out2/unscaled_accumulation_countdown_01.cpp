#include <torch/torch.h>
#include <iterator>
#include <vector>

struct Sample {
  torch::Tensor audio, label;
};

// The clips are long: one at a time, sixteen for an update.
void finetune(torch::nn::Sequential& tagger, std::vector<Sample>& clips) {
  torch::optim::AdamW optimizer(tagger->parameters(), torch::optim::AdamWOptions(1e-5).weight_decay(0.01));
  torch::nn::BCEWithLogitsLoss criterion;
  int left = 16;
  optimizer.zero_grad();
  auto clip = clips.begin();
  while (clip != clips.end()) {
    auto loss = criterion(tagger->forward(clip->audio), clip->label);
    loss.backward();  // EXPECT: unscaled-accumulation
    if (--left == 0) {
      torch::nn::utils::clip_grad_norm_(tagger->parameters(), 1.0);
      optimizer.step();
      optimizer.zero_grad();
      left = 16;
    }
    clip = std::next(clip);
  }
}
