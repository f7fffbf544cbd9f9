// RUN: %check %s torch-missing-no-grad --option ThreadLaunchers=Pool::enqueue
//
// A thread pool that only the project knows.

#include "../Inputs/net.h"

#include <cstdio>
#include <functional>

class Pool {
public:
  void enqueue(std::function<void()> job);
};

void bad_in_pool(Net &net, Pool &pool, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  pool.enqueue([&net, x] {
    std::printf("%f\n", net.forward(x).max().item<float>());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
}
