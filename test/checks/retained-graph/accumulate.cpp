// RUN: %check %s torch-retained-graph
//
// Sums, averages and whatever else is made from the holder's own old value.

#include "../Inputs/net.h"

double bad_add_assign(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    total += loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  return total.item<double>();
}

double bad_plus(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total = total + torch::mse_loss(net.forward(b.x), b.y);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return total.item<double>();
}

double bad_plus_from_the_right(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    total = loss + total;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  return total.item<double>();
}

double bad_add_function(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total = torch::add(total, torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return total.item<double>();
}

double bad_add_method(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total = total.add(torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return total.item<double>();
}

double bad_add_in_place(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total.add_(torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return total.item<double>();
}

double bad_subtract(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total -= torch::mse_loss(net.forward(b.x), b.y);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return total.item<double>();
}

double bad_running_average(Net &net, const Batches &data) {
  Tensor average = torch::zeros({1});
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    average = 0.9 * average + 0.1 * loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  return average.item<double>();
}

int64_t bad_concatenation(Net &net, const Batches &data) {
  Tensor all = torch::zeros({0, 8});
  for (const auto &b : data)
    all = torch::cat({all, net.forward(b.x)});
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return all.size(0);
}

double bad_maximum(Net &net, const Batches &data) {
  Tensor best = torch::zeros({1});
  for (const auto &b : data)
    best = torch::max(best, torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return best.item<double>();
}

double bad_through_a_temporary(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    auto next = total + loss;
    total = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  return total.item<double>();
}

double bad_empty_at_first(Net &net, const Batches &data) {
  Tensor total;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (!total.defined())
      total = loss;
    else
      total = total + loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  return total.item<double>();
}

struct Meter {
  Tensor sum = torch::zeros({1});
  int count = 0;
};

void bad_field(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  Meter meter;
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    meter.sum += loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    ++meter.count;
  }
}

double ok_item(Net &net, const Batches &data) {
  double total = 0;
  for (const auto &b : data)
    total += torch::mse_loss(net.forward(b.x), b.y).item<double>();
  return total;
}

double ok_detach(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total += torch::mse_loss(net.forward(b.x), b.y).detach();
  return total.item<double>();
}

double ok_detached_every_time(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total = (total + torch::mse_loss(net.forward(b.x), b.y)).detach();
  return total.item<double>();
}

double ok_detached_in_place(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    total += torch::mse_loss(net.forward(b.x), b.y);
    total.detach_();
  }
  return total.item<double>();
}

int64_t ok_counts(Net &net, const Batches &data) {
  Tensor correct = torch::zeros({1}, torch::kLong);
  for (const auto &b : data)
    correct += net.forward(b.x).argmax(1).eq(b.y).sum();
  return correct.item<int64_t>();
}

void ok_sum_reaches_backward(Net &net, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data)
    total += torch::mse_loss(net.forward(b.x), b.y);
  opt.zero_grad();
  total.backward();
  opt.step();
}

void ok_sum_starts_anew(Net &net, torch::optim::Optimizer &opt,
                        const std::vector<Batches> &epochs) {
  for (const auto &data : epochs) {
    Tensor total = torch::zeros({1});
    for (const auto &b : data)
      total = total + torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    (total / (double)data.size()).backward();
    opt.step();
  }
}

void ok_loss_of_two_terms(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor out = net.forward(b.x);
    Tensor loss = torch::mse_loss(out, b.y);
    loss = loss + 0.1 * out.pow(2).mean();
    loss += 0.1 * out.abs().mean();
    loss.backward();
    opt.step();
  }
}
