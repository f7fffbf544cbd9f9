//===- script.h - Mock of torch/script.h ------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/autograd.h>
#include <torch/types.h>

namespace torch {
namespace jit {
using c10::IValue;
using Kwargs = std::unordered_map<std::string, IValue>;
using ExtraFilesMap = std::unordered_map<std::string, std::string>;
struct Module;

struct TORCH_API Method {
  IValue operator()(std::vector<IValue> stack, const Kwargs &kwargs = Kwargs());
  const std::string &name() const;
};

struct TORCH_API Object {
  Object() = default;
  IValue attr(const std::string &name) const;
  void setattr(const std::string &name, IValue v);
  bool hasattr(const std::string &name) const;
  Method get_method(const std::string &name) const;
  template <typename... Types>
  IValue run_method(const std::string &method_name, Types &&...args);
};

template <typename Value> struct slot_list_impl {
  struct iterator {
    Value operator*() const;
    iterator &operator++();
    bool operator!=(const iterator &other) const;
  };
  iterator begin() const;
  iterator end() const;
  size_t size() const;
};
template <typename T> struct Named {
  std::string name;
  T value;
};
using parameter_list = slot_list_impl<at::Tensor>;
using named_parameter_list = slot_list_impl<Named<at::Tensor>>;

struct TORCH_API Module : public Object {
  Module() = default;
  IValue forward(std::vector<IValue> inputs, const Kwargs &kwargs = Kwargs());
  IValue operator()(std::vector<IValue> inputs);
  parameter_list parameters(bool recurse = true) const;
  named_parameter_list named_parameters(bool recurse = true) const;
  parameter_list buffers(bool recurse = true) const;
  void train(bool on = true);
  void eval();
  bool is_training() const;
  void to(at::Device device, at::ScalarType dtype, bool non_blocking = false);
  void to(at::ScalarType dtype, bool non_blocking = false);
  void to(at::Device device, bool non_blocking = false);
  void save(const std::string &filename) const;
  Module copy() const;
  Module clone(bool inplace = false) const;
};

TORCH_API Module load(std::istream &in,
                      c10::optional<c10::Device> device = c10::nullopt);
TORCH_API Module load(const std::string &filename,
                      c10::optional<c10::Device> device = c10::nullopt);
TORCH_API Module freeze(const Module &module);
TORCH_API Module optimize_for_inference(Module &module);

namespace script {
using Module = ::torch::jit::Module;
using ExtraFilesMap = ::torch::jit::ExtraFilesMap;
} // namespace script
} // namespace jit
} // namespace torch
