// RUN: %check %s torch-missing-no-grad
//
// One variable holds results of training and of evaluation, one after the other.

#include "../Inputs/net.h"

#include <exception>

int64_t bad_one_variable(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data, const Batches &test) {
  Tensor output, loss;
  int64_t right = 0;
  for (const auto &b : data) {
    opt.zero_grad();
    output = net.forward(b.x);
    loss = torch::mse_loss(output, b.y);
    loss.backward();
    opt.step();
  }
  net.eval();
  for (const auto &b : test) {
    output = net.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
    loss = torch::mse_loss(output, b.y);
    right += output.argmax(1).eq(b.y).sum().item<int64_t>();
  }
  return right;
}

double bad_parameter_taken_again(Net &net, Tensor x, Tensor y) {
  x = net.forward(x);
  torch::mse_loss(x, y).backward();
  x = net.forward(y);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return x.max().item<double>();
}

void ok_next_round_uses_it(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  Tensor output;
  for (const auto &b : data) {
    opt.zero_grad();
    if (output.defined())
      torch::mse_loss(output, b.y).backward();
    opt.step();
    output = net.forward(b.x);
  }
}

void ok_one_of_two_ways(Net &net, const Batches &data, bool twice) {
  for (const auto &b : data) {
    Tensor output = net.forward(b.x);
    if (twice)
      output = net.forward(output);
    output.sum().backward();
  }
}

void ok_captured(Net &net, const Batches &data) {
  Tensor output;
  auto back = [&] { output.sum().backward(); };
  for (const auto &b : data) {
    output = net.forward(b.x);
    back();
    output = net.forward(b.y);
    back();
  }
}

void ok_by_reference(Net &net, Tensor x) {
  Tensor output = net.forward(x);
  Tensor &same = output;
  same = net.forward(output);
  Tensor *pointer = &output;
  pointer->sum().backward();
}

static void fill(Net &net, Tensor &out, const Tensor &x) {
  out = net.forward(x);
}
void ok_written_by_a_helper(Net &net, Tensor x) {
  Tensor output;
  fill(net, output, x);
  output.sum().backward();
}

void ok_in_place(Net &net, Tensor x) {
  Tensor total = torch::zeros({1});
  total += net.forward(x).sum();
  total = total * 2;
  total.add_(net.forward(x + 1).mean());
  total.backward();
}

void ok_after_an_exception(Net &net, Tensor x) {
  Tensor output;
  try {
    output = net.forward(x);
    output = net.forward(x.to(torch::kHalf));
  } catch (const std::exception &) {
    output.sum().backward();
    return;
  }
  output.mean().backward();
}
