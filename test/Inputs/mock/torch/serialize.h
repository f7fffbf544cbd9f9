//===- serialize.h - Mock of torch/serialize.h ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/nn/module.h>

namespace torch {
namespace serialize {
class TORCH_API OutputArchive final {
public:
  OutputArchive();
  void write(const std::string &key, const Tensor &tensor,
             bool is_buffer = false);
  void save_to(const std::string &filename);
};
class TORCH_API InputArchive final {
public:
  InputArchive();
  void read(const std::string &key, Tensor &tensor, bool is_buffer = false);
  void load_from(const std::string &filename,
                 c10::optional<torch::Device> device = c10::nullopt);
};
} // namespace serialize

template <typename Value, typename... SaveToArgs>
void save(const Value &value, SaveToArgs &&...args);
template <typename... SaveToArgs>
void save(const std::vector<torch::Tensor> &tensor_vec, SaveToArgs &&...args);
template <typename Value, typename... LoadFromArgs>
void load(Value &value, LoadFromArgs &&...args);
} // namespace torch
