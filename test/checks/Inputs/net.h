// A network and its data, as the tests of all checks use them.
#pragma once

#include <torch/torch.h>

#include <vector>

using torch::Tensor;

struct Batch {
  Tensor x, y;
};
using Batches = std::vector<Batch>;

struct Net : torch::nn::Module {
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
  torch::nn::Linear l{nullptr};
};
