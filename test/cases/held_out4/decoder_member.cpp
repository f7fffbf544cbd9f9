#include <torch/torch.h>
#include <iostream>
class Captioner {
 public:
  Captioner() : enc_(64, 32), cell_(16, 32), emb_(100, 16), out_(32, 100) {
    std::vector<torch::Tensor> p;
    auto add = [&](std::vector<torch::Tensor> q) { p.insert(p.end(), q.begin(), q.end()); };
    add(enc_->parameters());
    add(cell_->parameters());
    add(emb_->parameters());
    add(out_->parameters());
    opt_ = std::make_unique<torch::optim::Adam>(p, torch::optim::AdamOptions(1e-3));
    h_ = torch::zeros({8, 32});
    c_ = torch::zeros({8, 32});
  }
  void train(int batches) {
    for (int b = 0; b < batches; ++b) {
      auto image = torch::rand({8, 64});
      auto words = torch::randint(100, {10, 8}, torch::kLong);
      h_ = h_ + torch::tanh(enc_->forward(image));
      torch::Tensor loss = torch::zeros({});
      for (int64_t t = 0; t + 1 < words.size(0); ++t) {
        std::tie(h_, c_) = cell_->forward(emb_->forward(words[t]), std::make_tuple(h_, c_));
        loss = loss + torch::nn::functional::cross_entropy(out_->forward(h_), words[t + 1]);
      }
      opt_->zero_grad();
      loss.backward();
      opt_->step();
      if (b % 100 == 0) std::cout << b << " " << loss.item<float>() << "\n";
    }
  }
 private:
  torch::nn::Linear enc_;
  torch::nn::LSTMCell cell_;
  torch::nn::Embedding emb_;
  torch::nn::Linear out_;
  std::unique_ptr<torch::optim::Adam> opt_;
  torch::Tensor h_, c_;
};
int main() {
  Captioner c;
  c.train(5000);
}
