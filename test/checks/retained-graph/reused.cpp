// RUN: %check %s torch-retained-graph
//
// A variable that takes several values per round keeps the last one only.

#include "../Inputs/net.h"

#include <cstdio>

void ok_taken_again_in_each_round(Net &net, const Batches &data) {
  Tensor metric;
  for (const auto &b : data) {
    metric = net.forward(b.x);
    metric = metric.mean();
    metric = metric * 2;
  }
  std::printf("%f\n", metric.item<double>());
}

void ok_one_of_two(Net &net, const Batches &data, bool more) {
  Tensor metric;
  for (const auto &b : data) {
    metric = net.forward(b.x).mean();
    if (more)
      metric = metric + net.forward(b.y).mean();
  }
  std::printf("%f\n", metric.item<double>());
}

void bad_once_per_round(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    Tensor loss = net.forward(b.x).mean();
    loss = loss * 2;
    total = total + loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  std::printf("%f\n", total.item<double>());
}

void bad_by_way_of_another(Net &net, const Batches &data) {
  Tensor total = torch::zeros({1}), next;
  for (const auto &b : data) {
    next = total * 0.9;
    next = next + net.forward(b.x).mean();
    total = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  std::printf("%f\n", total.item<double>());
}
