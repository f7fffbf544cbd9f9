//===- DelayedFrees.cpp - Blocks that are freed late ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The variable-length transformer of 12 layers with offloaded activations:
/// each layer's input goes to the host on a copy stream (record_stream, freed
/// while the copy runs) and comes back during the backward pass. All other
/// frees come up to 48 operations late, as from a thread that drops references
/// behind the one that launches.
///
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Random.h"
#include "Transformer.h"
#include <queue>

using namespace torchtidy::bench;

namespace {
constexpr uint64_t MostLate = 48;

Trace withLateFrees(const Trace &T, Random &R) {
  struct Late {
    size_t Due;
    Op Free;
    bool operator<(const Late &L) const { return Due > L.Due; }
  };
  std::vector<bool> Recorded(T.Blocks);
  std::priority_queue<Late> Pending;
  Trace Out;
  Out.Uses = T.Uses;
  for (size_t I = 0; I != T.Ops.size(); ++I) {
    for (; !Pending.empty() && Pending.top().Due <= I; Pending.pop())
      Out.Ops.push_back(Pending.top().Free);
    const Op &O = T.Ops[I];
    if (O.Kind == OpKind::Record)
      Recorded[O.Id] = true;
    // record_stream is there so that the host need not keep the block.
    if (O.Kind == OpKind::Free && !Recorded[O.Id])
      Pending.push({I + R.between(1, MostLate), O});
    else
      Out.Ops.push_back(O);
  }
  for (; !Pending.empty(); Pending.pop())
    Out.Ops.push_back(Pending.top().Free);
  measure(Out);
  return Out;
}
} // namespace

Trace torchtidy::bench::delayedFrees(const Shape &S) {
  Builder B;
  Random R(S.Seed);
  Weights W(B, {12, 1024, 16, 8192}, /*Trained=*/true);
  Transformer Model(B, W, 0, /*CopyStream=*/1);
  for (unsigned I = 0, N = S.Iterations ? S.Iterations : 150; I != N; ++I) {
    B.mark();
    uint64_t Length = R.logNormal(6.05, 0.65, 16, 1536);
    Model.iteration(S.Batch ? S.Batch : 8, S.Stable ? 420 : Length);
    if (I % 4 == 3)
      Model.optimizerStep();
  }
  // Late at the same places each time, if all else is the same.
  Random Lateness(S.Seed + 1000);
  return withLateFrees(B.take(), Lateness);
}
