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

/// Both modes are bits of one byte of AutogradState: the first one, or, from
/// the version on that begins with an optional object, the one behind that.
constexpr int Places[] = {0, 24};
enum : int { Unknown = -2, None = -1 };

/// Which it is: the one with a bit that turns over with grad mode.
int findPlace(const volatile uint8_t *State, Query *Grad) {
  auto *Set = reinterpret_cast<void (*)(bool)>(
      findElfSymbol("_ZN3c108GradMode11set_enabledEb", false));
  if (!Set || !Grad)
    return None;
  const bool On = Grad();
  for (int At : Places) {
    uint8_t Before = State[At];
    Set(!On);
    uint8_t Turned = State[At];
    Set(On);
    if ((Before ^ Turned) == 1 && State[At] == Before)
      return At;
  }
  return None;
}

const volatile uint8_t *modeByte(Query *Grad) {
  using StateOf = const volatile uint8_t *();
  static std::atomic<StateOf *> Of;
  static std::atomic<int> Place{Unknown};
  int At = Place.load(std::memory_order_acquire);
  if (At == Unknown) {
    Of = reinterpret_cast<StateOf *>(
        findElfSymbol("_ZN3c1013AutogradState13get_tls_stateEv", false));
    At = Of ? findPlace(Of.load()(), Grad) : None;
    Place.store(At, std::memory_order_release);
  }
  return At == None ? nullptr : Of.load(std::memory_order_relaxed)() + At;
}

} // namespace

unsigned torchtidy::record::askMode(ThreadState &T) {
  static std::atomic<Query *> Grad, Inference;
  unsigned Mode =
      (ask(Grad, "_ZN3c108GradMode10is_enabledEv", true) ? GradOn : 0u) |
      (ask(Inference, "_ZN3c1013InferenceMode10is_enabledEv", false)
           ? InferenceOn
           : 0u);
  if (!T.ModeByte)
    T.ModeByte = modeByte(Grad.load(std::memory_order_relaxed));
  if (T.ModeByte) {
    T.ModeByteSeen = *T.ModeByte;
    T.ModeSeen = static_cast<uint8_t>(Mode);
  }
  return Mode;
}

void torchtidy::record::writeMode(ThreadState &T, WriterLock &Lock,
                                  unsigned Mode) {
  T.ModeFlags = static_cast<uint8_t>(Mode);
  Lock.event(T.Index, Kind::GradMode, Mode);
}
