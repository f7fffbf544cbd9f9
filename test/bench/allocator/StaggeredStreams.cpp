//===- StaggeredStreams.cpp - Streams whose peaks do not coincide ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Several adapters (LoRA) of one frozen model of 12 layers are trained at
/// once, each by a stream of its own, with batches of different lengths. A
/// training step's memory rises during the forward pass and falls during the
/// backward pass; the streams are shifted against each other by equal parts of
/// a step.
///
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Random.h"
#include "Transformer.h"
#include <memory>

using namespace torchtidy::bench;

namespace {
class Learner {
public:
  Learner(Builder &B, const Weights &W, unsigned Stream, const Shape &S)
      : S(S), R(S.Seed * 97 + Stream), Model(B, W, Stream),
        Layers(unsigned(W.Shape.Layers)) {}

  unsigned stepsOfIteration() const { return 2 * Layers + 2; }
  /// One layer there or back.
  void step() {
    if (Next == 0)
      Model.begin(S.Batch ? S.Batch : 8,
                  S.Stable ? 512 : R.logNormal(6.2, 0.35, 128, 1024));
    if (Next < Layers)
      Model.forward(Next);
    else if (Next == Layers)
      Model.head();
    else if (Next <= 2 * Layers)
      Model.backward(2 * Layers - Next);
    else
      Model.end();
    Next = (Next + 1) % stepsOfIteration();
  }

private:
  const Shape &S;
  Random R;
  Transformer Model;
  const unsigned Layers;
  unsigned Next = 0;
};

Trace staggered(const Shape &S, unsigned Streams) {
  Builder B;
  Weights W(B, {12, 1024, 16, 8192}, /*Trained=*/false);
  std::vector<std::unique_ptr<Learner>> Learners;
  for (unsigned I = 0; I != Streams; ++I)
    Learners.push_back(std::make_unique<Learner>(B, W, I, S));
  unsigned Steps = Learners.front()->stepsOfIteration();
  unsigned Iterations = S.Iterations ? S.Iterations : 100;
  for (unsigned Tick = 0; Tick != Iterations * Steps; ++Tick) {
    if (Tick % Steps == 0)
      B.mark();
    for (unsigned I = 0; I != Streams; ++I)
      if (Tick >= I * Steps / Streams)
        Learners[I]->step();
  }
  return B.take();
}
} // namespace

Trace torchtidy::bench::twoStreams(const Shape &S) { return staggered(S, 2); }
Trace torchtidy::bench::fourStreams(const Shape &S) { return staggered(S, 4); }
