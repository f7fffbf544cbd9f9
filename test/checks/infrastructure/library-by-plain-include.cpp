// RUN: %tidy --quiet --checks=-*,torch-* --header-filter=.* %s -- -std=c++17 \
// RUN:   -I%mock | count 0
//
// LibTorch's own headers stay unjudged, also when -I names them.

#include "../Inputs/net.h"
#include <torch/script.h>

Tensor forward(torch::nn::Linear &layer, Tensor x) { return layer(x); }
