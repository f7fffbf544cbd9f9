// RUN: %check %s torch-missing-no-grad --option GuardTypes=ModelLock
//
// A guard that only the project knows.

#include "../Inputs/net.h"

class ModelLock {
public:
  ModelLock();
  ~ModelLock();
};

float ok_own_guard(Net &net, Tensor x) {
  net.eval();
  ModelLock lock;
  return net.forward(x).max().item<float>();
}

float bad_no_guard(Net &net, Tensor x) {
  net.eval();
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
