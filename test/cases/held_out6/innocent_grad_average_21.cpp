// Variable-length accumulation: the gradients are divided by the number of micro-batches right before the step.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

struct Graph {
  torch::Tensor nodes, adjacency, label;
};

struct GcnImpl : torch::nn::Module {
  GcnImpl() {
    w1 = register_module("w1", torch::nn::Linear(9, 32));
    w2 = register_module("w2", torch::nn::Linear(32, 2));
  }
  torch::Tensor forward(const Graph& g) {
    auto h = torch::relu(torch::matmul(g.adjacency, w1(g.nodes)));
    return w2(torch::matmul(g.adjacency, h).mean(0, true));
  }
  torch::nn::Linear w1{nullptr}, w2{nullptr};
};
TORCH_MODULE(Gcn);

class BaseTrainer {
 public:
  virtual ~BaseTrainer() = default;

 protected:
  void take_step(torch::optim::Optimizer& opt, int64_t counted) {
    if (counted == 0) return;
    for (auto& group : opt.param_groups())
      for (auto& p : group.params())
        if (p.grad().defined()) p.grad().div_(static_cast<double>(counted));
    opt.step();
    opt.zero_grad();
  }
};

class GraphTrainer : public BaseTrainer {
 public:
  explicit GraphTrainer(Gcn net) : net_(net), opt_(net_->parameters(), 1e-3) {}

  double epoch(const std::vector<Graph>& graphs, int64_t node_budget) {
    double sum = 0;
    int64_t nodes = 0, counted = 0;
    opt_.zero_grad();
    for (const auto& g : graphs) {
      auto loss = torch::cross_entropy_loss(net_->forward(g), g.label);
      loss.backward();
      sum += loss.item<double>();
      ++counted;
      nodes += g.nodes.size(0);
      if (nodes >= node_budget) {
        take_step(opt_, counted);
        nodes = counted = 0;
      }
    }
    take_step(opt_, counted);
    return sum / static_cast<double>(graphs.size());
  }

 private:
  Gcn net_;
  torch::optim::Adam opt_;
};

int main() {
  std::vector<Graph> graphs;
  for (int i = 0; i < 300; ++i) {
    const int64_t n = 5 + i % 40;
    graphs.push_back({torch::randn({n, 9}), torch::eye(n) + torch::rand({n, n}).gt(0.8).to(torch::kFloat),
                      torch::randint(0, 2, {1}, torch::kLong)});
  }
  Gcn net;
  GraphTrainer trainer(net);
  for (int e = 0; e < 50; ++e) std::cout << trainer.epoch(graphs, 512) << "\n";
}
