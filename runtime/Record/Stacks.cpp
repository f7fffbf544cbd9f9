//===- Stacks.cpp - Call stacks and their numbers -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"
#include "FrameRules.h"
#include "Pages.h"
#include <cstring>
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
__attribute__((noinline)) uint32_t slowStack(uint32_t Root) {
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

/// In four lanes, as a multiplication takes as long as four words.
class WordHash {
public:
  void add(unsigned I, uintptr_t Word) {
    Lanes[I % 4] = (Lanes[I % 4] + Word) * 0x9e3779b97f4a7c15u;
  }
  uint64_t result() const {
    uint64_t H = 0;
    for (uint64_t L : Lanes)
      H = (H ^ L ^ L >> 29) * 0xff51afd7ed558ccdu;
    return H;
  }

private:
  uint64_t Lanes[4] = {1, 2, 3, 4};
};

/// The words that one unwinding reads.
struct Path {
  static constexpr unsigned Max = 2 * MaxFrames;
  explicit Path(uintptr_t Sp) : Sp(Sp), Last(Sp) {}
  uintptr_t Sp, Last;
  unsigned Count = 0;
  bool UsesRbp = false; ///< the one that unwinding began with
  bool TooFar = false;
  WordHash Hash;
  int16_t Steps[Max];

  uintptr_t read(uintptr_t At) {
    uintptr_t Value = *reinterpret_cast<const uintptr_t *>(At);
    add(At, Value);
    return Value;
  }
  void add(uintptr_t At, uintptr_t Value) {
    auto Distance = static_cast<intptr_t>(At - Last) / 8;
    if (Count == Max || Distance > INT16_MAX || Distance < INT16_MIN) {
      TooFar = true;
      return;
    }
    Hash.add(Count, Value);
    Steps[Count++] = static_cast<int16_t>(Distance);
    Last = At;
  }
};

struct Registers {
  uintptr_t Address, Sp, Rbp;
  /// Where Rbp was restored from; null: as it was at first. Only an rbp that
  /// the way out depends on counts as read: most hold data.
  uintptr_t RbpAt;
};

enum class Step { Done, Outermost, Unknown };

Step leaveFrame(const StackCache &C, Registers &R, Path &P) {
  FrameRule Rule = frameRule(R.Address);
  auto Readable = [&](uintptr_t At) {
    return At >= P.Sp && At <= C.High - 8 && At % 8 == 0;
  };
  auto UseRbp = [&] {
    if (R.RbpAt)
      P.add(R.RbpAt, R.Rbp);
    else
      P.UsesRbp = true;
    return R.Rbp;
  };
  uintptr_t Cfa = 0;
  switch (Rule.Cfa) {
  case CfaKind::Unknown:
    return Step::Unknown;
  case CfaKind::Outermost:
    return Step::Outermost;
  case CfaKind::FromRsp:
    Cfa = R.Sp + static_cast<intptr_t>(Rule.CfaOffset);
    break;
  case CfaKind::FromRbp:
    Cfa = UseRbp() + static_cast<intptr_t>(Rule.CfaOffset);
    break;
  case CfaKind::AtRbp: {
    uintptr_t At = UseRbp() + static_cast<intptr_t>(Rule.CfaOffset);
    if (!Readable(At))
      return Step::Unknown;
    Cfa = P.read(At);
    break;
  }
  }
  if (Cfa <= R.Sp || !Readable(Cfa - 8))
    return Step::Unknown;
  if (Rule.Rbp != RbpKind::Same) {
    uintptr_t Base = Rule.Rbp == RbpKind::BelowCfa ? Cfa : UseRbp();
    R.RbpAt = Base + static_cast<intptr_t>(Rule.RbpOffset);
    if (!Readable(R.RbpAt))
      return Step::Unknown;
    R.Rbp = *reinterpret_cast<const uintptr_t *>(R.RbpAt);
  }
  R.Address = P.read(Cfa - 8);
  R.Sp = Cfa;
  return R.Address ? Step::Done : Step::Outermost;
}

KnownPath &pathFor(StackCache &C, uintptr_t Sp, uintptr_t Caller) {
  uint64_t Hash =
      mixBits(Sp ^ (Caller << 20) ^ (static_cast<uint64_t>(C.Previous) << 40));
  return C.Paths[Hash % StackCache::PathCount];
}

bool holds(const StackCache &C, const KnownPath &K, uintptr_t Sp) {
  // Overwritten by newer ones?
  if (C.RingEnd - K.Begin > StackCache::RingSize)
    return false;
  const int16_t *Steps = C.Steps + K.Begin % StackCache::RingSize;
  const auto *At = reinterpret_cast<const uintptr_t *>(Sp);
  WordHash Hash;
  unsigned I = 0;
  for (; I + 4 <= K.Words; I += 4)
    for (unsigned J = 0; J < 4; ++J)
      Hash.add(J, *(At += Steps[I + J]));
  for (; I < K.Words; ++I)
    Hash.add(I, *(At += Steps[I]));
  return Hash.result() == K.Hash;
}

void remember(StackCache &C, KnownPath &K, const Path &P) {
  // In one piece: skip what is left at the end of the ring.
  unsigned At = C.RingEnd % StackCache::RingSize;
  if (At + P.Count > StackCache::RingSize)
    C.RingEnd += StackCache::RingSize - At;
  K.Begin = C.RingEnd;
  K.Hash = P.Hash.result();
  K.Words = static_cast<uint16_t>(P.Count);
  K.UsesRbp = P.UsesRbp;
  std::memcpy(C.Steps + K.Begin % StackCache::RingSize, P.Steps,
              P.Count * sizeof(*P.Steps));
  C.RingEnd += P.Count;
}

uint32_t unwind(StackCache &C, uint32_t Root, Registers R, Path &P) {
  uintptr_t Frames[MaxFrames];
  unsigned Count = 0;
  for (;;) {
    Step S = leaveFrame(C, R, P);
    if (S == Step::Unknown) {
      P.TooFar = true;
      return slowStack(Root);
    }
    if (S == Step::Outermost)
      break;
    if (ours(R.Address))
      continue;
    if (Count == MaxFrames)
      break; // a deep recursion: the outermost frames are left out
    Frames[Count++] = R.Address;
  }
  uint32_t Id = Root;
  while (Count)
    Id = rootedAt(Root, Id, Frames[--Count]);
  return Id;
}

} // namespace

__attribute__((noinline)) uint32_t
torchtidy::record::currentStack(StackCache &C, uint32_t Root) {
  Registers R;
  R.RbpAt = 0;
  // Here, as a return address: the rules hold for the instruction before it.
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
                   : "=r"(R.Address), "=r"(R.Sp), "=r"(R.Rbp));
  if (!C.High)
    findBounds(C, R.Sp);
  if (R.Sp < C.Low || R.Sp >= C.High)
    return slowStack(Root); // a signal stack or a fiber

  auto Caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  uint32_t Generation = frameRuleGeneration();
  KnownPath &K = pathFor(C, R.Sp, Caller);
  if (K.Sp == R.Sp && K.Caller == Caller && K.Previous == C.Previous &&
      K.Root == Root && K.Generation == Generation && K.Stack &&
      (!K.UsesRbp || K.Rbp == R.Rbp) && holds(C, K, R.Sp))
    return C.Previous = K.Stack;

  Path P(R.Sp);
  uint32_t Id = unwind(C, Root, R, P);
  if (!P.TooFar) {
    K = {R.Sp, Caller, R.Rbp, 0, 0, Root, C.Previous, Id, Generation, 0, false};
    remember(C, K, P);
  }
  return C.Previous = Id;
}
