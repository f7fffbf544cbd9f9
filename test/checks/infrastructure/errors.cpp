// RUN: not %tidy --quiet --checks=-*,torch-* %s -- -std=c++17 -isystem %mock \
// RUN:   > %t 2>&1
// RUN: %filecheck %s < %t
//
// A function with an error is skipped, the others are judged.

#include "../Inputs/net.h"

void broken(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.no_such_method(b.x));
  // CHECK: :[[@LINE-1]]:{{[0-9]+}}: error: no member named 'no_such_method'
}

void bad_sound(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// The graph of its destructor cannot be built.
class Worker {
public:
  ~Worker() { wait(); }
  void bad_member(Net &net, const Batches &data) {
    for (const auto &b : data)
      kept.push_back(net.forward(b.x));
    // CHECK: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }

private:
  void wait() {}
  std::packaged_task<Net> task; // CHECK: error: implicit instantiation of undefined template
  std::vector<Tensor> kept;
};
