// RUN: %check %s torch-retained-graph --option NonConsumers=report::show
//
// A callee that only looks at what it is given.

#include "../Inputs/net.h"

namespace report {
void show(const std::vector<Tensor> &outputs);
}
void consume(const std::vector<Tensor> &outputs);

void bad_shown(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  report::show(kept);
}

void ok_consumed(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  consume(kept);
}
