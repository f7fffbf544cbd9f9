//===- Symbols.cpp - What is hooked, and the functions behind it ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "ElfSymbols.h"
#include "LogFile.h"
#include "Modules.h"
#include "Writer.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::HookState;
using torchtidy::trace::RareKind;

std::atomic<void *> torchtidy::record::RealFunctions[HookCount];
uint64_t torchtidy::record::FiredCounts[HookCount];

namespace {

struct Hook {
  const char *Feature, *Symbol;
  std::atomic<bool> LookedUp; ///< with LibTorch there, to no avail
  HookState WrittenState;
  bool WrittenFired;
};

Hook Hooks[] = {
#define TORCHTIDY_ROW(Id, Feature, Symbol)                                     \
  {Feature, Symbol, {false}, HookState::Waiting, false},
    TORCHTIDY_HOOKS(TORCHTIDY_ROW)
#undef TORCHTIDY_ROW
};

HookState state(unsigned I) {
  if (RealFunctions[I].load(std::memory_order_relaxed))
    return HookState::Present;
  return Hooks[I].LookedUp ? HookState::Missing : HookState::Waiting;
}

} // namespace

void *torchtidy::record::realFunctionOrNull(HookId Id) {
  const auto I = static_cast<unsigned>(Id);
  void *P = RealFunctions[I].load(std::memory_order_acquire);
  if (!P && (P = findElfSymbol(Hooks[I].Symbol, false)))
    RealFunctions[I].store(P, std::memory_order_release);
  return P;
}

void *torchtidy::record::findRealFunction(HookId Id) {
  if (void *P = realFunctionOrNull(Id))
    return P;
  say("internal error: nothing behind ",
      Hooks[static_cast<unsigned>(Id)].Symbol);
  std::abort();
}

bool torchtidy::record::torchLoaded() {
  return forEachModule(
      [](const char *Path, void *) {
        const char *Name = std::strrchr(Path, '/');
        Name = Name ? Name + 1 : Path;
        return std::strncmp(Name, "libtorch_cpu", 12) == 0 ||
               std::strncmp(Name, "libc10.so", 9) == 0;
      },
      nullptr);
}

void torchtidy::record::resolveHooks() {
  if (!torchLoaded())
    return;
  for (unsigned I = 0; I < HookCount; ++I)
    if (!realFunctionOrNull(static_cast<HookId>(I)))
      Hooks[I].LookedUp = true;
}

void torchtidy::record::writeHooks(bool All) {
  for (unsigned I = 0; I < HookCount; ++I) {
    Hook &H = Hooks[I];
    const bool Fired = FiredCounts[I] != 0;
    if (!All && H.WrittenState == state(I) && H.WrittenFired == Fired)
      continue;
    H.WrittenState = state(I);
    H.WrittenFired = Fired;
    // Feature and symbol in one text.
    char Text[256];
    int N = std::snprintf(Text, sizeof(Text), "%s %s", H.Feature, H.Symbol);
    Encoder &E = openRecord(sizeof(Text));
    E.rare(RareKind::Hook);
    E.number(I);
    E.number(static_cast<unsigned>(H.WrittenState));
    E.number(FiredCounts[I]);
    putText(E, Text, static_cast<size_t>(N));
  }
}
