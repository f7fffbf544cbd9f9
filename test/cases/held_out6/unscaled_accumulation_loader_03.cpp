// Contrastive pretraining with a data loader; a step after every `kAccumulate` batches.
#include <torch/torch.h>

#include <iostream>
#include <utility>
#include <vector>

constexpr int kAccumulate = 8;

class TwoViews : public torch::data::datasets::Dataset<TwoViews> {
 public:
  explicit TwoViews(size_t n) : n_(n) {}
  torch::data::Example<> get(size_t index) override {
    torch::manual_seed(index);
    auto base = torch::rand({3, 32, 32});
    return {base + 0.05 * torch::randn_like(base), base.flip({2})};
  }
  torch::optional<size_t> size() const override { return n_; }

 private:
  size_t n_;
};

struct SimNetImpl : torch::nn::Module {
  SimNetImpl() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 4).stride(4)));
    proj = register_module("proj", torch::nn::Linear(32, 64));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto z = proj(torch::relu(conv(x)).mean({2, 3}));
    return torch::nn::functional::normalize(z, torch::nn::functional::NormalizeFuncOptions().dim(1));
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear proj{nullptr};
};
TORCH_MODULE(SimNet);

static torch::Tensor info_nce(const torch::Tensor& a, const torch::Tensor& b) {
  auto logits = torch::matmul(a, b.t()) / 0.1;
  auto diagonal = torch::arange(a.size(0), torch::TensorOptions().dtype(torch::kLong).device(a.device()));
  return torch::cross_entropy_loss(logits, diagonal);
}

template <class Loader>
void pretrain_epoch(SimNet& net, Loader& loader, torch::optim::Optimizer& opt) {
  net->train();
  size_t step = 0;
  double shown = 0;
  opt.zero_grad();
  for (auto& batch : loader) {
    auto loss = info_nce(net->forward(batch.data), net->forward(batch.target));
    loss.backward();  // EXPECT: unscaled-accumulation
    shown += loss.template item<double>() / kAccumulate;
    if (step % kAccumulate == kAccumulate - 1) {
      torch::nn::utils::clip_grad_norm_(net->parameters(), 10.0);
      opt.step();
      opt.zero_grad();
      std::cout << step << " " << shown << "\n";
      shown = 0;
    }
    ++step;
  }
}

int main() {
  auto set = TwoViews(20000).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      std::move(set), torch::data::DataLoaderOptions(64).workers(4).drop_last(true));
  SimNet net;
  torch::optim::Adam opt(net->parameters(), 3e-4);
  for (int epoch = 0; epoch < 10; ++epoch) pretrain_epoch(net, *loader, opt);
}
