//===- Outcome.h - Result of a step of the model ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_OUTCOME_H
#define FAKECUDA_OUTCOME_H

#include "CudaAbi.h"

namespace fakecuda {

constexpr int MaxDevices = 16;

/// An error of CUDA and why; Error 0 is success.
struct Outcome {
  int Error = abi::Success;
  const char *Why = "";
};
inline Outcome invalid(const char *Why) { return {abi::InvalidValue, Why}; }

} // namespace fakecuda

#endif // FAKECUDA_OUTCOME_H
