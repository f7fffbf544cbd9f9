#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;
namespace F = torch::nn::functional;

struct Big : torch::nn::Module {
  torch::nn::Sequential net{torch::nn::Linear(20, 256), torch::nn::ReLU(), torch::nn::Linear(256, 5)};
  Big() { register_module("net", net); }
  Tensor forward(Tensor x) { return net->forward(x); }
};
struct Small : torch::nn::Module {
  torch::nn::Linear net{20, 5};
  Small() { register_module("net", net); }
  Tensor forward(Tensor x) { return net(x); }
};

void distil(Big& teacher, Small& student, const std::vector<Tensor>& inputs, double temperature) {
  teacher.eval();
  torch::optim::Adam opt(student.parameters(), 1e-3);
  double sum = 0;
  for (const auto& x : inputs) {
    Tensor soft;
    {
      torch::NoGradGuard no_grad;
      soft = torch::softmax(teacher.forward(x) / temperature, 1);
    }
    auto logp = torch::log_softmax(student.forward(x) / temperature, 1);
    auto loss = F::kl_div(logp, soft, F::KLDivFuncOptions().reduction(torch::kBatchMean));
    opt.zero_grad();
    loss.backward();
    opt.step();
    sum += loss.item<double>();
  }
  std::cout << sum / inputs.size() << '\n';
}
