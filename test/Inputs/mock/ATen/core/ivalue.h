//===- ivalue.h - Mock of c10::IValue ---------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <ATen/Tensor.h>

namespace c10 {
struct IValue;

template <class T> class List final {
public:
  List();
  T get(size_t pos) const;
  void push_back(const T &value) const;
  void emplace_back(T &&value) const;
  void set(size_t pos, const T &value) const;
  void clear() const;
  size_t size() const;
  std::vector<T> vec() const;
};
template <class Key, class Value> class Dict final {
public:
  Dict();
  template <class K, class V> bool insert(K &&key, V &&value) const;
  template <class K, class V> bool insert_or_assign(K &&key, V &&value) const;
  Value at(const Key &key) const;
  void clear() const;
  size_t size() const;
};
namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
} // namespace impl

namespace ivalue {
struct TORCH_API Tuple {
  const std::vector<IValue> &elements() const &;
  size_t size() const;
  static intrusive_ptr<Tuple> create(std::vector<IValue> elements);
};
struct TORCH_API Object{};
} // namespace ivalue

struct TORCH_API IValue final {
  IValue();
  IValue(const IValue &);
  IValue(IValue &&) noexcept;
  IValue &operator=(IValue &&) & noexcept;
  IValue &operator=(IValue const &) & noexcept;
  ~IValue();
  IValue(at::TensorBase t);
  IValue(double d);
  IValue(int64_t i);
  IValue(int32_t i);
  IValue(bool b);
  IValue(const char *v);
  IValue(std::string v);
  IValue(intrusive_ptr<ivalue::Tuple> v);
  template <class T> IValue(List<T> v);
  template <class K, class V> IValue(Dict<K, V> v);
  template <class T> IValue(const std::vector<T> &v);
  template <class T> IValue(optional<T> v);

  bool isTensor() const;
  bool isTuple() const;
  bool isNone() const;
  at::Tensor toTensor() &&;
  at::Tensor &toTensor() &;
  const at::Tensor &toTensor() const &;
  double toDouble() const;
  int64_t toInt() const;
  bool toBool() const;
  std::string toStringRef() const;
  intrusive_ptr<ivalue::Tuple> toTuple() const &;
  List<IValue> toList() const &;
  List<at::Tensor> toTensorList() const &;
  std::vector<at::Tensor> toTensorVector() const;
  impl::GenericDict toGenericDict() const &;
  template <typename T> T to() const &;
};
} // namespace c10
