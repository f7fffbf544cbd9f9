//===- Timing.cpp - CPU time of an allocator ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include <ctime>

using namespace torchtidy::bench;

// Steadier than wall time where other programs run.
static double cpuNs() {
  timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return double(Time.tv_sec) * 1e9 + double(Time.tv_nsec);
}

double torchtidy::bench::cpuPerPair(const Trace &T, Subject &S) {
  std::vector<void *> Streams;
  for (unsigned I = 0; I != T.Streams; ++I)
    Streams.push_back(S.stream(I));
  std::vector<Op> Ops;
  for (const Op &O : T.Ops)
    if (O.Kind == OpKind::Allocate || O.Kind == OpKind::Free)
      Ops.push_back(O);
  std::vector<void *> Blocks(T.Blocks);
  uint64_t Pairs = 0;
  bool Full = false;
  double Begin = cpuNs();
  for (const Op &O : Ops) {
    if (O.Kind == OpKind::Free) {
      S.free(Blocks[O.Id]);
      Blocks[O.Id] = nullptr;
      ++Pairs;
    } else if (!(Blocks[O.Id] = S.allocate(O.Value, Streams[O.Stream]))) {
      Full = true;
      break;
    }
  }
  double Spent = cpuNs() - Begin;
  for (void *P : Blocks)
    if (P)
      S.free(P);
  return Full || !Pairs ? 0 : Spent / double(Pairs);
}
