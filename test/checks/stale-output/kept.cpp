// RUN: %check %s torch-stale-output
//
// Graphs that backward keeps, and the notes.

#include "../Inputs/net.h"

void bad_retained(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  Tensor loss;
  // CHECK-NOTES: :[[@LINE+5]]:5: remark: 'loss' keeps the graph of one iteration alive while the next one runs its forward [torch-stale-output]
  // CHECK-NOTES: :[[@LINE+4]]:28: note: this forward runs before the old graph is freed
  // CHECK-NOTES: :[[@LINE+5]]:5: note: this backward keeps what the graph has saved
  // CHECK-NOTES: :[[@LINE-4]]:10: note: declared outside the loop: the peak holds the activations of two iterations; inside, or reset or detached in each of them, it holds those of one
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward({}, /*keep_graph=*/true);
    opt.step();
  }
}

// The second one frees it.
void ok_two_backwards(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward({}, /*keep_graph=*/true);
    out.sum().backward();
    opt.step();
  }
}

void ok_a_flag(Net &net, torch::optim::Optimizer &opt, const Batches &data,
               bool keep) {
  Tensor loss;
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward({}, keep);
    opt.step();
  }
}
