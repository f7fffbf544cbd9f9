// RUN: %check %s torch-retained-graph --option ForwardNames=infer_batch
//
// A method of a type that only the project knows acts like forward.

#include "../Inputs/net.h"

class Backend {
public:
  Tensor infer_batch(const Tensor &x);
};

void bad_own_forward(Backend &backend, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(backend.infer_batch(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
