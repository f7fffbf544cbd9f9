#include <torch/torch.h>
#include <algorithm>
#include <numeric>
#include <vector>

using torch::Tensor;

struct Embedder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Embedder() { f = register_module("f", torch::nn::Linear(50, 16)); }
  Tensor forward(Tensor x) { return torch::nn::functional::normalize(f(x)); }
};

// A contrastive step needs the embeddings of the whole batch at once.
float contrastive_step(Embedder& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& items) {
  std::vector<Tensor> z(items.size());
  std::transform(items.begin(), items.end(), z.begin(), [&net](const Tensor& t) { return net.forward(t); });
  auto all = torch::stack(z);
  auto similarity = all.mm(all.t()) / 0.07;
  auto loss = torch::cross_entropy_loss(similarity, torch::arange(similarity.size(0)));
  opt.zero_grad();
  loss.backward();
  opt.step();
  return loss.item<float>();
}

float set_loss_step(Embedder& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& items) {
  auto centre = std::accumulate(items.begin(), items.end(), torch::zeros({16}),
                                [&](Tensor sum, const Tensor& t) { return sum + net.forward(t); });
  std::vector<Tensor> distances;
  std::for_each(items.begin(), items.end(), [&](const Tensor& t) { distances.push_back((net.forward(t) - centre).norm()); });
  auto table = torch::zeros({static_cast<int64_t>(distances.size())});
  for (size_t i = 0; i < distances.size(); ++i) table[i] = distances[i];
  auto loss = table.mean();
  opt.zero_grad();
  loss.backward();
  opt.step();
  return loss.item<float>();
}
