//===- FrameRules.h - How to leave a frame, by address ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Call frame information, read once per return address and kept as a small
/// rule. Only the shapes that compilers emit for ordinary code; for all others
/// the caller takes the slow road.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_FRAMERULES_H
#define TORCHTIDY_RUNTIME_RECORD_FRAMERULES_H

#include <cstdint>

namespace torchtidy::record {

/// Where the caller's frame begins (CFA); the return address lies below it.
enum class CfaKind : uint8_t {
  Unknown,   ///< a shape not handled here
  Outermost, ///< no caller: _start, or the first function of a thread
  FromRsp,   ///< rsp + Offset
  FromRbp,   ///< rbp + Offset
  AtRbp,     ///< what lies at rbp + Offset (realigned stacks)
};

/// Where the caller's rbp is.
enum class RbpKind : uint8_t { Same, BelowCfa, FromRbp };

struct FrameRule {
  CfaKind Cfa = CfaKind::Unknown;
  RbpKind Rbp = RbpKind::Same;
  int32_t CfaOffset = 0, RbpOffset = 0;
};

/// The rule at \p ReturnAddress, looked up in a lock-free table first.
FrameRule frameRule(uintptr_t ReturnAddress);

/// Forgets all rules: a module was unloaded, its addresses may return.
void forgetFrameRules();
/// Changes whenever they are forgotten.
uint32_t frameRuleGeneration();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_FRAMERULES_H
