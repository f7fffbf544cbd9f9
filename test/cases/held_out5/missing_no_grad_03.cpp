#include <torch/torch.h>
#include <iostream>

struct LeNetImpl : torch::nn::Module {
  LeNetImpl() : conv(torch::nn::Conv2dOptions(1, 8, 5)), fc(8 * 12 * 12, 10) {
    register_module("conv", conv);
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv(x)), 2);
    return torch::log_softmax(fc(x.flatten(1)), 1);
  }
  torch::nn::Conv2d conv;
  torch::nn::Linear fc;
};
TORCH_MODULE(LeNet);

template <typename Loader>
void train_epoch(LeNet& model, Loader& loader, torch::optim::Optimizer& opt) {
  model->train();
  for (auto& batch : loader) {
    opt.zero_grad();
    auto loss = torch::nll_loss(model->forward(batch.data), batch.target);
    loss.backward();
    opt.step();
  }
}

template <typename Loader>
double accuracy(LeNet& model, Loader& loader, size_t size) {
  model->eval();
  torch::Tensor out;
  int64_t hits = 0;
  for (auto& batch : loader) {
    out = model->forward(batch.data);
    hits += out.argmax(1).eq(batch.target).sum().template item<int64_t>();
  }
  return static_cast<double>(hits) / size;
}

int main() {
  auto set = [](torch::data::datasets::MNIST::Mode mode) {
    return torch::data::datasets::MNIST("./mnist", mode)
        .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
        .map(torch::data::transforms::Stack<>());
  };
  auto opts = torch::data::DataLoaderOptions().batch_size(256).workers(4);
  auto train = torch::data::make_data_loader(set(torch::data::datasets::MNIST::Mode::kTrain), opts);
  auto test_set = set(torch::data::datasets::MNIST::Mode::kTest);
  const size_t test_size = test_set.size().value();
  auto test = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(test_set), opts);
  LeNet model;
  torch::optim::SGD opt(model->parameters(), 0.01);
  for (int epoch = 0; epoch < 10; ++epoch) {
    train_epoch(model, *train, opt);
    std::cout << accuracy(model, *test, test_size) << '\n';
  }
}
