// Planning by gradient: a rollout through a frozen world model is differentiated with respect to the actions.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct WorldImpl : torch::nn::Module {
  WorldImpl() {
    cell = register_module("cell", torch::nn::GRUCell(3, 32));
    look = register_module("look", torch::nn::Linear(32, 2));
  }
  torch::Tensor forward(torch::Tensor action, torch::Tensor state) { return cell(action, state); }
  torch::nn::GRUCell cell{nullptr};
  torch::nn::Linear look{nullptr};
};
TORCH_MODULE(World);

struct Plan {
  torch::Tensor actions;
  std::vector<float> costs;
};

class Planner {
 public:
  explicit Planner(World world) : world_(world) {
    world_->eval();
    for (auto& p : world_->parameters()) p.requires_grad_(false);
  }

  Plan plan(const torch::Tensor& start, const torch::Tensor& goal, int horizon, int rounds) {
    Plan out;
    out.actions = torch::zeros({horizon, 1, 3}, torch::requires_grad());
    torch::optim::Adam opt({out.actions}, torch::optim::AdamOptions(0.1));
    for (int r = 0; r < rounds; ++r) {
      auto state = start;
      auto cost = torch::zeros({});
      std::vector<torch::Tensor> path;
      for (int t = 0; t < horizon; ++t) {
        state = world_->forward(torch::tanh(out.actions[t]), state);
        path.push_back(world_->look->forward(state));
        cost = cost + torch::mse_loss(path.back(), goal);
      }
      if (path.size() > 1) cost = cost + 0.1 * (torch::stack(path).diff(1, 0)).pow(2).sum();
      opt.zero_grad();
      cost.backward();
      opt.step();
      out.costs.push_back(cost.item<float>());
    }
    out.actions = torch::tanh(out.actions).detach();
    return out;
  }

 private:
  World world_;
};

int main() {
  World world;
  torch::load(world, "world.pt");
  Planner planner(world);
  auto state = torch::zeros({1, 32});
  for (int step = 0; step < 50; ++step) {
    const auto p = planner.plan(state, torch::tensor({{1.0, -1.0}}), 12, 40);
    torch::NoGradGuard off;
    state = world->forward(p.actions[0], state);
    std::cout << step << " " << p.costs.front() << " -> " << p.costs.back() << "\n";
  }
}
