#include <torch/torch.h>
#include <iostream>
#include <utility>

// A shared trunk with a classification head and a box head.
struct TwoHeadNetImpl : torch::nn::Module {
  TwoHeadNetImpl() {
    trunk = register_module("trunk", torch::nn::Sequential(torch::nn::Linear(256, 512), torch::nn::ReLU()));
    cls = register_module("cls", torch::nn::Linear(512, 21));
    box = register_module("box", torch::nn::Linear(512, 4));
  }
  std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& x) {
    auto h = trunk->forward(x);
    return {cls(h), box(h)};
  }
  torch::nn::Sequential trunk{nullptr};
  torch::nn::Linear cls{nullptr}, box{nullptr};
};
TORCH_MODULE(TwoHeadNet);

double grad_norm(const torch::nn::Module& m) {
  double sum = 0;
  for (const auto& p : m.parameters())
    if (p.grad().defined()) sum += p.grad().square().sum().item<double>();
  return std::sqrt(sum);
}

int main() {
  TwoHeadNet net;
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(1e-3).momentum(0.9));
  for (int step = 0; step < 10000; ++step) {
    auto x = torch::rand({32, 256});
    auto label = torch::randint(21, {32}, torch::kLong);
    auto target = torch::rand({32, 4});
    auto [logits, boxes] = net->forward(x);
    auto cls_loss = torch::cross_entropy_loss(logits, label);
    auto box_loss = torch::smooth_l1_loss(boxes, target);

    opt.zero_grad();
    cls_loss.backward({}, /*retain_graph=*/true);
    const double cls_norm = grad_norm(*net->trunk);
    box_loss.backward();
    opt.step();
    if (step % 100 == 0)
      std::cout << cls_loss.item<float>() << ' ' << box_loss.item<float>() << " trunk " << cls_norm << " of "
                << grad_norm(*net->trunk) << '\n';
  }
}
