// RUN: %check %s torch-unowned-gradients
//
// The loss flows through a module that nothing here steps.

#include "../Inputs/net.h"

void bad_two_networks(const Batches &data) {
  Net encoder, judge;
  torch::optim::Adam opt(encoder.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    auto code = encoder.forward(b.x);
    auto loss = torch::mse_loss(judge.forward(code), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'judge', {{.*}} [torch-unowned-gradients]
    opt.step();
  }
}

// eval() does not freeze.
void bad_perceptual(const Batches &data) {
  auto vgg = std::make_shared<Net>();
  torch::load(vgg, "vgg.pt");
  vgg->eval();
  Net net;
  torch::optim::SGD opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    auto loss = torch::mse_loss(vgg->forward(out), vgg->forward(b.y));
    opt.zero_grad();
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'vgg', {{.*}} [torch-unowned-gradients]
    opt.step();
  }
}

static Tensor features(Net &net, const Tensor &x) { return net.forward(x); }
void bad_by_a_helper(torch::optim::Optimizer &opt, Net &student,
                     const Batches &data) {
  Net teacher;
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(student.forward(b.x), features(teacher, b.x));
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'teacher', {{.*}} [torch-unowned-gradients]
    opt.step();
  }
}

static void learn(torch::optim::Optimizer &opt, const Tensor &loss) {
  opt.zero_grad();
  loss.backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: backward fills the gradients of 'head', {{.*}} [torch-unowned-gradients]
  opt.step();
}
void bad_backward_in_a_helper(const Batches &data) {
  torch::nn::Linear trunk(64, 64), head(64, 8);
  torch::optim::SGD opt(trunk->parameters(), 0.1);
  for (const auto &b : data)
    learn(opt, torch::mse_loss(head->forward(trunk->forward(b.x)), b.y));
}

class Trainer {
public:
  void bad_member(const Batches &data) {
    for (const auto &b : data) {
      opt.zero_grad();
      auto loss = torch::mse_loss(student->forward(b.x), teacher->forward(b.x));
      loss.backward();
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: backward fills the gradients of 'teacher', {{.*}} [torch-unowned-gradients]
      opt.step();
    }
  }

private:
  std::shared_ptr<Net> student = std::make_shared<Net>();
  std::shared_ptr<Net> teacher = std::make_shared<Net>();
  torch::optim::Adam opt{student->parameters(), 1e-3};
};

// Two of three are known to nobody.
void bad_names_of_one(const Batches &data) {
  Net net;
  Net critic;
  auto &judge = critic;
  auto score = [&](const Tensor &x) { return judge.forward(x); };
  torch::optim::Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    (-score(net.forward(b.x)).mean()).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'critic', {{.*}} [torch-unowned-gradients]
    opt.step();
  }
}
