#include <torch/torch.h>
#include <utility>
#include <vector>

using torch::Tensor;

class Seq2Seq : public torch::nn::Module {
 public:
  Seq2Seq() {
    encoder_ = register_module("encoder", torch::nn::GRU(32, 48));
    cell_ = register_module("cell", torch::nn::GRUCell(32, 48));
    head_ = register_module("head", torch::nn::Linear(48, 32));
  }

  Tensor decode(const Tensor& source, int64_t length) {
    auto encoded = encoder_->forward(source);
    Tensor h = std::get<1>(encoded)[0];
    Tensor y = torch::zeros({source.size(1), 32});
    std::vector<Tensor> outputs;
    while (static_cast<int64_t>(outputs.size()) < length) {
      h = cell_->forward(y, h);
      y = head_->forward(h);
      outputs.push_back(y);
    }
    return torch::stack(outputs);
  }

 private:
  torch::nn::GRU encoder_{nullptr};
  torch::nn::GRUCell cell_{nullptr};
  torch::nn::Linear head_{nullptr};
};

void train(Seq2Seq& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  for (const auto& [source, target] : data) {
    auto loss = torch::mse_loss(net.decode(source, target.size(0)), target);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
