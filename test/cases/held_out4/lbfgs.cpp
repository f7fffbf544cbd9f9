#include <torch/torch.h>
#include <cmath>
#include <iostream>

struct SequenceImpl : torch::nn::Module {
  SequenceImpl() : lstm1(1, 51), lstm2(51, 51), linear(51, 1) {
    register_module("lstm1", lstm1);
    register_module("lstm2", lstm2);
    register_module("linear", linear);
  }
  torch::Tensor forward(torch::Tensor input, int64_t future = 0) {
    std::vector<torch::Tensor> outputs;
    auto zeros = [&] { return torch::zeros({input.size(0), 51}, torch::kDouble); };
    auto h1 = zeros(), c1 = zeros(), h2 = zeros(), c2 = zeros();
    torch::Tensor out;
    for (auto& step : input.split(1, 1)) {
      std::tie(h1, c1) = lstm1->forward(step, std::make_tuple(h1, c1));
      std::tie(h2, c2) = lstm2->forward(h1, std::make_tuple(h2, c2));
      out = linear->forward(h2);
      outputs.push_back(out);
    }
    for (int64_t i = 0; i < future; ++i) {
      std::tie(h1, c1) = lstm1->forward(out, std::make_tuple(h1, c1));
      std::tie(h2, c2) = lstm2->forward(h1, std::make_tuple(h2, c2));
      out = linear->forward(h2);
      outputs.push_back(out);
    }
    return torch::cat(outputs, 1);
  }
  torch::nn::LSTMCell lstm1, lstm2;
  torch::nn::Linear linear;
};
TORCH_MODULE(Sequence);

int main() {
  torch::manual_seed(0);
  auto shift = torch::randint(-80, 80, {100, 1}, torch::kDouble);
  auto data = torch::sin((torch::arange(1000, torch::kDouble).unsqueeze(0) + shift) / 20.0);
  auto input = data.slice(0, 3).slice(1, 0, -1), target = data.slice(0, 3).slice(1, 1);
  auto test_input = data.slice(0, 0, 3).slice(1, 0, -1), test_target = data.slice(0, 0, 3).slice(1, 1);
  Sequence seq;
  seq->to(torch::kDouble);
  torch::nn::MSELoss criterion;
  torch::optim::LBFGS optimizer(seq->parameters(), torch::optim::LBFGSOptions(0.8).max_iter(20));
  for (int step = 0; step < 15; ++step) {
    std::cout << "STEP " << step << "\n";
    auto closure = [&]() -> torch::Tensor {
      optimizer.zero_grad();
      auto out = seq->forward(input);
      auto loss = criterion(out, target);
      std::cout << "loss " << loss.item<double>() << "\n";
      loss.backward();
      return loss;
    };
    optimizer.step(closure);
    {
      torch::NoGradGuard no_grad;
      auto pred = seq->forward(test_input, 1000);
      auto loss = criterion(pred.slice(1, 0, -1000), test_target);
      std::cout << "test loss " << loss.item<double>() << "\n";
    }
  }
}
