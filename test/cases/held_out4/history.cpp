#include <torch/torch.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>

struct AutoEncoderImpl : torch::nn::Module {
  AutoEncoderImpl() {
    enc = register_module("enc", torch::nn::Sequential(torch::nn::Linear(784, 128), torch::nn::ReLU(), torch::nn::Linear(128, 16)));
    dec = register_module("dec", torch::nn::Sequential(torch::nn::Linear(16, 128), torch::nn::ReLU(), torch::nn::Linear(128, 784)));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(dec->forward(enc->forward(x))); }
  torch::nn::Sequential enc{nullptr}, dec{nullptr};
};
TORCH_MODULE(AutoEncoder);

class Metrics {
 public:
  void log(const std::string& name, const torch::Tensor& value) {
    series_[name].push_back(value);
  }
  void report() const {
    for (auto& [name, values] : series_)
      std::cout << name << " " << torch::stack(values).mean().item<float>() << " over " << values.size() << "\n";
  }

 private:
  std::map<std::string, std::vector<torch::Tensor>> series_;
};

int main() {
  AutoEncoder model;
  torch::optim::Adam opt(model->parameters(), torch::optim::AdamOptions(1e-3));
  auto train = torch::data::make_data_loader(
      torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>()), 128);
  auto test = torch::data::make_data_loader(
      torch::data::datasets::MNIST("mnist", torch::data::datasets::MNIST::Mode::kTest).map(torch::data::transforms::Stack<>()), 128);
  Metrics metrics;
  for (int epoch = 0; epoch < 10; ++epoch) {
    model->train();
    for (auto& batch : *train) {
      auto x = batch.data.flatten(1);
      auto loss = torch::mse_loss(model->forward(x), x);
      opt.zero_grad();
      loss.backward();
      opt.step();
      metrics.log("train", loss);
    }
    model->eval();
    for (auto& batch : *test) {
      torch::NoGradGuard no_grad;
      auto x = batch.data.flatten(1);
      metrics.log("test", torch::mse_loss(model->forward(x), x));
    }
    metrics.report();
  }
}
