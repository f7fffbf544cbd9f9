#include <torch/torch.h>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(20, 2)); }
  torch::Tensor forward(torch::Tensor x) { return a(x); }
};

// Plain SGD: the sum over the window times rate/window is the mean times rate.
void train(Net& net, const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys, double rate, int window) {
  torch::optim::SGD opt(net.parameters(), torch::optim::SGDOptions(rate / window));
  int n = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto loss = torch::cross_entropy_loss(net.forward(xs[i]), ys[i]);
    loss.backward();
    if (++n % window == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void train_by_hand(torch::Tensor w, const std::vector<torch::Tensor>& xs, double rate, int window) {
  for (size_t i = 0; i < xs.size(); ++i) {
    auto loss = torch::mse_loss(xs[i].matmul(w), xs[i].sum(1));
    loss.backward();
    if ((i + 1) % window != 0) continue;
    torch::NoGradGuard no_grad;
    w.sub_(w.grad() / window, rate);
    w.grad().zero_();
  }
}
