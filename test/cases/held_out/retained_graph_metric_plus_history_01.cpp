#include <torch/torch.h>
#include <utility>
#include <vector>

using torch::Tensor;

struct Transducer : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Transducer() { f = register_module("f", torch::nn::Linear(80, 30)); }
  Tensor forward(Tensor x) { return torch::log_softmax(f(x), -1); }
};

struct Utterance {
  Tensor features, targets;
};

std::pair<float, float> train(Transducer& net, torch::optim::Optimizer& opt, const std::vector<Utterance>& set) {
  Tensor loss_sum = torch::zeros({1}), frames = torch::zeros({1});
  for (auto u = set.begin(); u != set.end(); ++u) {
    auto logp = net.forward(u->features).unsqueeze(1);
    auto loss = torch::ctc_loss(logp, u->targets.unsqueeze(0), {u->features.size(0)}, {u->targets.size(0)});
    if (loss.isinf().item<bool>()) continue;
    opt.zero_grad();
    loss.backward();
    opt.step();
    loss_sum.add_(loss, u->features.size(0));  // EXPECT: retained-graph
    frames.add_(u->features.size(0));
  }
  const auto mean = loss_sum / frames;
  return {mean.item<float>(), frames.item<float>()};
}
