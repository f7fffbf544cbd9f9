#include <torch/torch.h>
#include <iomanip>
#include <iostream>
#include <vector>

using torch::Tensor;
using Data = std::vector<torch::data::Example<>>;

struct NetImpl : torch::nn::Module {
  NetImpl() : f(register_module("f", torch::nn::Linear(64, 10))), drop(register_module("drop", torch::nn::Dropout(0.5))) {}
  Tensor forward(const Tensor& x) { return f(drop(x)); }
  torch::nn::Linear f;
  torch::nn::Dropout drop;
};
TORCH_MODULE(Net);

void fit(Net net, const Data& train, const Data& validation, int epochs) {
  torch::optim::AdamW opt(net->parameters(), 1e-3);
  Tensor output, loss;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    net->train();
    Tensor train_loss = torch::zeros({});
    for (const auto& e : train) {
      output = net(e.data);
      loss = torch::cross_entropy_loss(output, e.target);
      opt.zero_grad();
      loss.backward();
      opt.step();
      torch::NoGradGuard no_grad;
      train_loss += loss;
    }

    net->eval();
    torch::NoGradGuard no_grad;
    Tensor validation_loss = torch::zeros({});
    std::vector<Tensor> outputs;
    for (const auto& e : validation) {
      output = net(e.data);
      outputs.push_back(output);
      validation_loss += torch::cross_entropy_loss(output, e.target);
    }
    std::cout << std::setw(3) << epoch << train_loss.item<float>() << validation_loss.item<float>()
              << torch::cat(outputs).argmax(1).sum().item<int64_t>() << '\n';
  }
  std::cout << loss.item<float>() << '\n';
}
