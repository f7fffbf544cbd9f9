//===- Functions.h - Mock of LibTorch's operators ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <ATen/Tensor.h>

namespace at {
#define TORCHTIDY_MOCK_DECL(N) Tensor N(const Tensor &self);
TORCHTIDY_MOCK_UNARY(TORCHTIDY_MOCK_DECL)
TORCHTIDY_MOCK_DECL(nonzero)
TORCHTIDY_MOCK_DECL(isnan)
TORCHTIDY_MOCK_DECL(softplus)
TORCHTIDY_MOCK_DECL(selu)
TORCHTIDY_MOCK_DECL(silu)
#undef TORCHTIDY_MOCK_DECL
#define TORCHTIDY_MOCK_DECL(N)                                                 \
  Tensor N(const Tensor &self, const Scalar &other);                           \
  Tensor N(const Tensor &self, const Tensor &other);
TORCHTIDY_MOCK_COMPARE(TORCHTIDY_MOCK_DECL)
TORCHTIDY_MOCK_DECL(mul)
TORCHTIDY_MOCK_DECL(div)
TORCHTIDY_MOCK_DECL(pow)
#undef TORCHTIDY_MOCK_DECL

Tensor add(const Tensor &self, const Tensor &other, const Scalar &alpha = 1);
Tensor add(const Tensor &self, const Scalar &other, const Scalar &alpha = 1);
Tensor sub(const Tensor &self, const Tensor &other, const Scalar &alpha = 1);
Tensor gelu(const Tensor &self, string_view approximate = "none");
Tensor leaky_relu(const Tensor &self, const Scalar &negative_slope = 0.01);
Tensor elu(const Tensor &self, const Scalar &alpha = 1);
Tensor sum(const Tensor &self, c10::optional<ScalarType> dtype = c10::nullopt);
Tensor sum(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false,
           c10::optional<ScalarType> dtype = c10::nullopt);
Tensor mean(const Tensor &self, c10::optional<ScalarType> dtype = c10::nullopt);
Tensor mean(const Tensor &self, OptionalIntArrayRef dim, bool keepdim = false,
            c10::optional<ScalarType> dtype = c10::nullopt);
Tensor norm(const Tensor &self, const Scalar &p = 2);
Tensor softmax(const Tensor &self, int64_t dim,
               c10::optional<ScalarType> dtype = c10::nullopt);
Tensor log_softmax(const Tensor &self, int64_t dim,
                   c10::optional<ScalarType> dtype = c10::nullopt);
Tensor argmax(const Tensor &self, c10::optional<int64_t> dim = c10::nullopt,
              bool keepdim = false);
::std::tuple<Tensor, Tensor> max(const Tensor &self, int64_t dim,
                                 bool keepdim = false);
Tensor max(const Tensor &self);
Tensor max(const Tensor &self, const Tensor &other);
Tensor min(const Tensor &self);
Tensor min(const Tensor &self, const Tensor &other);
::std::tuple<Tensor, Tensor> topk(const Tensor &self, int64_t k,
                                  int64_t dim = -1, bool largest = true,
                                  bool sorted = true);
::std::tuple<Tensor, Tensor> sort(const Tensor &self, int64_t dim = -1,
                                  bool descending = false);
Tensor clamp(const Tensor &self, const c10::optional<Scalar> &min,
             const c10::optional<Scalar> &max = c10::nullopt);
Tensor multinomial(const Tensor &self, int64_t num_samples,
                   bool replacement = false);
Tensor bernoulli(const Tensor &self);
Tensor cat(const ITensorListRef &tensors, int64_t dim = 0);
Tensor stack(TensorList tensors, int64_t dim = 0);
Tensor matmul(const Tensor &self, const Tensor &other);
Tensor mm(const Tensor &self, const Tensor &mat2);
Tensor bmm(const Tensor &self, const Tensor &mat2);
Tensor addmm(const Tensor &self, const Tensor &mat1, const Tensor &mat2,
             const Scalar &beta = 1, const Scalar &alpha = 1);
Tensor einsum(string_view equation, TensorList tensors,
              OptionalIntArrayRef path = c10::nullopt);
Tensor linear(const Tensor &input, const Tensor &weight,
              const c10::optional<Tensor> &bias = {});
Tensor conv2d(const Tensor &input, const Tensor &weight,
              const c10::optional<Tensor> &bias = {}, IntArrayRef stride = 1,
              IntArrayRef padding = 0, IntArrayRef dilation = 1,
              int64_t groups = 1);
Tensor max_pool2d(const Tensor &self, IntArrayRef kernel_size,
                  IntArrayRef stride = {}, IntArrayRef padding = 0,
                  IntArrayRef dilation = 1, bool ceil_mode = false);
Tensor avg_pool2d(const Tensor &self, IntArrayRef kernel_size,
                  IntArrayRef stride = {}, IntArrayRef padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  c10::optional<int64_t> divisor_override = c10::nullopt);
Tensor layer_norm(const Tensor &input, IntArrayRef normalized_shape,
                  const c10::optional<Tensor> &weight = {},
                  const c10::optional<Tensor> &bias = {}, double eps = 1e-05,
                  bool cudnn_enable = true);
Tensor embedding(const Tensor &weight, const Tensor &indices,
                 int64_t padding_idx = -1, bool scale_grad_by_freq = false,
                 bool sparse = false);
Tensor dropout(const Tensor &input, double p, bool train);
Tensor where(const Tensor &condition, const Tensor &self, const Tensor &other);
Tensor flatten(const Tensor &self, int64_t start_dim = 0, int64_t end_dim = -1);
::std::vector<Tensor> chunk(const Tensor &self, int64_t chunks,
                            int64_t dim = 0);
::std::vector<Tensor> split(const Tensor &self, int64_t split_size,
                            int64_t dim = 0);
bool equal(const Tensor &self, const Tensor &other);
Tensor clone(const Tensor &self,
             c10::optional<MemoryFormat> memory_format = c10::nullopt);
Tensor detach(const Tensor &self);

Tensor mse_loss(const Tensor &self, const Tensor &target,
                int64_t reduction = Reduction::Mean);
Tensor l1_loss(const Tensor &self, const Tensor &target,
               int64_t reduction = Reduction::Mean);
Tensor smooth_l1_loss(const Tensor &self, const Tensor &target,
                      int64_t reduction = Reduction::Mean, double beta = 1.0);
Tensor huber_loss(const Tensor &self, const Tensor &target,
                  int64_t reduction = Reduction::Mean, double delta = 1.0);
Tensor nll_loss(const Tensor &self, const Tensor &target,
                const c10::optional<Tensor> &weight = {},
                int64_t reduction = Reduction::Mean,
                int64_t ignore_index = -100);
Tensor cross_entropy_loss(const Tensor &self, const Tensor &target,
                          const c10::optional<Tensor> &weight = {},
                          int64_t reduction = Reduction::Mean,
                          int64_t ignore_index = -100,
                          double label_smoothing = 0.0);
Tensor binary_cross_entropy(const Tensor &self, const Tensor &target,
                            const c10::optional<Tensor> &weight = {},
                            int64_t reduction = Reduction::Mean);
Tensor
binary_cross_entropy_with_logits(const Tensor &self, const Tensor &target,
                                 const c10::optional<Tensor> &weight = {},
                                 const c10::optional<Tensor> &pos_weight = {},
                                 int64_t reduction = Reduction::Mean);
Tensor kl_div(const Tensor &self, const Tensor &target,
              int64_t reduction = Reduction::Mean, bool log_target = false);

#define TORCHTIDY_MOCK_FACTORIES(X)                                            \
  X(zeros(IntArrayRef size, TensorOptions options = {}))                       \
  X(ones(IntArrayRef size, TensorOptions options = {}))                        \
  X(empty(IntArrayRef size, TensorOptions options = {}))                       \
  X(rand(IntArrayRef size, TensorOptions options = {}))                        \
  X(randn(IntArrayRef size, TensorOptions options = {}))                       \
  X(full(IntArrayRef size, const Scalar &fill_value,                           \
         TensorOptions options = {}))                                          \
  X(randint(int64_t high, IntArrayRef size, TensorOptions options = kLong))    \
  X(randint(int64_t low, int64_t high, IntArrayRef size,                       \
            TensorOptions options = kLong))                                    \
  X(randperm(int64_t n, TensorOptions options = kLong))                        \
  X(arange(const Scalar &end, TensorOptions options = {}))                     \
  X(arange(const Scalar &start, const Scalar &end,                             \
           TensorOptions options = {}))                                        \
  X(linspace(const Scalar &start, const Scalar &end, int64_t steps,            \
             TensorOptions options = {}))                                      \
  X(eye(int64_t n, TensorOptions options = {}))                                \
  X(scalar_tensor(const Scalar &s, TensorOptions options = {}))                \
  X(zeros_like(const Tensor &self, TensorOptions options = {}))                \
  X(ones_like(const Tensor &self, TensorOptions options = {}))                 \
  X(randn_like(const Tensor &self, TensorOptions options = {}))                \
  X(rand_like(const Tensor &self, TensorOptions options = {}))                 \
  X(empty_like(const Tensor &self, TensorOptions options = {}))                \
  X(full_like(const Tensor &self, const Scalar &fill_value,                    \
              TensorOptions options = {}))
#define TORCHTIDY_MOCK_DECL(...) Tensor __VA_ARGS__;
TORCHTIDY_MOCK_FACTORIES(TORCHTIDY_MOCK_DECL)
#undef TORCHTIDY_MOCK_DECL
} // namespace at
