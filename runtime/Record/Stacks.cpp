//===- Stacks.cpp - Call stacks and their numbers -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"
#include "FrameRules.h"
#include <execinfo.h>
#include <pthread.h>

using namespace torchtidy::record;

extern "C" __attribute__((weak)) void *__libc_stack_end;
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace {

bool ours(uintptr_t Address) {
  return Address - reinterpret_cast<uintptr_t>(__ehdr_start) <
         static_cast<uintptr_t>(_end - __ehdr_start);
}

void findBounds(StackCache &C, uintptr_t Sp) {
  pthread_attr_t Attributes;
  void *Low = nullptr;
  size_t Size = 0;
  if (pthread_getattr_np(pthread_self(), &Attributes) == 0) {
    pthread_attr_getstack(&Attributes, &Low, &Size);
    pthread_attr_destroy(&Attributes);
  }
  C.Low = reinterpret_cast<uintptr_t>(Low);
  C.High = C.Low + Size;
  // The main thread's stack grows, and its size is what the limit says.
  auto Bottom = reinterpret_cast<uintptr_t>(__libc_stack_end);
  if (Bottom && Sp < Bottom && C.High > Bottom && C.Low <= Bottom)
    C.Low = 0;
  if (!Size)
    C.High = C.Low = 1;
}

uint32_t rootedAt(uint32_t Root, uint32_t Parent, uintptr_t Address) {
  return extendStack(Parent, Address, Root != 0 && Parent == Root);
}

/// The C library's way handles everything, a hundred times slower; its result
/// is not remembered. libunwind is no help: its archive is not position
/// independent, and its shared library would become the program's own unwinder.
__attribute__((noinline)) uint32_t slowStack(StackCache &C, uint32_t Root) {
  C.Count = 0;
  void *Frames[MaxFrames];
  int Count = backtrace(Frames, MaxFrames);
  uint32_t Id = Root;
  for (int I = Count - 1; I >= 0; --I) {
    auto Address = reinterpret_cast<uintptr_t>(Frames[I]);
    if (Address && !ours(Address))
      Id = rootedAt(Root, Id, Address);
  }
  return Id;
}

/// Are all frames up to \p Count as they were? Then so is the way out.
bool inPlace(const StackCache &C, unsigned Count) {
  for (unsigned I = 0; I < Count; ++I) {
    const KnownFrame &F = C.Frames[I];
    if (*reinterpret_cast<const uintptr_t *>(F.Sp - 8) != F.Address ||
        (F.RbpAt && *F.RbpAt != F.Rbp))
      return false;
  }
  return true;
}

struct Registers {
  uintptr_t Address, Sp, Rbp;
  const uintptr_t *RbpAt;
};

enum class Step { Done, Outermost, Unknown };

Step leaveFrame(const StackCache &C, Registers &R) {
  FrameRule Rule = frameRule(R.Address);
  uintptr_t Cfa = 0;
  auto Readable = [&](uintptr_t P) {
    return P >= R.Sp - 256 && P <= C.High - 8 && P % 8 == 0;
  };
  auto At = [](uintptr_t P) { return *reinterpret_cast<uintptr_t *>(P); };
  switch (Rule.Cfa) {
  case CfaKind::Unknown:
    return Step::Unknown;
  case CfaKind::Outermost:
    return Step::Outermost;
  case CfaKind::FromRsp:
    Cfa = R.Sp + static_cast<intptr_t>(Rule.CfaOffset);
    break;
  case CfaKind::FromRbp:
    Cfa = R.Rbp + static_cast<intptr_t>(Rule.CfaOffset);
    break;
  case CfaKind::AtRbp: {
    uintptr_t P = R.Rbp + static_cast<intptr_t>(Rule.CfaOffset);
    if (!Readable(P))
      return Step::Unknown;
    Cfa = At(P);
    break;
  }
  }
  if (Cfa <= R.Sp || !Readable(Cfa - 8))
    return Step::Unknown;
  if (Rule.Rbp != RbpKind::Same) {
    uintptr_t P = (Rule.Rbp == RbpKind::BelowCfa ? Cfa : R.Rbp) +
                  static_cast<intptr_t>(Rule.RbpOffset);
    if (!Readable(P))
      return Step::Unknown;
    R.RbpAt = reinterpret_cast<uintptr_t *>(P);
    R.Rbp = At(P);
  }
  R.Address = At(Cfa - 8);
  R.Sp = Cfa;
  return R.Address ? Step::Done : Step::Outermost;
}

} // namespace

__attribute__((noinline)) uint32_t
torchtidy::record::currentStack(StackCache &C, uint32_t Root) {
  Registers R;
  R.RbpAt = nullptr;
  // Here, as a return address: the rules hold for the instruction before it.
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=r"(R.Address), "=r"(R.Sp), "=r"(R.Rbp));
  if (!C.High)
    findBounds(C, R.Sp);
  if (R.Sp < C.Low || R.Sp >= C.High)
    return slowStack(C, Root); // a signal stack or a fiber
  if (C.Root != Root) {
    C.Root = Root;
    C.Count = 0;
  }

  KnownFrame New[MaxFrames];
  unsigned Count = 0;
  uint32_t Id = Root;
  bool Checked = false;
  for (;;) {
    Step S = leaveFrame(C, R);
    if (S == Step::Unknown)
      return slowStack(C, Root);
    if (S == Step::Outermost) {
      C.Count = 0;
      break;
    }
    while (C.Count && C.Frames[C.Count - 1].Sp < R.Sp)
      --C.Count;
    if (C.Count && !Checked) {
      const KnownFrame &Known = C.Frames[C.Count - 1];
      if (Known.Sp == R.Sp && Known.Address == R.Address &&
          Known.Rbp == R.Rbp) {
        if (inPlace(C, C.Count)) {
          Id = Known.Stack;
          break;
        }
        Checked = true;
        C.Count = 0;
      }
    }
    if (ours(R.Address))
      continue;
    if (Count == MaxFrames) {
      C.Count = 0; // a deep recursion: the outermost frames are left out
      break;
    }
    New[Count++] = {R.Sp, R.Address, R.Rbp, R.RbpAt, 0};
  }

  while (Count) {
    KnownFrame &F = New[--Count];
    F.Stack = Id = rootedAt(Root, Id, F.Address);
    if (C.Count < MaxFrames)
      C.Frames[C.Count++] = F;
  }
  return Id;
}
