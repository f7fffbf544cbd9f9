// Losses travel in a dictionary of tensors; only detached copies of it enter the history.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using LossMap = c10::Dict<std::string, torch::Tensor>;

struct DetectorImpl : torch::nn::Module {
  DetectorImpl() {
    trunk = register_module("trunk", torch::nn::Linear(256, 128));
    box = register_module("box", torch::nn::Linear(128, 4));
    cls = register_module("cls", torch::nn::Linear(128, 21));
  }
  LossMap forward(torch::Tensor roi, torch::Tensor boxes, torch::Tensor labels) {
    auto h = torch::relu(trunk(roi));
    LossMap losses;
    losses.insert("box", torch::smooth_l1_loss(box(h), boxes));
    losses.insert("cls", torch::cross_entropy_loss(cls(h), labels));
    return losses;
  }
  torch::nn::Linear trunk{nullptr}, box{nullptr}, cls{nullptr};
};
TORCH_MODULE(Detector);

class Journal {
 public:
  void add(const LossMap& losses) {
    for (const auto& entry : losses) {
      const torch::Tensor value = entry.value().detach();
      columns_[entry.key()].push_back(value.clone());
      latest_[entry.key()] = entry.value().item<double>();
    }
  }
  void print() const {
    for (const auto& c : columns_)
      std::cout << c.first << " " << torch::stack(c.second).mean().item<double>() << " last " << latest_.at(c.first)
                << "\n";
  }

 private:
  std::unordered_map<std::string, std::vector<torch::Tensor>> columns_;
  std::unordered_map<std::string, double> latest_;
};

static torch::Tensor total(const LossMap& losses) {
  std::vector<torch::Tensor> parts;
  for (const auto& entry : losses) parts.push_back(entry.value());
  return torch::stack(parts).sum();
}

int main() {
  Detector net;
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9).weight_decay(1e-4));
  Journal journal;
  for (int i = 1; i <= 10000; ++i) {
    auto losses = net->forward(torch::randn({64, 256}), torch::rand({64, 4}), torch::randint(0, 21, {64}, torch::kLong));
    opt.zero_grad();
    total(losses).backward();
    opt.step();
    journal.add(losses);
    if (i % 1000 == 0) journal.print();
  }
}
