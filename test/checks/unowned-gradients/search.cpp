// RUN: %check %s torch-unowned-gradients
//
// The input is optimised, and the network gets gradients on the way.

#include "../Inputs/net.h"

#include <functional>

void bad_search(Net &gen, Tensor target) {
  auto z = torch::randn({1, 64}).requires_grad_(true);
  torch::optim::Adam oz({z}, 1e-2);
  gen.eval();
  for (int i = 0; i < 500; ++i) {
    oz.zero_grad();
    torch::mse_loss(gen.forward(z), target).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward fills the gradients of 'gen', which no optimizer here owns [torch-unowned-gradients]
    oz.step();
  }
}

// Nothing of the network is differentiated.
void ok_grad(Net &gen, Tensor target) {
  auto z = torch::randn({1, 64}).requires_grad_(true);
  torch::optim::Adam oz({z}, 1e-2);
  for (int i = 0; i < 500; ++i) {
    auto loss = torch::mse_loss(gen.forward(z), target);
    z.mutable_grad() = torch::autograd::grad({loss}, {z})[0];
    oz.step();
  }
}

void ok_inputs_are_named(Net &gen, Tensor target) {
  auto z = torch::randn({1, 64}).requires_grad_(true);
  torch::optim::Adam oz({z}, 1e-2);
  std::vector<Tensor> inputs{z};
  for (int i = 0; i < 500; ++i) {
    oz.zero_grad();
    auto loss = torch::mse_loss(gen.forward(z), target);
    loss.backward({}, false, false, torch::TensorList(inputs));
    oz.step();
  }
}

// It is not clear what these step.
void ok_list_from_elsewhere(const std::vector<Tensor> &list, Net &net,
                            const Batches &data) {
  torch::optim::Adam opt(list, 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_tensor_from_elsewhere(Tensor z, Net &net, const Batches &data) {
  torch::optim::Adam opt({z}, 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x + z), b.y).backward();
    opt.step();
  }
}

void ok_optimizer_from_elsewhere(torch::optim::Optimizer &opt, Net &net,
                                 const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

struct Loop {
  std::function<void()> step;
};
void ok_callbacks(Loop &loop, Net &net, Tensor target) {
  auto z = torch::randn({1, 64}).requires_grad_(true);
  torch::optim::Adam opt({z}, 1e-2);
  torch::mse_loss(net.forward(z), target).backward();
  opt.step();
  loop.step();
}

struct Inverter {
  torch::optim::Optimizer *all = nullptr;
  // The object may own anything.
  void ok_method(Net &gen, Tensor target) {
    auto z = torch::randn({1, 64}).requires_grad_(true);
    torch::optim::Adam oz({z}, 1e-2);
    torch::mse_loss(gen.forward(z), target).backward();
    oz.step();
  }
};
