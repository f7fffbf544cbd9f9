//===- Mode.cpp - Grad mode and inference mode ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfSymbols.h"
#include "Hooks.h"

using namespace torchtidy::record;
using torchtidy::trace::GradOn;
using torchtidy::trace::InferenceOn;
using torchtidy::trace::Kind;

namespace {

using Query = bool();

bool ask(std::atomic<Query *> &Function, const char *Symbol, bool Otherwise) {
  Query *F = Function.load(std::memory_order_relaxed);
  if (!F) {
    F = reinterpret_cast<Query *>(findElfSymbol(Symbol, false));
    if (!F)
      return Otherwise;
    Function.store(F, std::memory_order_relaxed);
  }
  return F();
}

} // namespace

unsigned torchtidy::record::currentMode() {
  static std::atomic<Query *> Grad, Inference;
  return (ask(Grad, "_ZN3c108GradMode10is_enabledEv", true) ? GradOn : 0u) |
         (ask(Inference, "_ZN3c1013InferenceMode10is_enabledEv", false)
              ? InferenceOn
              : 0u);
}

void torchtidy::record::writeMode(ThreadState &T, WriterLock &Lock,
                                  unsigned Mode) {
  T.ModeFlags = static_cast<uint8_t>(Mode);
  Lock.event(T.Index, Kind::GradMode, Mode);
}
