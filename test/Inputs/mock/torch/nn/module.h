//===- module.h - Mock of torch::nn::Module ---------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/types.h>

namespace torch {
template <typename Key, typename Value> class OrderedDict {
public:
  class Item {
  public:
    Value &operator*();
    const Value &operator*() const;
    Value *operator->();
    const Value *operator->() const;
    const Key &key() const noexcept;
    Value &value() noexcept;
    const Value &value() const noexcept;
    const std::pair<Key, Value> &pair() const noexcept;
  };
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;
  Iterator begin();
  ConstIterator begin() const;
  Iterator end();
  ConstIterator end() const;
  size_t size() const noexcept;
  Value &operator[](const Key &key);
  Value *find(const Key &key) noexcept;
  std::vector<Value> values() const;
};

namespace serialize {
class OutputArchive;
class InputArchive;
} // namespace serialize

namespace detail {
struct ModuleHolderIndicator {};
template <typename Head, typename Contained>
constexpr bool is_module_holder_of =
    std::is_base_of<ModuleHolderIndicator, std::decay_t<Head>>::value;
template <typename Void, typename T, typename... A>
struct return_type_of_forward {
  using type = void;
};
template <typename T, typename... A>
struct return_type_of_forward<
    std::void_t<decltype(std::declval<T>().forward(std::declval<A>()...))>, T,
    A...> {
  using type = decltype(std::declval<T>().forward(std::declval<A>()...));
};
template <typename T, typename... A>
using return_type_of_forward_t =
    typename return_type_of_forward<void, T, A...>::type;
} // namespace detail

namespace nn {
template <typename Contained>
class ModuleHolder : torch::detail::ModuleHolderIndicator {
protected:
  std::shared_ptr<Contained> impl_;

public:
  using ContainedType = Contained;
  ModuleHolder();
  ModuleHolder(std::nullptr_t);
  template <typename Head, typename... Tail,
            typename = std::enable_if_t<
                !(torch::detail::is_module_holder_of<Head, Contained> &&
                  (sizeof...(Tail) == 0))>>
  explicit ModuleHolder(Head &&head, Tail &&...tail);
  ModuleHolder(std::shared_ptr<Contained> module);
  explicit operator bool() const noexcept;
  Contained *operator->() { return get(); }
  const Contained *operator->() const { return get(); }
  Contained &operator*() { return *get(); }
  const Contained &operator*() const { return *get(); }
  const std::shared_ptr<Contained> &ptr() const;
  Contained *get();
  const Contained *get() const;
  template <typename... Args>
  auto operator()(Args &&...args)
      -> torch::detail::return_type_of_forward_t<Contained, Args...> {
    return impl_->forward(::std::forward<Args>(args)...);
  }
  template <typename Arg> decltype(auto) operator[](Arg &&arg) {
    return (*impl_)[::std::forward<Arg>(arg)];
  }
  bool is_empty() const noexcept;
};

class TORCH_API Module : public std::enable_shared_from_this<Module> {
public:
  using ModuleApplyFunction = std::function<void(Module &)>;
  explicit Module(std::string name);
  Module();
  virtual ~Module() = default;
  const std::string &name() const noexcept;
  virtual std::shared_ptr<Module>
  clone(const optional<Device> &device = nullopt) const;
  void apply(const ModuleApplyFunction &function);
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const noexcept;
  virtual void to(torch::Device device, torch::Dtype dtype,
                  bool non_blocking = false);
  virtual void to(torch::Dtype dtype, bool non_blocking = false);
  virtual void to(torch::Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = false);
  template <typename ModuleType>
  typename ModuleType::ContainedType *as() noexcept;
  virtual void save(serialize::OutputArchive &archive) const;
  virtual void load(serialize::InputArchive &archive);
  virtual void pretty_print(std::ostream &stream) const;
  Tensor &register_parameter(std::string name, Tensor tensor,
                             bool requires_grad = true);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <typename ModuleType>
  std::shared_ptr<ModuleType>
  register_module(std::string name, std::shared_ptr<ModuleType> module);
  template <typename ModuleType>
  std::shared_ptr<ModuleType>
  register_module(std::string name, ModuleHolder<ModuleType> module_holder);
  template <typename ModuleType>
  std::shared_ptr<ModuleType>
  replace_module(const std::string &name, std::shared_ptr<ModuleType> module);

protected:
  virtual bool _forward_has_default_args();
  virtual unsigned int _forward_num_required_args();
  OrderedDict<std::string, Tensor> parameters_;
};
std::ostream &operator<<(std::ostream &stream, const Module &module);

template <typename Derived> class Cloneable : public virtual Module {
public:
  using Module::Module;
  virtual void reset() = 0;
  std::shared_ptr<Module>
  clone(const optional<Device> &device = nullopt) const override;
};
} // namespace nn
} // namespace torch

#define TORCH_ARG(T, name)                                                     \
public:                                                                        \
  auto name(const T &new_##name) -> decltype(*this);                           \
  auto name(T &&new_##name) -> decltype(*this);                                \
  const T &name() const noexcept;                                              \
  T &name() noexcept;                                                          \
                                                                               \
private:                                                                       \
  T name##_

#define TORCH_MODULE_IMPL(Name, ImplType)                                      \
  class Name : public torch::nn::ModuleHolder<ImplType> {                      \
  public:                                                                      \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;                     \
    using Impl = ImplType;                                                     \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
