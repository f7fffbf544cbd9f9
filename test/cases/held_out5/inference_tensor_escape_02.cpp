#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

// Prototypical network: classes are represented by the mean embedding of a support set.
class PrototypeTrainer {
 public:
  PrototypeTrainer(int64_t in, int64_t dim)
      : encoder_(torch::nn::Linear(in, 128), torch::nn::ReLU(), torch::nn::Linear(128, dim)),
        opt_(encoder_->parameters(), 1e-3) {}

  // Prototypes are held fixed between refreshes.
  void refresh(const std::vector<Tensor>& support) {
    torch::InferenceMode inference;
    std::vector<Tensor> means;
    for (const auto& s : support) means.push_back(encoder_->forward(s).mean(0));
    prototypes_ = torch::stack(means);
  }

  float step(const Tensor& query, const Tensor& label) {
    opt_.zero_grad();
    auto z = encoder_->forward(query);
    auto logits = torch::matmul(z, prototypes_.t());
    auto loss = torch::cross_entropy_loss(logits, label);
    loss.backward();
    opt_.step();
    return loss.item<float>();
  }

 private:
  torch::nn::Sequential encoder_;
  torch::optim::Adam opt_;
  Tensor prototypes_;
};

int main() {
  PrototypeTrainer trainer(32, 16);
  std::vector<Tensor> support;
  for (int c = 0; c < 5; ++c) support.push_back(torch::randn({10, 32}) + c);
  for (int round = 0; round < 100; ++round) {
    trainer.refresh(support);
    float loss = 0;
    for (int i = 0; i < 20; ++i) loss = trainer.step(torch::randn({25, 32}), torch::randint(5, {25}, torch::kLong));
    std::cout << round << ' ' << loss << '\n';
  }
}
