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

__attribute__((noinline)) void findBounds(StackCache &C, uintptr_t Sp) {
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
constexpr unsigned Lanes = 4;
constexpr uint64_t Odd = 0x9e3779b97f4a7c15u;

uint64_t joined(uint64_t A, uint64_t B, uint64_t C, uint64_t D) {
  constexpr uint64_t Mix = 0xff51afd7ed558ccdu;
  A = (A ^ A >> 29) * Mix;
  B = (A ^ B ^ B >> 29) * Mix;
  C = (B ^ C ^ C >> 29) * Mix;
  return (C ^ D ^ D >> 29) * Mix;
}

/// The words that one unwinding reads.
struct Path {
  static constexpr unsigned Max = 2 * MaxFrames;
  explicit Path(uintptr_t Sp) : Sp(Sp), Base(Sp) {}
  uintptr_t Sp, Base;
  unsigned Count = 0, FarFrom = 0;
  bool UsesRbp = false; ///< the one that unwinding began with
  bool TooFar = false;
  uint64_t Hash[Lanes] = {1, 2, 3, 4};
  uint16_t Distances[Max];

  uintptr_t read(uintptr_t At) {
    uintptr_t Value = *reinterpret_cast<const uintptr_t *>(At);
    add(At, Value);
    return Value;
  }
  void add(uintptr_t At, uintptr_t Value) {
    // One frame may have a large array.
    if ((At - Base) / 8 > UINT16_MAX && Base == Sp) {
      finish();
      Base = At;
      FarFrom = Count;
    }
    auto Distance = (At - Base) / 8;
    if (Count == Max || At < Base || Distance > UINT16_MAX) {
      TooFar = true;
      return;
    }
    uint64_t &H = Hash[Count % Lanes];
    H = (H + Value) * Odd;
    Distances[Count++] = static_cast<uint16_t>(Distance);
  }
  /// Fills the lanes up.
  void finish() {
    if (Base == Sp)
      FarFrom = Max;
    while (Count % Lanes)
      read(Base + Distances[Count - 1] * 8);
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

bool holds(const StackCache &C, const KnownPath &K, uintptr_t Sp) {
  // Overwritten by newer ones?
  if (C.RingEnd - K.Begin > StackCache::RingSize)
    return false;
  const uint16_t *Distances = C.Distances + K.Begin % StackCache::RingSize;
  const uint16_t *End = Distances + K.Words;
  const uint16_t *FarFrom = K.Far ? Distances + K.FarFrom : End;
  const auto *Base = reinterpret_cast<const uintptr_t *>(Sp);
  uint64_t H0 = 1, H1 = 2, H2 = 3, H3 = 4;
  for (;;) {
    for (; Distances != FarFrom; Distances += Lanes) {
      H0 = (H0 + Base[Distances[0]]) * Odd;
      H1 = (H1 + Base[Distances[1]]) * Odd;
      H2 = (H2 + Base[Distances[2]]) * Odd;
      H3 = (H3 + Base[Distances[3]]) * Odd;
    }
    if (FarFrom == End)
      return joined(H0, H1, H2, H3) == K.Hash;
    Base += K.Far;
    FarFrom = End;
  }
}

/// Takes the older one's place.
void remember(StackCache &C, KnownPath *Set, KnownPath New, Path &P) {
  P.finish();
  if (P.TooFar)
    return;
  // In one piece: skip what is left at the end of the ring.
  unsigned At = C.RingEnd % StackCache::RingSize;
  if (At + P.Count > StackCache::RingSize)
    C.RingEnd += StackCache::RingSize - At;
  New.Begin = C.RingEnd;
  New.Hash = joined(P.Hash[0], P.Hash[1], P.Hash[2], P.Hash[3]);
  New.Words = static_cast<uint16_t>(P.Count & 0x7fff);
  New.UsesRbp = P.UsesRbp;
  New.Far = static_cast<uint32_t>((P.Base - P.Sp) / 8);
  New.FarFrom = static_cast<uint16_t>(P.FarFrom);
  std::memcpy(C.Distances + New.Begin % StackCache::RingSize, P.Distances,
              P.Count * sizeof(*P.Distances));
  C.RingEnd += P.Count;
  Set[1] = Set[0];
  Set[0] = New;
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
  uint64_t Hash =
      mixBits(R.Sp ^ Caller << 20 ^ static_cast<uint64_t>(C.Previous) << 40);
  KnownPath *Set = C.Paths[Hash % StackCache::SetCount];
  for (unsigned I = 0; I < StackCache::Ways; ++I) {
    const KnownPath &K = Set[I];
    if (K.Sp == R.Sp && K.Caller == Caller && K.Previous == C.Previous &&
        K.Root == Root && K.Generation == Generation && K.Stack &&
        (!K.UsesRbp || K.Rbp == R.Rbp) && holds(C, K, R.Sp))
      return C.Previous = K.Stack;
  }

  Path P(R.Sp);
  uint32_t Id = unwind(C, Root, R, P);
  if (!P.TooFar) {
    KnownPath New = {};
    New.Sp = R.Sp;
    New.Caller = Caller;
    New.Rbp = R.Rbp;
    New.Root = Root;
    New.Previous = C.Previous;
    New.Stack = Id;
    New.Generation = Generation;
    remember(C, Set, New, P);
  }
  return C.Previous = Id;
}
