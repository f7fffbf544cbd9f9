#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Batch {
  torch::Tensor images, labels;
};

class VitHead : public torch::nn::Module {
 public:
  VitHead() {
    encoder_ = register_module("encoder", torch::nn::TransformerEncoderLayer(torch::nn::TransformerEncoderLayerOptions(96, 4)));
    fc_ = register_module("fc", torch::nn::Linear(96, 100));
  }
  torch::Tensor forward(const torch::Tensor& patches) { return fc_(encoder_(patches).mean(0)); }

 private:
  torch::nn::TransformerEncoderLayer encoder_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

void finetune(VitHead& model, const std::vector<Batch>& batches, int accumulate) {
  torch::optim::AdamW opt(model.parameters(), torch::optim::AdamWOptions(1e-4).weight_decay(0.05));
  int micro = 0;
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (const auto& batch : batches) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(model.forward(batch.images), batch.labels) / accumulate;
      loss.backward();
      if (++micro % accumulate == 0) {
        torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
        opt.step();
      }
    }
    std::cout << "epoch " << epoch << " done\n";
  }
}

int main() {
  VitHead model;
  std::vector<Batch> batches;
  for (int i = 0; i < 64; ++i) batches.push_back({torch::rand({49, 8, 96}), torch::randint(100, {8}, torch::kLong)});
  finetune(model, batches, 4);
}
