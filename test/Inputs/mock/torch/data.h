//===- data.h - Mock of torch/data.h ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/types.h>

namespace torch {
namespace data {
template <typename Data = torch::Tensor, typename Target = torch::Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;
  Example() = default;
  Example(Data data, Target target);
  Data data;
  Target target;
};

namespace transforms {
template <typename E = Example<>> struct Stack {
  using OutputBatchType = E;
};
template <typename Target = Tensor> struct Normalize {
  using OutputBatchType = void;
  Normalize(ArrayRef<double> mean, ArrayRef<double> stddev);
};
} // namespace transforms

namespace datasets {
namespace detail {
template <typename Batch, typename Out> struct MappedBatch {
  using type = Out;
};
template <typename Batch> struct MappedBatch<Batch, void> {
  using type = Batch;
};
} // namespace detail

template <typename Source, typename Transform> class MapDataset;

template <typename Self, typename Batch> class BatchDataset {
public:
  using SelfType = Self;
  using BatchType = Batch;
  virtual ~BatchDataset() = default;
  virtual Batch get_batch(ArrayRef<size_t> request) = 0;
  virtual optional<size_t> size() const = 0;
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) &;
  template <typename Transform>
  MapDataset<Self, Transform> map(Transform transform) &&;
};

template <typename Self, typename SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
public:
  using ExampleType = SingleExample;
  virtual ExampleType get(size_t index) = 0;
  std::vector<ExampleType> get_batch(ArrayRef<size_t> indices) override;
};

template <typename Source, typename Transform>
class MapDataset
    : public BatchDataset<MapDataset<Source, Transform>,
                          typename detail::MappedBatch<
                              typename Source::BatchType,
                              typename Transform::OutputBatchType>::type> {
public:
  using BatchType =
      typename detail::MappedBatch<typename Source::BatchType,
                                   typename Transform::OutputBatchType>::type;
  BatchType get_batch(ArrayRef<size_t> indices) override;
  optional<size_t> size() const noexcept override;
};

class TORCH_API MNIST : public Dataset<MNIST> {
public:
  enum class Mode { kTrain, kTest };
  explicit MNIST(const std::string &root, Mode mode = Mode::kTrain);
  Example<> get(size_t index) override;
  optional<size_t> size() const override;
};

struct TensorExample;
} // namespace datasets

namespace samplers {
class RandomSampler {
public:
  explicit RandomSampler(int64_t size);
};
class SequentialSampler {
public:
  explicit SequentialSampler(size_t size);
};
} // namespace samplers

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size);
  DataLoaderOptions &batch_size(size_t n);
  DataLoaderOptions &workers(size_t n);
  DataLoaderOptions &drop_last(bool drop);
};

template <typename Batch> class Iterator {
public:
  Iterator &operator++();
  Batch &operator*();
  Batch *operator->();
  bool operator==(const Iterator &other) const;
  bool operator!=(const Iterator &other) const;
};

template <typename Dataset, typename Batch, typename BatchRequest>
class DataLoaderBase {
public:
  using BatchType = Batch;
  virtual ~DataLoaderBase() = default;
  Iterator<Batch> begin();
  Iterator<Batch> end();
};

template <typename Dataset, typename Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                            std::vector<size_t>> {};

template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset,
                 DataLoaderOptions options = DataLoaderOptions());
template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, Sampler sampler, DataLoaderOptions options);
} // namespace data
} // namespace torch
