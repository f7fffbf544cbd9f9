//===- VariableLength.cpp - A transformer, a new length each step ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 24 layers of width 1024 (GPT-2 medium), batch 8, the vocabulary of LLaMA.
/// Lengths are log-normal around 420 tokens and cut at 1536, as mixed text
/// without packing gives; the optimizer steps every fourth iteration.
///
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Random.h"
#include "Transformer.h"

using namespace torchtidy::bench;

Trace torchtidy::bench::variableLength(const Shape &S) {
  Builder B;
  Random R(S.Seed);
  Weights W(B, {}, /*Trained=*/true);
  B.allocate(32 * MiB); // cuBLAS's workspace
  Transformer Model(B, W);
  for (unsigned I = 0, N = S.Iterations ? S.Iterations : 300; I != N; ++I) {
    B.mark();
    uint64_t Length = R.logNormal(6.05, 0.65, 16, 1536);
    Model.iteration(S.Batch ? S.Batch : 8, S.Stable ? 420 : Length);
    if (I % 4 == 3)
      Model.optimizerStep();
  }
  return B.take();
}
