//===- TypeTables.h - room in clang's tables of types -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_TYPETABLES_H
#define TORCHTIDY_DRIVER_TYPETABLES_H

#include "clang/AST/Type.h"

namespace torchtidy::driver {

/// clang finds equal types by hash tables that run through the types
/// themselves. One that grows writes to all types of its kind, which stand all
/// over the heap; in a forked process that copies most of it. So they grow
/// before the fork, where a file's own types might make them.
void growTypeTables(clang::ASTContext &Context);

/// How many types of this kind fit in before the table grows.
size_t roomInTypeTable(const clang::ASTContext &Context,
                       clang::Type::TypeClass Kind);

/// What growTypeTables leaves at least.
constexpr size_t RoomForFile = 8192;

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_TYPETABLES_H
