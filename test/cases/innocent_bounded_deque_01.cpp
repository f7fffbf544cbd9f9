#include <torch/torch.h>
#include <deque>
#include <iostream>
#include <queue>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(3, 3)); }
  torch::Tensor forward(torch::Tensor x) { return f(x); }
};

void train(Net& net, torch::optim::Optimizer& opt, int steps) {
  std::deque<torch::Tensor> recent;
  std::queue<torch::Tensor> last_three;
  std::vector<torch::Tensor> ring(16);
  std::vector<torch::Tensor> sliding;
  for (int i = 0; i < steps; ++i) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(torch::rand({4, 3})), torch::zeros({4, 3}));
    loss.backward();
    opt.step();

    recent.push_back(loss);
    if (recent.size() > 50) recent.pop_front();
    last_three.push(loss);
    while (last_three.size() > 3) last_three.pop();
    ring[i % ring.size()] = loss;
    sliding.emplace_back(loss);
    if (sliding.size() >= 8) sliding.erase(sliding.begin());
  }
  float mean = 0;
  for (const auto& l : recent) mean += l.item<float>();
  std::cout << mean / recent.size() << ' ' << ring[0].item<float>() << '\n';
}
