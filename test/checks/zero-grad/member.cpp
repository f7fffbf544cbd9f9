// RUN: %check %s torch-zero-grad
//
// A method that nobody here calls is called again and again.

#include "../Inputs/net.h"

class Agent {
public:
  explicit Agent(std::shared_ptr<Net> net)
      : net_(net), opt_(net->parameters(), 0.1) {}
  double bad_learn(const Batch &b) {
    auto loss = torch::mse_loss(net_->forward(b.x), b.y);
    loss.backward();
    opt_.step();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-zero-grad]
    return loss.item<double>();
  }

private:
  std::shared_ptr<Net> net_;
  torch::optim::SGD opt_;
};

// What the other file does is not known.
class Far {
public:
  void ok_learn(const Batch &b) {
    torch::mse_loss(net_->forward(b.x), b.y).backward();
    opt_->step();
  }
  void begin();

private:
  std::shared_ptr<Net> net_;
  std::unique_ptr<torch::optim::SGD> opt_;
};

// The caller may zero before each call.
void ok_one_step(Net &net, torch::optim::Optimizer &opt, const Batch &b) {
  torch::mse_loss(net.forward(b.x), b.y).backward();
  opt.step();
}
