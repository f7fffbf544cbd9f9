// MNIST-style training; the accuracy on the test split comes from a template over the loader.
#include <torch/torch.h>

#include <iostream>

struct LeNetImpl : torch::nn::Module {
  LeNetImpl()
      : c1(torch::nn::Conv2dOptions(1, 10, 5)), c2(torch::nn::Conv2dOptions(10, 20, 5)), f1(320, 50), f2(50, 10) {
    register_module("c1", c1);
    register_module("c2", c2);
    register_module("f1", f1);
    register_module("f2", f2);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(c1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(c2->forward(x), 2));
    x = torch::relu(f1->forward(x.view({-1, 320})));
    return torch::log_softmax(f2->forward(x), 1);
  }
  torch::nn::Conv2d c1, c2;
  torch::nn::Linear f1, f2;
};
TORCH_MODULE(LeNet);

template <typename Loader>
double accuracy(LeNet& net, Loader& loader, torch::Device device) {
  net->eval();
  int64_t right = 0, all = 0;
  for (const auto& batch : loader) {
    auto data = batch.data.to(device), label = batch.target.to(device);
    auto score = net->forward(data);  // EXPECT: missing-no-grad
    right += score.argmax(1).eq(label).sum().template item<int64_t>();
    all += data.size(0);
  }
  net->train();
  return all ? static_cast<double>(right) / all : 0.0;
}

template <typename Loader>
void train_epoch(LeNet& net, Loader& loader, torch::optim::Optimizer& opt, torch::Device device) {
  for (auto& batch : loader) {
    opt.zero_grad();
    auto loss = torch::nll_loss(net->forward(batch.data.to(device)), batch.target.to(device));
    loss.backward();
    opt.step();
  }
}

int main() {
  const torch::Device device(torch::kCPU);
  LeNet net;
  net->to(device);
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));

  using torch::data::datasets::MNIST;
  auto train_set = MNIST("./data").map(torch::data::transforms::Normalize<>(0.1307, 0.3081)).map(
      torch::data::transforms::Stack<>());
  auto test_set = MNIST("./data", MNIST::Mode::kTest)
                      .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                      .map(torch::data::transforms::Stack<>());
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      std::move(train_set), torch::data::DataLoaderOptions(64).workers(2));
  auto test_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(test_set), torch::data::DataLoaderOptions(1000).workers(2));

  for (int epoch = 1; epoch <= 10; ++epoch) {
    train_epoch(net, *train_loader, opt, device);
    std::cout << epoch << ": " << accuracy(net, *test_loader, device) << std::endl;
  }
}
