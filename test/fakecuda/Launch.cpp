//===- Launch.cpp - Kernels and what they touch ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cstdio>

using namespace fakecuda;
using namespace fakecuda::abi;

/// Whether kernels of \p D reach what is mapped there.
bool Machine::reachable(int D, const Mapping &M, bool Write) const {
  int Owner = M.Bytes->Device;
  if (M.Handle)
    return M.Access[D] & (Write ? 2 : 1);
  return D == Owner || (Devices[D].PeersEnabled >> Owner & 1);
}

Outcome Machine::touchable(int D, const FakeCudaRange &R) {
  uint64_t At = R.Address, End = R.Address + R.Bytes;
  const char *Wrong = End < At ? "is no range" : nullptr;
  auto It = Mem.find(At);
  while (!Wrong && At < End) {
    if (It == Mem.end() || At < It->first)
      Wrong = "is not mapped";
    else if (It->second.Freed)
      Wrong = "was freed on a stream";
    else if (!reachable(D, It->second, R.Write))
      Wrong = R.Write ? "may not be written" : "may not be read";
    else {
      At = It->first + It->second.Size;
      ++It;
    }
  }
  if (!Wrong)
    return {};
  char Text[160];
  std::snprintf(Text, sizeof(Text),
                "kernel of device %d touches %#llx to %#llx: %#llx %s", D,
                (unsigned long long)R.Address, (unsigned long long)End,
                (unsigned long long)At, Wrong);
  Problems.fault(Text);
  return {IllegalAddress, "a kernel touches what is not mapped for it"};
}

void Machine::noteRaces(const std::vector<Conflict> &Found, Epoch Work,
                        bool Write, uint64_t Address) {
  for (const Conflict &C : Found) {
    // One per pair of kernels.
    if (std::find(Reported.begin(), Reported.end(), C.Earlier) !=
        Reported.end())
      continue;
    Reported.push_back(C.Earlier);
    if (!Problems.keeps()) {
      Problems.race("");
      continue;
    }
    char Text[200];
    std::snprintf(
        Text, sizeof(Text),
        "work %llu of stream #%u %s bytes at %#llx (and behind) that work "
        "%llu of stream #%u %s, without an order",
        (unsigned long long)Work.Count, Work.Stream, Write ? "writes" : "reads",
        (unsigned long long)(Address + C.Offset),
        (unsigned long long)C.Earlier.Count, C.Earlier.Stream,
        C.EarlierWrote ? "writes" : "reads");
    Problems.race(Text);
  }
}

void Machine::touch(const FakeCudaRange &R, Epoch Work, const Stream &S) {
  std::vector<Conflict> Found;
  uint64_t At = R.Address, End = R.Address + R.Bytes;
  for (auto It = Mem.find(At); At < End; ++It) {
    Mapping &M = It->second;
    uint64_t Stop = std::min(End, It->first + M.Size);
    if (S.Tail >= M.BusyUntil) {
      M.BusyUntil = S.Tail;
      M.BusyWith = Work;
    }
    M.Bytes->History.access(At - It->first, Stop - It->first, R.Write, Work,
                            S.Seen, Found);
    if (!Found.empty()) {
      noteRaces(Found, Work, R.Write, It->first);
      Found.clear();
    }
    At = Stop;
  }
}

Outcome Machine::launch(int D, Stream &S, uint64_t Ns,
                        const FakeCudaRange *Ranges, size_t N) {
  if (S.Device != D)
    return {InvalidHandle, "a stream of another device"};
  if (S.CaptureStatus == CaptureInvalidated)
    return {StreamCaptureInvalidated, "the capture was spoilt before"};
  if (S.Capture)
    return {};
  collect();
  for (size_t I = 0; I < N; ++I)
    if (Outcome O = touchable(D, Ranges[I]); O.Error)
      return O;
  Epoch Work = Time.submit(S, Ns);
  Reported.clear();
  for (size_t I = 0; I < N; ++I)
    touch(Ranges[I], Work, S);
  return {};
}
