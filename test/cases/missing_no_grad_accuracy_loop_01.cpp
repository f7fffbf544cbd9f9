#include <torch/torch.h>
#include <iomanip>
#include <iostream>

struct LeNetImpl : torch::nn::Module {
  LeNetImpl() {
    conv1 = register_module("conv1", torch::nn::Conv2d(1, 6, 5));
    conv2 = register_module("conv2", torch::nn::Conv2d(6, 16, 5));
    fc = register_module("fc", torch::nn::Linear(256, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv1(x)), 2);
    x = torch::max_pool2d(torch::relu(conv2(x)), 2);
    return torch::log_softmax(fc(x.flatten(1)), 1);
  }
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(LeNet);

template <typename DataLoader>
void test(LeNet model, DataLoader& loader, torch::Device device, size_t dataset_size) {
  model->eval();
  double test_loss = 0;
  int64_t correct = 0;
  for (const auto& batch : loader) {
    auto data = batch.data.to(device), targets = batch.target.to(device);
    auto output = model->forward(data);  // EXPECT: missing-no-grad
    test_loss += torch::nll_loss(output, targets, {}, torch::Reduction::Sum).template item<double>();
    auto pred = output.argmax(1);
    correct += pred.eq(targets).sum().template item<int64_t>();
  }
  std::cout << std::fixed << std::setprecision(4) << test_loss / dataset_size << " | " << double(correct) / dataset_size;
}

int main() {
  auto set = torch::data::datasets::MNIST("data", torch::data::datasets::MNIST::Mode::kTest);
  const size_t size = set.size().value();
  auto loader = torch::data::make_data_loader(std::move(set).map(torch::data::transforms::Stack<>()), 1000);
  LeNet model;
  torch::load(model, "lenet.pt");
  test(model, *loader, torch::kCPU, size);
}
