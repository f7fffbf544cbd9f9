// RUN: %check %s torch-retained-graph
//
// The report stands at the defect, and a comment there silences it.

#include "../Inputs/net.h"

void bad_plain(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void ok_this_line(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x)); // NOLINT(torch-retained-graph)
}

void ok_next_line(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    // NOLINTNEXTLINE(torch-*)
    kept.push_back(net.forward(b.x));
}

// NOLINTBEGIN(torch-retained-graph)
void ok_block(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
}
// NOLINTEND(torch-retained-graph)

void bad_other_check(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x)); // NOLINT(torch-missing-no-grad)
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
