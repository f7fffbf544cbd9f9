//===- Export.h - Summaries for other files ---------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_EXPORT_H
#define TORCHTIDY_FLOW_EXPORT_H

#include "Flow/Chains.h"
#include "Flow/Portable.h"

namespace torchtidy::flow {

/// How other files may name a declaration: its USR, and the header that
/// declares it. Empty if they cannot.
std::string idOf(const clang::Decl *D);

/// What the functions of this file do. Needs Options::Links.
portable::Module exportFacts(const Analysis &A, const Chains &C);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_EXPORT_H
