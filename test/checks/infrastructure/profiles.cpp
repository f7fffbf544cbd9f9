// RUN: %tidy --quiet --checks=-*,torch-* %s \
// RUN:   --config='{CheckOptions: {TorchProfiles: "perf;strict"}}' \
// RUN:   -- -std=c++17 -isystem %mock | count 0
// RUN: %tidy --quiet --checks=-*,torch-* %s \
// RUN:   --config='{CheckOptions: {TorchProfiles: "perf;default"}}' \
// RUN:   -- -std=c++17 -isystem %mock | %filecheck %s
// RUN: %host --quiet --checks=-*,torch-* %s \
// RUN:   --config='{CheckOptions: {TorchProfiles: perf}}' \
// RUN:   -- -std=c++17 -isystem %mock | count 0
//
// CHECK: [torch-retained-graph]

#include "../Inputs/net.h"

void bad(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
}
