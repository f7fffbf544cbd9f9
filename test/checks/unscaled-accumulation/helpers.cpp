// RUN: %check %s torch-unscaled-accumulation
//
// The micro-batches are worked off by a helper, the step is its caller's.

#include "../Inputs/net.h"

static void bad_for_each_batch(Net &net, const Batches &part) {
  for (const auto &b : part)
    torch::mse_loss(net.forward(b.x), b.y).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
}

static float bad_two_calls_down(Net &net, const Batches &part) {
  float sum = 0;
  size_t i = 0;
  do {
    auto loss = torch::mse_loss(net.forward(part[i].x), part[i].y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    sum += loss.item<float>();
  } while (++i < part.size());
  return sum;
}
static float middle(Net &net, const Batches &part) {
  return bad_two_calls_down(net, part) / part.size();
}

void bad_callers(Net &net, torch::optim::Optimizer &opt,
                 const std::vector<Batches> &parts) {
  for (const auto &part : parts) {
    opt.zero_grad();
    bad_for_each_batch(net, part);
    opt.step();
  }
  for (const auto &part : parts) {
    opt.zero_grad();
    middle(net, part);
    opt.step();
  }
}

static void ok_divided(Net &net, const Batches &part) {
  for (const auto &b : part)
    (torch::mse_loss(net.forward(b.x), b.y) / static_cast<double>(part.size())).backward();
}

static void ok_zeroes_first(Net &net, const Batches &part) {
  for (const auto &b : part) {
    net.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
  }
}

// One graph, differentiated again and again: no micro-batches.
static void ok_given(const Tensor &loss) {
  for (int i = 0; i < 8; ++i)
    loss.backward({}, /*retain_graph=*/true);
}

static void ok_one_batch(Net &net, const Batch &b) {
  torch::mse_loss(net.forward(b.x), b.y).backward();
}

void ok_callers(Net &net, torch::optim::Optimizer &opt,
                const std::vector<Batches> &parts) {
  for (const auto &part : parts) {
    opt.zero_grad();
    ok_divided(net, part);
    opt.step();
    ok_zeroes_first(net, part);
    opt.step();
    opt.zero_grad();
    ok_given(torch::mse_loss(net.forward(part[0].x), part[0].y));
    opt.step();
    opt.zero_grad();
    ok_one_batch(net, part[0]);
    opt.step();
  }
}
