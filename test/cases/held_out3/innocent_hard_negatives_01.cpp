#include <torch/torch.h>
#include <vector>

// Triplets: negatives are looked for without gradients, and then trained on.
struct Tower : torch::nn::Module {
  Tower() { net = register_module("net", torch::nn::Sequential(torch::nn::Linear(32, 64), torch::nn::ReLU(), torch::nn::Linear(64, 16))); }
  torch::Tensor embed(const torch::Tensor& x) { return torch::nn::functional::normalize(net->forward(x)); }
  torch::nn::Sequential net{nullptr};
};

class Miner {
 public:
  explicit Miner(Tower& tower) : tower_(tower) {}
  torch::Tensor hardest(const torch::Tensor& anchors, const torch::Tensor& pool) {
    torch::NoGradGuard searching;
    auto similarity = tower_.embed(anchors).mm(tower_.embed(pool).t());
    history_.push_back(similarity.max());
    return pool.index_select(0, similarity.argmax(1));
  }
  const std::vector<torch::Tensor>& history() const { return history_; }

 private:
  Tower& tower_;
  std::vector<torch::Tensor> history_;
};

void train(Tower& tower, const std::vector<torch::Tensor>& anchors, const std::vector<torch::Tensor>& positives, const torch::Tensor& pool) {
  torch::optim::Adam opt(tower.parameters());
  Miner miner(tower);
  for (size_t i = 0; i < anchors.size(); ++i) {
    auto negatives = miner.hardest(anchors[i], pool);
    auto loss = torch::triplet_margin_loss(tower.embed(anchors[i]), tower.embed(positives[i]), tower.embed(negatives));
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
