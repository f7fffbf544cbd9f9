// RUN: %check %s torch-retained-graph
//
// Where something is frozen, nothing is said of what weights alone produce.

#include "../Inputs/net.h"

void ok_frozen_weights(torch::nn::Linear layer, int n) {
  for (auto &p : layer->parameters())
    p.requires_grad_(false);
  std::vector<Tensor> kept;
  for (int i = 0; i < n; ++i)
    kept.push_back(layer->weight.pow(2).sum());
}
