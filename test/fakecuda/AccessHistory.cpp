//===- AccessHistory.cpp - Who touched which bytes last -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessHistory.h"

using namespace fakecuda;

void AccessHistory::split(uint64_t At) {
  auto It = Runs.lower_bound(At);
  if (It == Runs.begin())
    return;
  --It;
  if (It->first >= At || It->second.End <= At)
    return;
  Run Right = It->second;
  It->second.End = At;
  Runs.emplace_hint(std::next(It), At, std::move(Right));
}

void AccessHistory::check(uint64_t Begin, const Run &R, bool Write,
                          const VectorClock &Seen,
                          std::vector<Conflict> &Conflicts) {
  if (!Seen.covers(R.Writer))
    Conflicts.push_back({R.Writer, true, Begin});
  if (!Write)
    return;
  if (!Seen.covers(R.Reader))
    Conflicts.push_back({R.Reader, false, Begin});
  for (Epoch E : R.MoreReaders)
    if (!Seen.covers(E))
      Conflicts.push_back({E, false, Begin});
}

void AccessHistory::addReader(Run &R, Epoch Work, const VectorClock &Seen) {
  // Who is ordered after Work is ordered after what Work has seen.
  if (R.MoreReaders.empty() && Seen.covers(R.Reader)) {
    R.Reader = Work;
    return;
  }
  std::vector<Epoch> Unseen;
  for (Epoch E : R.MoreReaders)
    if (!Seen.covers(E))
      Unseen.push_back(E);
  if (Seen.covers(R.Reader))
    R.Reader = Work;
  else
    Unseen.push_back(Work);
  R.MoreReaders = std::move(Unseen);
}

void AccessHistory::access(uint64_t Begin, uint64_t End, bool Write, Epoch Work,
                           const VectorClock &Seen,
                           std::vector<Conflict> &Conflicts) {
  auto Exact = Runs.find(Begin);
  if (Exact != Runs.end() && Exact->second.End == End) {
    check(Begin, Exact->second, Write, Seen, Conflicts);
    if (Write)
      Exact->second = {End, Work, {}, {}};
    else
      addReader(Exact->second, Work, Seen);
    return;
  }
  split(Begin);
  split(End);
  auto It = Runs.lower_bound(Begin);
  if (Write) {
    for (; It != Runs.end() && It->first < End; It = Runs.erase(It))
      check(It->first, It->second, true, Seen, Conflicts);
    Runs.emplace_hint(It, Begin, Run{End, Work, {}, {}});
    return;
  }
  for (uint64_t At = Begin; At < End; ++It) {
    if (It == Runs.end() || It->first > At) {
      uint64_t GapEnd = It == Runs.end() ? End : std::min(End, It->first);
      It = Runs.emplace_hint(It, At, Run{GapEnd, {}, Work, {}});
    } else {
      check(At, It->second, false, Seen, Conflicts);
      addReader(It->second, Work, Seen);
    }
    At = It->second.End;
  }
}
