#include <torch/torch.h>
#include <vector>

using torch::Tensor;
using Net = torch::nn::Sequential;

static Net translator() { return Net(torch::nn::Linear(16, 32), torch::nn::ReLU(), torch::nn::Linear(32, 16)); }

// An image pool as in CycleGAN: at most 50 fakes, all detached.
class Pool {
 public:
  Tensor query(const Tensor& fake) {
    Tensor image = fake.detach();
    if (images_.size() < 50) {
      images_.push_back(image);
      return image;
    }
    const auto i = static_cast<size_t>(torch::randint(0, 50, {1}).item<int64_t>());
    std::swap(images_[i], image);
    return image;
  }

 private:
  std::vector<Tensor> images_;
};

void train(const std::vector<Tensor>& as, const std::vector<Tensor>& bs) {
  Net ab = translator(), ba = translator(), judge(torch::nn::Linear(16, 1));
  std::vector<Tensor> parameters = ab->parameters();
  for (const auto& p : ba->parameters()) parameters.push_back(p);
  torch::optim::Adam opt_g(parameters, 2e-4), opt_d(judge->parameters(), 2e-4);
  Pool pool;
  for (size_t i = 0; i < as.size(); ++i) {
    auto fake = ab->forward(as[i]);
    auto cycle = ba->forward(fake);
    auto score = judge->forward(fake);
    auto loss = torch::l1_loss(cycle, as[i]) + torch::mse_loss(score, torch::ones_like(score));
    opt_g.zero_grad();
    loss.backward();
    opt_g.step();

    opt_d.zero_grad();
    auto d = judge->forward(bs[i]).sub(1).square().mean() + judge->forward(pool.query(fake)).square().mean();
    (0.5 * d).backward();
    opt_d.step();
  }
}
