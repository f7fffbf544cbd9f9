//===- Thread.h - What CUDA keeps per thread --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_THREAD_H
#define FAKECUDA_THREAD_H

#include "CudaAbi.h"
#include <vector>

namespace fakecuda {

struct ThreadState {
  uint64_t Generation = 0;   // of the machine it belongs to
  std::vector<int> Contexts; // devices of the stack of contexts; -1: none
  int Device = 0;            // of the runtime, as long as there is no context
  int LastError = abi::Success;
  int CaptureMode = abi::CaptureGlobal;

  /// Device of the current context; -1: there is none.
  int current() const { return Contexts.empty() ? -1 : Contexts.back(); }
};

} // namespace fakecuda

#endif // FAKECUDA_THREAD_H
