#include <torch/torch.h>
#include <functional>
#include <vector>

// Exponential moving average of the weights, used for evaluation only.
struct Shadow {
  std::vector<torch::Tensor> average;
  double decay;

  Shadow(torch::nn::Module& model, double d) : decay(d) {
    for (const auto& p : model.parameters()) average.push_back(p.detach().clone());
  }
  void follow(torch::nn::Module& model) {
    torch::NoGradGuard quiet;
    auto current = model.parameters();
    for (size_t i = 0; i < average.size(); ++i) average[i] = decay * average[i] + (1 - decay) * current[i];
  }
  void with_average(torch::nn::Module& model, const std::function<void()>& use) {
    torch::NoGradGuard quiet;
    auto current = model.parameters();
    std::vector<torch::Tensor> backup;
    for (size_t i = 0; i < current.size(); ++i) {
      backup.push_back(current[i].clone());
      current[i].copy_(average[i]);
    }
    use();
    for (size_t i = 0; i < current.size(); ++i) current[i].copy_(backup[i]);
  }
};

double train(torch::nn::Sequential net, const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
  torch::optim::SGD sgd(net->parameters(), 0.1);
  Shadow shadow(*net, 0.999);
  double best = 1e9;
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (size_t i = 0; i < xs.size(); ++i) {
      sgd.zero_grad();
      torch::mse_loss(net->forward(xs[i]), ys[i]).backward();
      sgd.step();
      shadow.follow(*net);
    }
    shadow.with_average(*net, [&] {
      auto error = torch::mse_loss(net->forward(xs.back()), ys.back()).item<double>();
      best = std::min(best, error);
    });
  }
  return best;
}
