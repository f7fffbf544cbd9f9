// RUN: %check %s torch-retained-graph
//
// A plain buffer gains history by each write of a tensor that has some.

#include "../Inputs/net.h"

using torch::indexing::Slice;

void bad_subscript(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer[i] = net.forward(data[i].x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_index_put(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer.index_put_({i}, net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_index_assign(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer.index({i, Slice()}) = net.forward(data[i].x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_select_copy(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer.select(0, i).copy_(net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_slice_copy(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i) {
    Tensor out = net.forward(data[i].x);
    buffer.slice(0, i, i + 1).copy_(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_narrow_copy(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer.narrow(0, i, 1).copy_(net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void ok_detached(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer[i] = net.forward(data[i].x).detach();
}

void ok_guarded(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer.index_put_({i}, net.forward(data[i].x));
}

void ok_write_under_guard(Net &net, const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i) {
    Tensor out = net.forward(data[i].x);
    torch::NoGradGuard no_grad;
    buffer[i].copy_(out);
  }
}

void ok_plain_values(const Batches &data) {
  Tensor buffer = torch::zeros({1000, 64});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer[i] = data[i].x * 2;
}

void ok_buffer_reaches_backward(Net &net, torch::optim::Optimizer &opt,
                                const Batches &data) {
  Tensor buffer = torch::zeros({1000, 8});
  for (int64_t i = 0; i < (int64_t)data.size(); ++i)
    buffer[i] = net.forward(data[i].x);
  opt.zero_grad();
  buffer.sum().backward();
  opt.step();
}
