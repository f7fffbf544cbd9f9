//===- Heap.cpp - Samples of the C heap -----------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfSymbols.h"
#include "Hooks.h"
#include <ctime>
#include <malloc.h>

using namespace torchtidy::record;
using torchtidy::trace::Kind;

namespace {

uint64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1'000'000'000u +
         static_cast<uint64_t>(T.tv_nsec);
}

/// mallinfo2 walks the free lists, which may be long: beyond the samples that
/// are always taken it may cost this share of the run.
constexpr uint64_t HeapShare = 400;
std::atomic<uint64_t> NextHeapSample;

/// Counts marks of one kind, which come at one phase of an iteration.
struct Phases {
  std::atomic<uint64_t> Count, Due;
};
Phases OfKind[static_cast<unsigned>(Kind::Exit)];
std::atomic<uint32_t> CountedIn; ///< the generation of forks

/// Four samples each time the number of marks doubles: a run of any length and
/// speed has enough of them behind its warm-up, at no cost.
bool alwaysSampled(Kind Mark) {
  if (CountedIn.exchange(ForkCount, std::memory_order_relaxed) != ForkCount)
    for (Phases &P : OfKind) {
      P.Count.store(0, std::memory_order_relaxed);
      P.Due.store(0, std::memory_order_relaxed);
    }
  Phases &P = OfKind[static_cast<unsigned>(Mark)];
  uint64_t N = P.Count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (N < P.Due.load(std::memory_order_relaxed))
    return false;
  P.Due.store(N + (N < 10 ? 1 : N / 5), std::memory_order_relaxed);
  return true;
}

} // namespace

bool torchtidy::record::sampleHeap(Kind Mark, uint64_t &Bytes) {
  using Info = struct mallinfo2();
  static std::atomic<Info *> Ask;
  static std::atomic<bool> LookedUp; // glibc before 2.33 has none
  if (!LookedUp.load(std::memory_order_acquire)) {
    Ask = reinterpret_cast<Info *>(findElfSymbol("mallinfo2", true));
    LookedUp.store(true, std::memory_order_release);
  }
  Info *F = Ask.load(std::memory_order_relaxed);
  if (!F)
    return false;
  bool Always = alwaysSampled(Mark);
  uint64_t Before = now();
  if (!Always && Before < NextHeapSample.load(std::memory_order_relaxed))
    return false;
  struct mallinfo2 I = F();
  Bytes = I.uordblks + I.hblkhd;
  uint64_t After = now();
  NextHeapSample.store(After + (After - Before) * HeapShare,
                       std::memory_order_relaxed);
  return true;
}
