//===- thread_pool.h - Mock of LibTorch's pool of threads -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <functional>

namespace c10 {

class TaskThreadPoolBase {
public:
  virtual void run(std::function<void()> func) = 0;
  virtual ~TaskThreadPoolBase() = default;
};

class ThreadPool : public TaskThreadPoolBase {
public:
  explicit ThreadPool(int pool_size);
  void run(std::function<void()> func) override;
  void waitWorkComplete();
};

} // namespace c10
