#include <torch/torch.h>
#include <numeric>
#include <vector>

struct Graph {
  torch::Tensor adjacency, nodes, energy;
};

struct Gcn : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  Gcn() {
    a = register_module("a", torch::nn::Linear(16, 16));
    b = register_module("b", torch::nn::Linear(16, 1));
  }
  torch::Tensor forward(const torch::Tensor& adj, torch::Tensor h) {
    h = torch::silu(adj.matmul(a(h)));
    return b(h).sum();
  }
};

double validation_error(Gcn& gcn, const std::vector<Graph>& graphs) {
  gcn.eval();
  auto total = std::accumulate(graphs.begin(), graphs.end(), torch::zeros({}),  // EXPECT: retained-graph
                               [&](const torch::Tensor& sum, const Graph& g) {
                                 auto e = gcn.forward(g.adjacency, g.nodes);
                                 return sum + torch::abs(e - g.energy);
                               });
  return total.item<double>() / graphs.size();
}
