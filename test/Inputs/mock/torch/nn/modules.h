//===- modules.h - Mock of LibTorch's layers --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/nn/module.h>

namespace torch {
template <size_t D, typename T = int64_t> class ExpandingArray {
public:
  ExpandingArray(std::initializer_list<T> list);
  ExpandingArray(T single_size);
};

namespace nn {
struct TORCH_API LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features);
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias);
};
class TORCH_API LinearImpl : public Cloneable<LinearImpl> {
public:
  LinearImpl(int64_t in_features, int64_t out_features);
  explicit LinearImpl(const LinearOptions &options_);
  void reset() override;
  Tensor forward(const Tensor &input);
  LinearOptions options;
  Tensor weight;
  Tensor bias;
};
TORCH_MODULE(Linear);

template <size_t D> struct ConvOptions {
  ConvOptions(int64_t in_channels, int64_t out_channels,
              ExpandingArray<D> kernel_size);
  TORCH_ARG(ExpandingArray<D>, stride);
  TORCH_ARG(ExpandingArray<D>, padding);
  TORCH_ARG(bool, bias);
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
#define TORCHTIDY_MOCK_CONV(N, D)                                              \
  class TORCH_API N##Impl : public Cloneable<N##Impl> {                        \
  public:                                                                      \
    N##Impl(int64_t input_channels, int64_t output_channels,                   \
            ExpandingArray<D> kernel_size);                                    \
    explicit N##Impl(N##Options options_);                                     \
    void reset() override;                                                     \
    Tensor forward(const Tensor &input);                                       \
    Tensor weight;                                                             \
    Tensor bias;                                                               \
  };                                                                           \
  TORCH_MODULE(N)
TORCHTIDY_MOCK_CONV(Conv1d, 1);
TORCHTIDY_MOCK_CONV(Conv2d, 2);

// Layers without required arguments, or with one integer.
#define TORCHTIDY_MOCK_LAYER(N, Args)                                          \
  class TORCH_API N##Impl : public Cloneable<N##Impl> {                        \
  public:                                                                      \
    explicit N##Impl Args;                                                     \
    void reset() override;                                                     \
    Tensor forward(Tensor input);                                              \
    Tensor weight;                                                             \
  };                                                                           \
  TORCH_MODULE(N)
TORCHTIDY_MOCK_LAYER(ReLU, (bool inplace = false));
TORCHTIDY_MOCK_LAYER(Tanh, (int unused = 0));
TORCHTIDY_MOCK_LAYER(Sigmoid, (int unused = 0));
TORCHTIDY_MOCK_LAYER(GELU, (int unused = 0));
TORCHTIDY_MOCK_LAYER(Flatten, (int unused = 0));
TORCHTIDY_MOCK_LAYER(Softmax, (int64_t dim));
TORCHTIDY_MOCK_LAYER(LogSoftmax, (int64_t dim));
TORCHTIDY_MOCK_LAYER(Dropout, (double p = 0.5));
TORCHTIDY_MOCK_LAYER(MaxPool2d, (ExpandingArray<2> kernel_size));
TORCHTIDY_MOCK_LAYER(BatchNorm1d, (int64_t num_features));
TORCHTIDY_MOCK_LAYER(BatchNorm2d, (int64_t num_features));

struct TORCH_API LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape);
};
class TORCH_API LayerNormImpl : public Cloneable<LayerNormImpl> {
public:
  LayerNormImpl(std::vector<int64_t> normalized_shape);
  explicit LayerNormImpl(LayerNormOptions options_);
  void reset() override;
  Tensor forward(const Tensor &input);
};
TORCH_MODULE(LayerNorm);
class TORCH_API EmbeddingImpl : public Cloneable<EmbeddingImpl> {
public:
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim);
  void reset() override;
  Tensor forward(const Tensor &indices);
  Tensor weight;
};
TORCH_MODULE(Embedding);

template <class Derived> struct RecurrentOptions {
  RecurrentOptions(int64_t input_size, int64_t hidden_size);
  TORCH_ARG(int64_t, num_layers);
  TORCH_ARG(bool, batch_first);
};
using LSTMOptions = RecurrentOptions<class LSTMImpl>;
using GRUOptions = RecurrentOptions<class GRUImpl>;
using TensorPair = std::tuple<Tensor, Tensor>;
class TORCH_API LSTMImpl : public Cloneable<LSTMImpl> {
public:
  LSTMImpl(int64_t input_size, int64_t hidden_size);
  explicit LSTMImpl(const LSTMOptions &options_);
  void reset() override;
  std::tuple<Tensor, std::tuple<Tensor, Tensor>>
  forward(const Tensor &input,
          torch::optional<std::tuple<Tensor, Tensor>> hx_opt = {});
};
TORCH_MODULE(LSTM);
class TORCH_API GRUImpl : public Cloneable<GRUImpl> {
public:
  GRUImpl(int64_t input_size, int64_t hidden_size);
  explicit GRUImpl(const GRUOptions &options_);
  void reset() override;
  std::tuple<Tensor, Tensor> forward(const Tensor &input,
                                     torch::Tensor hx = {});
};
TORCH_MODULE(GRU);
class TORCH_API LSTMCellImpl : public Cloneable<LSTMCellImpl> {
public:
  LSTMCellImpl(int64_t input_size, int64_t hidden_size);
  void reset() override;
  std::tuple<Tensor, Tensor>
  forward(const Tensor &input,
          torch::optional<std::tuple<Tensor, Tensor>> hx_opt = {});
};
TORCH_MODULE(LSTMCell);
class TORCH_API GRUCellImpl : public Cloneable<GRUCellImpl> {
public:
  GRUCellImpl(int64_t input_size, int64_t hidden_size);
  void reset() override;
  Tensor forward(const Tensor &input, torch::Tensor hx = {});
};
TORCH_MODULE(GRUCell);

struct TORCH_API LossOptions {
  LossOptions() = default;
  template <class E> LossOptions(E reduction);
  template <class E> LossOptions &reduction(E reduction);
};
#define TORCHTIDY_MOCK_LOSS(N)                                                 \
  using N##Options = LossOptions;                                              \
  class TORCH_API N##Impl : public Cloneable<N##Impl> {                        \
  public:                                                                      \
    explicit N##Impl(N##Options options_ = {});                                \
    void reset() override;                                                     \
    Tensor forward(const Tensor &input, const Tensor &target);                 \
  };                                                                           \
  TORCH_MODULE(N)
TORCHTIDY_MOCK_LOSS(MSELoss);
TORCHTIDY_MOCK_LOSS(L1Loss);
TORCHTIDY_MOCK_LOSS(SmoothL1Loss);
TORCHTIDY_MOCK_LOSS(NLLLoss);
TORCHTIDY_MOCK_LOSS(CrossEntropyLoss);
TORCHTIDY_MOCK_LOSS(BCELoss);
TORCHTIDY_MOCK_LOSS(BCEWithLogitsLoss);
TORCHTIDY_MOCK_LOSS(KLDivLoss);

class AnyModule {
public:
  AnyModule() = default;
  template <typename ModuleType>
  explicit AnyModule(std::shared_ptr<ModuleType> module);
  template <typename ModuleType>
  explicit AnyModule(const ModuleHolder<ModuleType> &module_holder);
  template <typename ReturnType = torch::Tensor, typename... ArgumentTypes>
  ReturnType forward(ArgumentTypes &&...arguments);
  std::shared_ptr<Module> ptr() const;
  bool is_empty() const noexcept;
};

class SequentialImpl : public Cloneable<SequentialImpl> {
public:
  SequentialImpl() = default;
  template <typename... Modules> explicit SequentialImpl(Modules &&...modules);
  void reset() override;
  template <typename ReturnType = Tensor, typename... InputTypes>
  ReturnType forward(InputTypes &&...inputs);
  template <typename ModuleType>
  void push_back(std::shared_ptr<ModuleType> module_ptr);
  template <typename M> void push_back(const ModuleHolder<M> &module_holder);
  template <typename M>
  void push_back(std::string name, const ModuleHolder<M> &module_holder);
  std::shared_ptr<Module> operator[](size_t index) const;
  size_t size() const noexcept;
};
class Sequential : public torch::nn::ModuleHolder<SequentialImpl> {
public:
  using torch::nn::ModuleHolder<SequentialImpl>::ModuleHolder;
  Sequential() : ModuleHolder() {}
};

class TORCH_API FunctionalImpl : public torch::nn::Cloneable<FunctionalImpl> {
public:
  using Function = std::function<Tensor(Tensor)>;
  explicit FunctionalImpl(Function function);
  template <typename SomeFunction, typename... Args,
            typename = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(SomeFunction original_function, Args &&...args);
  void reset() override;
  Tensor forward(Tensor input);
  Tensor operator()(Tensor input);
};
TORCH_MODULE(Functional);

class ModuleListImpl : public Cloneable<ModuleListImpl> {
public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  ModuleListImpl() = default;
  void reset() override;
  template <typename M> void push_back(const ModuleHolder<M> &module_holder);
  template <typename M> void push_back(std::shared_ptr<M> module_ptr);
  Iterator begin();
  Iterator end();
  template <typename T> T &at(size_t index);
  std::shared_ptr<Module> operator[](size_t index) const;
  size_t size() const noexcept;
};
TORCH_MODULE(ModuleList);
} // namespace nn
} // namespace torch
