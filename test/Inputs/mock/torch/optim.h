//===- optim.h - Mock of torch/optim.h --------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <torch/nn/module.h>

namespace torch {
namespace optim {
class TORCH_API OptimizerOptions {
public:
  virtual ~OptimizerOptions() = default;
  virtual double get_lr() const;
  virtual void set_lr(const double lr);
};

class TORCH_API OptimizerParamGroup {
public:
  OptimizerParamGroup(const OptimizerParamGroup &param_group);
  OptimizerParamGroup(std::vector<Tensor> params);
  OptimizerParamGroup(std::vector<Tensor> params,
                      std::unique_ptr<OptimizerOptions> options);
  OptimizerOptions &options();
  std::vector<Tensor> &params();
  const std::vector<Tensor> &params() const;
};

class TORCH_API Optimizer {
public:
  Optimizer(const Optimizer &optimizer) = delete;
  Optimizer(Optimizer &&optimizer) = default;
  explicit Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults);
  explicit Optimizer(std::vector<Tensor> parameters,
                     std::unique_ptr<OptimizerOptions> defaults);
  virtual ~Optimizer() = default;
  void add_param_group(const OptimizerParamGroup &param_group);
  using LossClosure = std::function<Tensor()>;
  virtual Tensor step(LossClosure closure = nullptr) = 0;
  void add_parameters(const std::vector<Tensor> &parameters);
  void zero_grad();
  std::vector<OptimizerParamGroup> &param_groups() noexcept;
  const std::vector<OptimizerParamGroup> &param_groups() const noexcept;
  OptimizerOptions &defaults() noexcept;
  virtual void save(serialize::OutputArchive &archive) const;
  virtual void load(serialize::InputArchive &archive);

protected:
  std::vector<OptimizerParamGroup> param_groups_;
};

struct TORCH_API SGDOptions : public OptimizerOptions {
  SGDOptions(double lr);
  TORCH_ARG(double, lr);
  TORCH_ARG(double, momentum);
  TORCH_ARG(double, weight_decay);
};
#define TORCHTIDY_MOCK_OPTIONS(N, Lr)                                          \
  struct TORCH_API N##Options : public OptimizerOptions {                      \
    N##Options(double lr = Lr);                                                \
    TORCH_ARG(double, lr);                                                     \
    TORCH_ARG(double, weight_decay);                                           \
    TORCH_ARG(double, eps);                                                    \
  };
TORCHTIDY_MOCK_OPTIONS(Adam, 1e-3)
TORCHTIDY_MOCK_OPTIONS(AdamW, 1e-3)
TORCHTIDY_MOCK_OPTIONS(RMSprop, 1e-2)
TORCHTIDY_MOCK_OPTIONS(Adagrad, 1e-2)
struct TORCH_API LBFGSOptions : public OptimizerOptions {
  LBFGSOptions(double lr = 1);
  TORCH_ARG(double, lr);
  TORCH_ARG(int64_t, max_iter);
};

class TORCH_API SGD : public Optimizer {
public:
  explicit SGD(std::vector<OptimizerParamGroup> param_groups,
               SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  torch::Tensor step(LossClosure closure = nullptr) override;
};
#define TORCHTIDY_MOCK_OPTIMIZER(N)                                            \
  class TORCH_API N : public Optimizer {                                       \
  public:                                                                      \
    explicit N(std::vector<OptimizerParamGroup> param_groups,                  \
               N##Options defaults = {});                                      \
    explicit N(std::vector<Tensor> params, N##Options defaults = {});          \
    torch::Tensor step(LossClosure closure = nullptr) override;                \
  };
TORCHTIDY_MOCK_OPTIMIZER(Adam)
TORCHTIDY_MOCK_OPTIMIZER(AdamW)
TORCHTIDY_MOCK_OPTIMIZER(RMSprop)
TORCHTIDY_MOCK_OPTIMIZER(Adagrad)

class TORCH_API LBFGS : public Optimizer {
public:
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {});
  Tensor step(LossClosure closure) override;
};

class TORCH_API LRScheduler {
public:
  LRScheduler(Optimizer &optimizer);
  virtual ~LRScheduler() = default;
  void step();
};
class TORCH_API StepLR : public LRScheduler {
public:
  StepLR(Optimizer &optimizer, const unsigned step_size,
         const double gamma = 0.1);
};
} // namespace optim
} // namespace torch
