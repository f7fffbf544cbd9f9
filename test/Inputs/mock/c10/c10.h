//===- c10.h - Mock of LibTorch's base types --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// A small look-alike of LibTorch for tests that must parse in milliseconds.
/// Names, types and the classes that declare a method are those of LibTorch;
/// nothing here is defined beyond what return types need.
///
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#define TORCH_API __attribute__((visibility("default")))
#define TORCH_CHECK(cond, ...)                                                 \
  if (!(cond)) {                                                               \
    ::c10::detail::fail();                                                     \
  }

namespace c10 {
namespace detail {
[[noreturn]] void fail();
} // namespace detail

class Error : public std::exception {};

struct nullopt_t {
  explicit constexpr nullopt_t(int) {}
};
constexpr nullopt_t nullopt{0};
struct in_place_t {};
constexpr in_place_t in_place{};

template <class T> class optional {
public:
  constexpr optional() noexcept;
  constexpr optional(nullopt_t) noexcept;
  optional(const optional &);
  optional(optional &&);
  template <
      class U = T,
      std::enable_if_t<std::is_constructible<T, U &&>::value &&
                           !std::is_same<std::decay_t<U>, optional>::value,
                       bool> = true>
  constexpr optional(U &&u);
  optional &operator=(const optional &);
  optional &operator=(optional &&);
  ~optional();
  constexpr bool has_value() const noexcept;
  constexpr explicit operator bool() const noexcept;
  const T &value() const &;
  T &value() &;
  const T &operator*() const &;
  T &operator*() &;
  const T *operator->() const;
  T *operator->();
  template <class V> T value_or(V &&v) const &;
  template <class... A> T &emplace(A &&...args);
  void reset() noexcept;
};

template <class T> class intrusive_ptr {
public:
  intrusive_ptr() noexcept;
  T &operator*() const noexcept;
  T *operator->() const noexcept;
  T *get() const noexcept;
  operator bool() const noexcept;
};

template <typename T> class ArrayRef {
public:
  using iterator = const T *;
  constexpr ArrayRef();
  constexpr ArrayRef(const T &one);
  constexpr ArrayRef(const T *data, size_t length);
  template <typename A> ArrayRef(const std::vector<T, A> &vec);
  template <size_t N> constexpr ArrayRef(const std::array<T, N> &arr);
  template <size_t N> constexpr ArrayRef(const T (&arr)[N]);
  constexpr ArrayRef(const std::initializer_list<T> &vec);
  constexpr iterator begin() const;
  constexpr iterator end() const;
  constexpr size_t size() const;
  constexpr bool empty() const;
  constexpr const T &front() const;
  constexpr const T &back() const;
  constexpr const T &operator[](size_t i) const;
  constexpr const T &at(size_t i) const;
  std::vector<T> vec() const;
};
using IntArrayRef = ArrayRef<int64_t>;

template <typename T> class OptionalArrayRef {
public:
  constexpr OptionalArrayRef() noexcept;
  constexpr OptionalArrayRef(nullopt_t) noexcept;
  template <typename U = ArrayRef<T>,
            std::enable_if_t<
                !std::is_same<std::decay_t<U>, OptionalArrayRef>::value &&
                    std::is_constructible<ArrayRef<T>, U &&>::value &&
                    std::is_convertible<U &&, ArrayRef<T>>::value,
                bool> = false>
  constexpr OptionalArrayRef(U &&value);
  constexpr OptionalArrayRef(std::initializer_list<T> list);
  constexpr OptionalArrayRef(const T &value);
};

template <typename T> class IListRef {
public:
  IListRef();
  IListRef(const T &one);
  IListRef(ArrayRef<T> list);
  IListRef(const std::vector<T> &list);
  IListRef(std::initializer_list<T> list);
};

using string_view = std::string_view;

class Scalar {
public:
  Scalar();
  template <typename T,
            std::enable_if_t<std::is_arithmetic<T>::value, bool> = true>
  Scalar(T v);
  template <typename T> T to() const = delete;
  float toFloat() const;
  double toDouble() const;
  int toInt() const;
  int64_t toLong() const;
  bool toBool() const;
};
template <> float Scalar::to<float>() const;
template <> double Scalar::to<double>() const;
template <> int64_t Scalar::to<int64_t>() const;
template <> int Scalar::to<int>() const;
template <> bool Scalar::to<bool>() const;

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  Bool,
  BFloat16
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char,
                     kShort = ScalarType::Short, kInt = ScalarType::Int,
                     kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double,
                     kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;

enum class DeviceType : int8_t { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
using DeviceIndex = int8_t;

struct Device final {
  Device(DeviceType type, DeviceIndex index = -1);
  Device(const std::string &device_string);
  bool operator==(const Device &other) const noexcept;
  bool operator!=(const Device &other) const noexcept;
  bool is_cuda() const noexcept;
  bool is_cpu() const noexcept;
  DeviceIndex index() const noexcept;
  DeviceType type() const noexcept;
  std::string str() const;
};

enum class Layout : int8_t { Strided, Sparse };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast };

struct TensorOptions {
  TensorOptions();
  template <typename T, typename = std::enable_if_t<
                            std::is_same<std::decay_t<T>, Device>::value ||
                            std::is_same<std::decay_t<T>, DeviceType>::value>>
  TensorOptions(T &&device);
  TensorOptions(ScalarType dtype);
  TensorOptions(MemoryFormat memory_format);
  TensorOptions device(optional<Device> device) const noexcept;
  TensorOptions device(DeviceType device, DeviceIndex index) const noexcept;
  TensorOptions dtype(optional<ScalarType> dtype) const noexcept;
  TensorOptions requires_grad(optional<bool> requires_grad) const noexcept;
  TensorOptions pinned_memory(optional<bool> pinned_memory) const noexcept;
  Device device() const noexcept;
};
TensorOptions dtype(ScalarType dtype);
TensorOptions device(Device device);
TensorOptions requires_grad(bool requires_grad = true);

struct TORCH_API GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

struct TORCH_API AutoGradMode {
  AutoGradMode(bool enabled);
  ~AutoGradMode();
  bool prev_mode;
};

struct TORCH_API NoGradGuard : public AutoGradMode {
  NoGradGuard() : AutoGradMode(/*enabled=*/false) {}
};

struct TORCH_API InferenceMode {
  InferenceMode(bool enabled = true);
  ~InferenceMode();
  static bool is_enabled();
};

class Stream final {
public:
  Device device() const noexcept;
};

class DeviceGuard {
public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
};
class OptionalDeviceGuard {
public:
  explicit OptionalDeviceGuard();
  explicit OptionalDeviceGuard(Device device);
  ~OptionalDeviceGuard();
};
struct StreamGuard {
  explicit StreamGuard(Stream stream);
  ~StreamGuard();
};
} // namespace c10

namespace caffe2 {
class TypeMeta {
public:
  bool operator==(const TypeMeta &other) const noexcept;
  operator c10::ScalarType() const;
};
} // namespace caffe2

namespace at {
using namespace c10;
using GradMode = c10::GradMode;
using AutoGradMode = c10::AutoGradMode;
using NoGradGuard = c10::NoGradGuard;

struct TORCH_API AutoDispatchBelowAutograd {
  AutoDispatchBelowAutograd();
  ~AutoDispatchBelowAutograd();
};
struct TORCH_API AutoDispatchBelowADInplaceOrView {
  AutoDispatchBelowADInplaceOrView();
  ~AutoDispatchBelowADInplaceOrView();
};
class TORCH_API ThreadLocalState {
public:
  ThreadLocalState();
};
class TORCH_API ThreadLocalStateGuard {
public:
  explicit ThreadLocalStateGuard(const ThreadLocalState &state);
  ~ThreadLocalStateGuard();
};

using OptionalIntArrayRef = c10::OptionalArrayRef<int64_t>;
} // namespace at
