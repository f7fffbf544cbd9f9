//===- FindingSink.cpp - Structured findings beside diagnostics -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/FindingSink.h"

using namespace torchtidy::checks;

static thread_local FindingSink *Current = nullptr;

FindingSink::~FindingSink() = default;
FindingSink *FindingSink::current() { return Current; }
void FindingSink::install(FindingSink *Sink) { Current = Sink; }
