#pragma once

#include "net.h"

inline void defect_in_header(Net &net, const Batches &data) {
  // Whoever includes this may call it under a guard; here it does not matter.
  torch::AutoGradMode on(true);
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
}
