#pragma once
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl(int64_t In, int64_t Hidden, int64_t Out) {
    First = register_module("first", torch::nn::Linear(In, Hidden));
    Second = register_module("second", torch::nn::Linear(Hidden, Out));
  }
  torch::Tensor forward(torch::Tensor X) {
    return Second->forward(torch::relu(First->forward(X)));
  }
  torch::nn::Linear First{nullptr}, Second{nullptr};
};
TORCH_MODULE(Net);
