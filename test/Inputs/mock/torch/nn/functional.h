//===- functional.h - Mock of torch::nn::functional -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/nn/modules.h>

namespace torch {
namespace nn {
namespace functional {
struct ReLUFuncOptions {
  ReLUFuncOptions(bool inplace = false);
};
struct DropoutFuncOptions {
  TORCH_ARG(double, p);
  TORCH_ARG(bool, training);
};
struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dim);
};
struct LogSoftmaxFuncOptions {
  LogSoftmaxFuncOptions(int64_t dim);
};
Tensor relu(Tensor input, const ReLUFuncOptions &options = {});
Tensor gelu(const Tensor &input);
Tensor dropout(Tensor input, const DropoutFuncOptions &options = {});
Tensor softmax(const Tensor &input, const SoftmaxFuncOptions &options);
Tensor log_softmax(const Tensor &input, const LogSoftmaxFuncOptions &options);
Tensor linear(const Tensor &input, const Tensor &weight,
              const Tensor &bias = {});
Tensor one_hot(const Tensor &tensor, int64_t num_classes = -1);

#define TORCHTIDY_MOCK_LOSS_FN(F, N)                                           \
  using N##FuncOptions = LossOptions;                                          \
  Tensor F(const Tensor &input, const Tensor &target,                          \
           const N##FuncOptions &options = {});
TORCHTIDY_MOCK_LOSS_FN(mse_loss, MSELoss)
TORCHTIDY_MOCK_LOSS_FN(l1_loss, L1Loss)
TORCHTIDY_MOCK_LOSS_FN(nll_loss, NLLLoss)
TORCHTIDY_MOCK_LOSS_FN(cross_entropy, CrossEntropy)
TORCHTIDY_MOCK_LOSS_FN(binary_cross_entropy, BinaryCrossEntropy)
TORCHTIDY_MOCK_LOSS_FN(binary_cross_entropy_with_logits,
                       BinaryCrossEntropyWithLogits)
TORCHTIDY_MOCK_LOSS_FN(kl_div, KLDiv)
Tensor smooth_l1_loss(const Tensor &input, const Tensor &target,
                      const LossOptions &options = {}, double beta = 1.);
} // namespace functional

namespace utils {
double clip_grad_norm_(const std::vector<Tensor> &parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(Tensor parameter, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
void clip_grad_value_(const std::vector<Tensor> &parameters, double clip_value);
} // namespace utils
} // namespace nn
} // namespace torch
