//===- autograd.h - Mock of torch/autograd.h --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/types.h>

namespace torch {
namespace autograd {
using Variable = at::Tensor;
using tensor_list = std::vector<at::Tensor>;
using variable_list = std::vector<Variable>;
using GradMode = at::GradMode;
using AutoGradMode = at::AutoGradMode;
using InferenceMode = c10::InferenceMode;

struct TORCH_API Node {
  std::string name() const;
  size_t num_inputs() const;
};

TORCH_API void backward(const variable_list &tensors,
                        const variable_list &grad_tensors = {},
                        c10::optional<bool> retain_graph = c10::nullopt,
                        bool create_graph = false,
                        const variable_list &inputs = {});
TORCH_API variable_list grad(const variable_list &outputs,
                             const variable_list &inputs,
                             const variable_list &grad_outputs = {},
                             c10::optional<bool> retain_graph = c10::nullopt,
                             bool create_graph = false,
                             bool allow_unused = false);

struct TORCH_API AutogradContext {
  AutogradContext();
  AutogradContext(const AutogradContext &other) = delete;
  std::unordered_map<std::string, c10::IValue> saved_data;
  void save_for_backward(variable_list to_save);
  void mark_dirty(const variable_list &inputs);
  void mark_non_differentiable(const variable_list &outputs);
  void set_materialize_grads(bool value);
  variable_list get_saved_variables() const;
};

template <typename X, typename... Args>
using forward_t = decltype(X::forward(nullptr, std::declval<Args>()...));

template <class T> struct TORCH_API Function {
  template <typename X = T, typename... Args>
  static auto apply(Args &&...args)
      -> std::enable_if_t<std::is_same<X, T>::value, forward_t<X, Args...>> {
    (void)&X::backward; // the node will call it
    return X::forward(nullptr, std::forward<Args>(args)...);
  }
};
} // namespace autograd
} // namespace torch
