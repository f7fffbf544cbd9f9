// RUN: %check %s torch-missing-no-grad
// What a forward gives is an object: training differentiates what its methods
// make of it.
#include <functional>
#include <memory>
#include <torch/torch.h>
using torch::Tensor;

struct Distribution {
  virtual ~Distribution() = default;
  virtual Tensor log_prob(Tensor value) = 0;
};
struct Normal : Distribution {
  Tensor mean;
  Normal(Tensor m) : mean(m) {}
  Tensor log_prob(Tensor value) override { return -torch::mse_loss(mean, value); }
};
struct Plain {
  Tensor mean;
  Plain(Tensor m) : mean(m) {}
  Tensor log_prob(Tensor value) { return helper(value); }
  Tensor helper(Tensor value) { return -torch::mse_loss(mean, value); }
  double size() const { return 1; }
};
struct Policy : torch::nn::Module {
  virtual std::unique_ptr<Distribution> forward(Tensor x) = 0;
};
struct NormalPolicy : Policy {
  torch::nn::Linear linear{4, 2};
  std::unique_ptr<Distribution> forward(Tensor x) override {
    x = linear(x);
    return std::make_unique<Normal>(x);
  }
};
struct PlainPolicy : torch::nn::Module {
  torch::nn::Linear linear{4, 2};
  Plain forward(Tensor x) { return Plain(linear(x)); }
};

void ok_virtual() {
  std::shared_ptr<Policy> policy = std::make_shared<NormalPolicy>();
  torch::optim::Adam optimizer(policy->parameters(), 1e-3);
  for (int i = 0; i < 10; ++i) {
    auto dist = policy->forward(torch::randn({2, 4}));
    auto loss = -dist->log_prob(torch::ones({2, 2})).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
void ok_object(PlainPolicy &policy, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 10; ++i) {
    Plain dist = policy.forward(torch::randn({2, 4}));
    optimizer.zero_grad();
    dist.log_prob(torch::ones({2, 2})).backward();
    optimizer.step();
  }
}
double bad_object(PlainPolicy &policy) {
  Plain dist = policy.forward(torch::randn({2, 4}));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return dist.log_prob(torch::ones({2, 2})).item<double>() + dist.size();
}

static std::function<Tensor()> later(torch::nn::Linear &net, Tensor x) {
  auto out = net->forward(x);
  return [out, x] { return torch::mse_loss(out, x); };
}
void ok_closure(torch::nn::Linear &net, torch::optim::Optimizer &optimizer) {
  for (int i = 0; i < 10; ++i) {
    auto loss = later(net, torch::randn({2, 4}));
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
}

// The targets of a loss that is not seen.
Tensor unseen_loss(Tensor input, Tensor target);
void unseen_log(Tensor value);
void ok_target(torch::nn::Linear &net, torch::nn::Linear &teacher, torch::optim::Optimizer &optimizer, Tensor x) {
  auto target = teacher->forward(x).view({-1}).detach();
  auto loss = unseen_loss(net->forward(x), target);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}
void bad_logged(torch::nn::Linear &net, Tensor x) {
  unseen_log(net->forward(x).detach());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
