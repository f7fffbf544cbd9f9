// RUN: %tidy --quiet --checks=-*,torch-* %s -- -std=c++17 -isystem %mock \
// RUN:   | %filecheck %s --check-prefix=BOTH
// RUN: %tidy --quiet --checks=-*,torch-* %s \
// RUN:   --config='{CheckOptions: {MaxBlocks: 10}}' \
// RUN:   -- -std=c++17 -isystem %mock | %filecheck %s --check-prefix=SMALL
// RUN: %host --quiet --checks=-*,torch-* %s \
// RUN:   --config='{CheckOptions: {MaxBlocks: 10}}' \
// RUN:   -- -std=c++17 -isystem %mock | %filecheck %s --check-prefix=SMALL
//
// A function with more blocks than MaxBlocks is not judged, and what it calls
// is not taken for called without a guard.

#include "../Inputs/net.h"

#include <cstdio>

// SMALL-NOT: warning:
static void show(Net &net, const Batches &data) {
  for (const auto &b : data)
    std::printf("%f\n", net.forward(b.x).max().item<float>());
  // BOTH: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void bad_long(Net &net, const Batches &data, int verbosity) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // BOTH: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  if (verbosity > 0)
    std::printf("%zu\n", kept.size());
  if (verbosity > 1)
    show(net, data);
  if (verbosity > 2)
    std::printf("done\n");
}

// SMALL-NOT: warning:
void bad_short(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // BOTH: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  // SMALL: :[[@LINE-2]]:{{.*}} [torch-retained-graph]
}
