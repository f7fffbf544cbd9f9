//===- UnscaledAccumulationCheck.cpp - Micro-batches summed unscaled ------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/UnscaledAccumulationCheck.h"

using namespace torchtidy;
using namespace torchtidy::checks;

void UnscaledAccumulationCheck::diagnose(const flow::Model &) {}
