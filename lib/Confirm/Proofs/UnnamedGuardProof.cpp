//===- UnnamedGuardProof.cpp - What ran after a guard that is gone --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/UnnamedGuardProof.h"
#include <algorithm>

using namespace torchtidy;
using namespace torchtidy::confirm;

Verdict confirm::proveUnnamedGuard(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  // The producers of such a finding are what follows the guard in its block.
  if (C.What.Producers.empty())
    return undecided(C.DidRun, "what this guard would set is not recorded");
  const Parts &After = C.Made.Source;
  if (After.empty())
    return nothingSeen(C);

  const uint64_t On = static_cast<uint64_t>(
      std::count_if(After.Blocks.begin(), After.Blocks.end(),
                    [&](uint32_t I) { return C.Run.blocks()[I].GradOn; }));
  Verdict V;
  V.DidRun = C.DidRun;
  V.Iterations = callsOf(C.Run, After);
  V.Evidence.emplace_back("iteration", "executions");
  V.Evidence.emplace_back("tensors_made", std::to_string(After.Blocks.size()));
  V.Evidence.emplace_back("with_grad_mode_on", std::to_string(On));
  if (On && On < After.Blocks.size()) {
    V.State = VerdictState::Undecided;
    V.Reason = "grad mode was on in a part of what followed: something else "
               "sets it as well";
    return V;
  }
  if (!On && After.Nodes.empty()) {
    V.State = VerdictState::Contradicted;
    V.NodesPerIteration = 0;
    V.Reason = "grad mode was off in what followed: another guard was at work";
    return V;
  }
  V.State = VerdictState::Confirmed;
  V.NodesPerIteration =
      static_cast<double>(After.Nodes.size()) /
      static_cast<double>(std::max<uint64_t>(1, V.Iterations.value_or(0)));
  V.PeakBytes = peakPinned(C.Run, After.Nodes);
  V.Reason = After.Nodes.empty()
                 ? "grad mode was on in all that followed, although nothing "
                   "there needed a gradient"
                 : "grad mode was on in all that followed, and history was "
                   "recorded";
  return V;
}
