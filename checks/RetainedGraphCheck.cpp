//===- RetainedGraphCheck.cpp - History kept past its iteration -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/RetainedGraphCheck.h"

using namespace torchtidy;
using namespace torchtidy::checks;

void RetainedGraphCheck::diagnose(const flow::Model &) {}
