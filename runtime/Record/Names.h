//===- Names.h - Types and scope names, numbered ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_NAMES_H
#define TORCHTIDY_RUNTIME_RECORD_NAMES_H

#include <cstdint>

namespace torchtidy::record {

/// The number of the dynamic type of a polymorphic object; 0 if unknown. Not
/// under the writer's lock.
uint32_t typeOf(const void *Object);

/// The number of a scope's name. Not under the writer's lock.
uint32_t nameId(const char *Name);

/// For a child's log: all of them again, under the writer's lock.
void rewriteNames();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_NAMES_H
