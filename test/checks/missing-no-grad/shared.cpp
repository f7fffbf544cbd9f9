// RUN: %check %s torch-missing-no-grad
// A function that training calls as well: the guard belongs to the other call.
#include <torch/torch.h>
using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear body{4, 4}, critic{4, 1};
  Tensor values(Tensor x) { return critic->forward(x); }
  Tensor features(Tensor x) { return body->forward(x); }
};

class Agent {
  Net net;
  torch::optim::Adam optimizer{net.parameters(), 1e-3};
  Tensor value_of(Tensor x) {
    Tensor value = net.values(net.features(x));
    return value.squeeze();
  }
  Tensor shared(Tensor x) { return value_of(x); }

public:
  double bad_advantage(Tensor next) {
    auto value = shared(next);
    // CHECK-MESSAGES: :[[@LINE-1]]:18: {{.*}} [torch-missing-no-grad]
    return value.detach().item<double>();
  }
  double ok_advantage(Tensor next) {
    torch::NoGradGuard guard;
    return shared(next).item<double>();
  }
  void train(Tensor x, Tensor y) {
    auto loss = torch::mse_loss(shared(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
};

// By way of a method that is a forward under another name.
struct Returns {
  Tensor value;
};
struct Critic : torch::nn::Module {
  torch::nn::Linear layer{4, 1};
  Tensor value_of(Tensor &x) {
    Tensor value = layer->forward(x);
    return value;
  }
  Returns calculate(Tensor &x) {
    Returns r;
    r.value = value_of(x);
    r.value = r.value.squeeze();
    return r;
  }
  double bad_next(Tensor &x) {
    Tensor next = value_of(x);
    // CHECK-MESSAGES: :[[@LINE-1]]:19: {{.*}} [torch-missing-no-grad]
    return next.detach().item<double>();
  }
};
static void train(std::shared_ptr<Critic> critic, torch::optim::Optimizer &optimizer, Tensor x, Tensor y) {
  Returns r;
  for (int i = 0; i < 10; ++i) {
    r = critic->calculate(x);
    Tensor loss = torch::mse_loss(r.value, y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

int main() {
  auto critic = std::make_shared<Critic>();
  torch::optim::Adam optimizer(critic->parameters(), 1e-3);
  Tensor x = torch::ones({4});
  train(critic, optimizer, x, x);
  critic->bad_next(x);

  Agent agent;
  for (int i = 0; i < 100; ++i) {
    agent.train(torch::ones({1, 4}), torch::ones({1}));
    agent.bad_advantage(torch::ones({1, 4}));
    agent.ok_advantage(torch::ones({1, 4}));
  }
}
