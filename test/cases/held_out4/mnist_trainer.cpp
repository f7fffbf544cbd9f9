#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    conv1 = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 10, 5)));
    conv2 = register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(10, 20, 5)));
    fc1 = register_module("fc1", torch::nn::Linear(320, 50));
    fc2 = register_module("fc2", torch::nn::Linear(50, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2->forward(x), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1->forward(x));
    x = torch::dropout(x, 0.5, is_training());
    return torch::log_softmax(fc2->forward(x), 1);
  }
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(Net);

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_batch_begin(int64_t) {}
  virtual void on_batch_end(int64_t, double) {}
  virtual void on_epoch_end(int64_t, double) {}
};

class ZeroGradCallback : public Callback {
 public:
  explicit ZeroGradCallback(torch::optim::Optimizer& opt) : opt_(opt) {}
  void on_batch_begin(int64_t) override { opt_.zero_grad(); }

 private:
  torch::optim::Optimizer& opt_;
};

class PrintCallback : public Callback {
 public:
  void on_epoch_end(int64_t epoch, double loss) override {
    std::cout << "epoch " << epoch << " loss " << loss << std::endl;
    history_.push_back(loss);
  }

 private:
  std::vector<double> history_;
};

class Trainer {
 public:
  Trainer(Net net, torch::Device device)
      : net_(net), device_(device), opt_(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5)) {
    callbacks_.push_back(std::make_unique<ZeroGradCallback>(opt_));
    callbacks_.push_back(std::make_unique<PrintCallback>());
  }

  template <typename Loader>
  void fit(Loader& loader, int64_t epochs) {
    for (int64_t epoch = 0; epoch < epochs; ++epoch) {
      net_->train();
      double sum = 0;
      int64_t n = 0;
      for (auto& batch : loader) {
        for (auto& cb : callbacks_) cb->on_batch_begin(n);
        auto data = batch.data.to(device_), target = batch.target.to(device_);
        auto loss = torch::nll_loss(net_->forward(data), target);
        loss.backward();
        opt_.step();
        double value = loss.template item<double>();
        sum += value;
        for (auto& cb : callbacks_) cb->on_batch_end(n, value);
        ++n;
      }
      for (auto& cb : callbacks_) cb->on_epoch_end(epoch, sum / n);
    }
  }

  template <typename Loader>
  double accuracy(Loader& loader, size_t size) {
    torch::NoGradGuard no_grad;
    net_->eval();
    int64_t correct = 0;
    for (auto& batch : loader) {
      auto out = net_->forward(batch.data.to(device_));
      correct += out.argmax(1).eq(batch.target.to(device_)).sum().template item<int64_t>();
    }
    return double(correct) / size;
  }

 private:
  Net net_;
  torch::Device device_;
  torch::optim::SGD opt_;
  std::vector<std::unique_ptr<Callback>> callbacks_;
};

int main() {
  torch::manual_seed(1);
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net net;
  net->to(device);
  auto train_set = torch::data::datasets::MNIST("./data").map(torch::data::transforms::Normalize<>(0.1307, 0.3081)).map(
      torch::data::transforms::Stack<>());
  auto test_set = torch::data::datasets::MNIST("./data", torch::data::datasets::MNIST::Mode::kTest)
                      .map(torch::data::transforms::Stack<>());
  size_t test_size = test_set.size().value();
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(std::move(train_set), 64);
  auto test_loader = torch::data::make_data_loader(std::move(test_set), 1000);
  Trainer trainer(net, device);
  trainer.fit(*train_loader, 10);
  std::cout << trainer.accuracy(*test_loader, test_size) << std::endl;
}
