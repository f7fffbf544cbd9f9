//===- CallFrameInfo.h - Reads .eh_frame of loaded modules ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_CALLFRAMEINFO_H
#define TORCHTIDY_RUNTIME_RECORD_CALLFRAMEINFO_H

#include "FrameRules.h"

namespace torchtidy::record {

/// Reads the rule from the module's .eh_frame; CfaKind::Unknown if there is
/// none or if it is more than a FrameRule can say.
FrameRule readFrameRule(uintptr_t ReturnAddress);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_CALLFRAMEINFO_H
