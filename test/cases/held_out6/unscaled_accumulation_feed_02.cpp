// Samples arrive one at a time from a simulator; the learner steps after every `window_` of them.
#include <torch/torch.h>

#include <cstdio>

namespace sim {

struct Frame {
  torch::Tensor sensors, command;
};

struct ControllerImpl : torch::nn::Module {
  ControllerImpl() {
    net = register_module("net", torch::nn::Sequential(torch::nn::Linear(24, 64), torch::nn::Tanh(),
                                                       torch::nn::Linear(64, 6)));
  }
  torch::Tensor forward(torch::Tensor s) { return net->forward(s); }
  torch::nn::Sequential net{nullptr};
};
TORCH_MODULE(Controller);

class OnlineLearner {
 public:
  OnlineLearner(Controller c, int window) : controller_(c), opt_(controller_->parameters(), 1e-3), window_(window) {
    opt_.zero_grad();
  }

  void feed(const Frame& f) {
    auto predicted = controller_->forward(f.sensors);
    auto error = torch::mse_loss(predicted, f.command);
    error.backward();  // EXPECT: unscaled-accumulation
    running_ += error.item<double>() / window_;
    if (++pending_ < window_) return;
    flush();
  }

  int updates() const { return updates_; }

 private:
  void flush() {
    opt_.step();
    opt_.zero_grad();
    std::printf("update %d: %.6f\n", ++updates_, running_);
    running_ = 0;
    pending_ = 0;
  }

  Controller controller_;
  torch::optim::Adam opt_;
  int window_, pending_ = 0, updates_ = 0;
  double running_ = 0;
};

}  // namespace sim

int main() {
  sim::Controller controller;
  sim::OnlineLearner learner(controller, 16);
  while (learner.updates() < 400) {
    sim::Frame f{torch::randn({1, 24}), torch::randn({1, 6})};
    learner.feed(f);
  }
}
