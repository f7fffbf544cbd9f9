#include <torch/torch.h>
#include <tuple>
#include <vector>

using torch::Tensor;

struct LanguageModelImpl : torch::nn::Module {
  torch::nn::LSTM cells{nullptr};
  torch::nn::Linear head{nullptr};
  LanguageModelImpl() {
    cells = register_module("cells", torch::nn::LSTM(32, 64));
    head = register_module("head", torch::nn::Linear(64, 100));
  }
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(Tensor x, std::tuple<Tensor, Tensor> state) {
    auto [out, next] = cells->forward(x, state);
    return {head->forward(out), next};
  }
};
TORCH_MODULE(LanguageModel);

// The outputs arrive through nested ties, and the loss is made of one of them.
void train(LanguageModel& model, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs, const std::vector<Tensor>& ys) {
  auto h = torch::zeros({1, 4, 64}), c = torch::zeros({1, 4, 64});
  for (size_t i = 0; i < xs.size(); ++i) {
    Tensor output;
    std::forward_as_tuple(output, std::tie(h, c)) = model->forward(xs[i], std::make_tuple(h, c));
    h.detach_();
    c.detach_();
    auto loss = torch::nll_loss(torch::log_softmax(output, -1).flatten(0, 1), ys[i]);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
