// Gradient accumulation with the clearing at the wrong end: all but the last micro-batch are thrown away.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct Clip {
  torch::Tensor audio, tag;
};

struct TaggerImpl : torch::nn::Module {
  TaggerImpl() {
    conv = register_module("conv", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 32, 64).stride(16)));
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(32, 48).batch_first(true)));
    out = register_module("out", torch::nn::Linear(48, 50));
  }
  torch::Tensor forward(torch::Tensor wave) {
    auto f = torch::relu(conv(wave.unsqueeze(1))).transpose(1, 2);
    return out(std::get<0>(gru->forward(f)).mean(1));
  }
  torch::nn::Conv1d conv{nullptr};
  torch::nn::GRU gru{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(Tagger);

void tag_epoch(Tagger& tagger, torch::optim::Optimizer& opt, const std::vector<Clip>& clips, size_t accumulate) {
  for (size_t i = 0; i < clips.size(); ++i) {
    const bool last = (i + 1) % accumulate == 0;
    auto logits = tagger->forward(clips[i].audio);
    auto loss = torch::binary_cross_entropy_with_logits(logits, clips[i].tag) / static_cast<double>(accumulate);
    if (last) opt.zero_grad();  // EXPECT: zero-grad
    loss.backward();
    if (last) {
      opt.step();  // ALSO: zero-grad
      std::cout << i << " " << loss.item<float>() * accumulate << "\n";
    }
  }
}

int main() {
  std::vector<Clip> clips;
  for (int i = 0; i < 256; ++i) clips.push_back({torch::randn({4, 16000}), torch::rand({4, 50}).round()});
  Tagger tagger;
  torch::optim::Adam opt(tagger->parameters(), 1e-4);
  for (int epoch = 0; epoch < 5; ++epoch) tag_epoch(tagger, opt, clips, 8);
}
