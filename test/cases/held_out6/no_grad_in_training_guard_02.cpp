// Quantisation-aware fine-tuning; the guard was meant for the calibration only, but lives to the end of the function.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

struct ObserverNetImpl : torch::nn::Module {
  ObserverNetImpl() {
    l1 = register_module("l1", torch::nn::Linear(64, 64));
    l2 = register_module("l2", torch::nn::Linear(64, 3));
    low = register_buffer("low", torch::zeros({}));
    high = register_buffer("high", torch::zeros({}));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::relu(l1(x));
    if (calibrating) {
      low.copy_(torch::minimum(low, h.detach().min()));
      high.copy_(torch::maximum(high, h.detach().max()));
    } else {
      h = torch::min(torch::max(h, low), high);
    }
    return l2(h);
  }
  bool calibrating = false;
  torch::nn::Linear l1{nullptr}, l2{nullptr};
  torch::Tensor low, high;
};
TORCH_MODULE(ObserverNet);

struct Pair {
  torch::Tensor x, y;
};

void calibrate_and_tune(ObserverNet& net, const std::vector<Pair>& data, int epochs) {
  torch::NoGradGuard no_grad;  // EXPECT: no-grad-in-training
  net->calibrating = true;
  for (size_t i = 0; i < data.size() && i < 32; ++i) net->forward(data[i].x);
  net->calibrating = false;

  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(1e-3));
  for (int e = 0; e < epochs; ++e) {
    double sum = 0;
    for (const auto& p : data) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(net->forward(p.x), p.y);
      loss.backward();  // ALSO: no-grad-in-training
      opt.step();
      sum += loss.item<double>();
    }
    std::printf("%d %.4f\n", e, sum / static_cast<double>(data.size()));
  }
}

int main() {
  std::vector<Pair> data;
  for (int i = 0; i < 200; ++i) data.push_back({torch::randn({16, 64}), torch::randint(0, 3, {16}, torch::kLong)});
  ObserverNet net;
  calibrate_and_tune(net, data, 3);
}
