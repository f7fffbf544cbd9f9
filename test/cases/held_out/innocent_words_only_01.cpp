#include <torch/torch.h>
#include <iostream>
#include <string>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) { return f(x); }
};

// losses.push_back(loss); would keep every graph; total += loss; too.
static const char* const kHelp = R"(
  for (auto& b : data) { auto out = net->forward(b.x); outputs.push_back(out); }
)";

double train(Net& net, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& xs) {
  double total = 0;
  for (const auto& x : xs) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(x), x);
    loss.backward();
    opt.step();
#if 0
    history.push_back(loss);
#endif
#ifdef _WIN32
    static std::vector<torch::Tensor> windows_only;
    windows_only.push_back(loss);
#endif
    /* total_tensor += loss; */
    total += loss.item<double>();
  }
  if (total > 1e6) std::cerr << kHelp << "loss.backward() k times without step()\n";
  return total;
}
