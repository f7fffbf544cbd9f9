//===- types.h - Mock of torch/types.h --------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <ATen/ATen.h>

namespace torch {
using namespace at;
using c10::nullopt;
using c10::optional;
using Dtype = at::ScalarType;
constexpr auto kUInt8 = at::kByte;
constexpr auto kInt32 = at::kInt;
constexpr auto kInt64 = at::kLong;
constexpr auto kFloat16 = at::kHalf;
constexpr auto kFloat32 = at::kFloat;
constexpr auto kFloat64 = at::kDouble;
using NoGradGuard = at::NoGradGuard;
using AutoGradMode = at::AutoGradMode;
using at::get_num_threads;
using at::manual_seed;
using at::set_num_threads;

namespace detail {
struct TensorDataContainer {
  TensorDataContainer();
  template <typename T,
            std::enable_if_t<std::is_arithmetic<T>::value, bool> = true>
  TensorDataContainer(T value);
  TensorDataContainer(std::initializer_list<TensorDataContainer> init_list);
  template <typename T> TensorDataContainer(const std::vector<T> &values);
  template <typename T> TensorDataContainer(at::ArrayRef<T> values);
};
} // namespace detail

// As in LibTorch these hide at::'s functions of the same names.
#define TORCHTIDY_MOCK_DECL(...) at::Tensor __VA_ARGS__;
TORCHTIDY_MOCK_FACTORIES(TORCHTIDY_MOCK_DECL)
#undef TORCHTIDY_MOCK_DECL
at::Tensor tensor(detail::TensorDataContainer tensor_data_container,
                  const at::TensorOptions &options = {});
at::Tensor from_blob(void *data, at::IntArrayRef sizes,
                     const at::TensorOptions &options = at::TensorOptions());
at::Tensor from_blob(void *data, at::IntArrayRef sizes,
                     const std::function<void(void *)> &deleter,
                     const at::TensorOptions &options = at::TensorOptions());

namespace enumtype {
struct kNone {};
struct kMean {};
struct kSum {};
struct kBatchMean {};
struct kReLU {};
struct kTanh {};
} // namespace enumtype
extern const enumtype::kNone kNone;
extern const enumtype::kMean kMean;
extern const enumtype::kSum kSum;
extern const enumtype::kBatchMean kBatchMean;
extern const enumtype::kReLU kReLU;
extern const enumtype::kTanh kTanh;

namespace cuda {
size_t device_count();
bool is_available();
bool cudnn_is_available();
void manual_seed(uint64_t seed);
void synchronize(int64_t device_index = -1);
} // namespace cuda
} // namespace torch
