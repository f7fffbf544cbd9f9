//===- FragmentingTransformer.cpp - BERT-large, phases of two batch sizes -===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The "Fragmenting Transformer": BERT-large in single precision, five epochs,
/// each with a batch size in its first half and half of it in the second, then
/// an evaluation with twice the batch size. Batches are padded to their longest
/// sequence, rounded up to 8, after sorting by length within 50 batches (the
/// "group by length" of HuggingFace's trainer, the order shuffled as bucket
/// iterators do). Lengths are log-normal around 160 tokens, cut at 512. Adam's
/// state comes with the first step, gradients are set to none.
///
/// Batch 32 at 512 tokens needs gradient checkpointing on 16 GB. The plain
/// variant keeps all activations and cuts sequences at 128, as the first phase
/// of BERT's pretraining does.
///
//===----------------------------------------------------------------------===//

#include "Bert.h"
#include "Generators.h"
#include "Random.h"

using namespace torchtidy::bench;

namespace {
/// Lengths of batches. Drawn as for 32 sequences whatever the batch size is, so
/// that a larger batch is the same training with more memory.
class Batches {
public:
  Batches(Random &R, uint64_t Longest, bool Stable)
      : R(R), Longest(Longest), Stable(Stable) {}

  uint64_t next() {
    if (Stable)
      return Longest / 2;
    if (Lengths.empty())
      refill();
    uint64_t L = Lengths.back();
    Lengths.pop_back();
    return L;
  }

private:
  Random &R;
  static constexpr uint64_t Batch = 32;
  const uint64_t Longest;
  const bool Stable;
  std::vector<uint64_t> Lengths;

  void refill() {
    std::vector<uint64_t> Sequences;
    for (uint64_t I = 0; I != 50 * Batch; ++I)
      Sequences.push_back(R.logNormal(5.075, 0.7, 8, Longest));
    std::sort(Sequences.begin(), Sequences.end());
    for (uint64_t I = Batch - 1; I < Sequences.size(); I += Batch)
      Lengths.push_back((Sequences[I] + 7) / 8 * 8);
    for (uint64_t I = Lengths.size(); I > 1; --I)
      std::swap(Lengths[I - 1], Lengths[R.below(I)]);
  }
};

constexpr unsigned Epochs = 5, Evaluations = 3;

Trace fragmenting(const Shape &S, bool Checkpoints, uint64_t Longest) {
  Builder B;
  Random R(S.Seed);
  Bert Model(B, Checkpoints);
  uint64_t Large = S.Batch ? S.Batch : 32;
  uint64_t Small = std::max<uint64_t>(1, Large / 2);
  unsigned PerEpoch = S.Iterations ? std::max(2u, S.Iterations / Epochs) : 16;
  for (unsigned Epoch = 0; Epoch != Epochs; ++Epoch) {
    Batches First(R, Longest, S.Stable);
    Batches Second(R, Longest, S.Stable);
    for (unsigned I = 0; I != PerEpoch; ++I) {
      B.mark();
      bool Half = !S.Stable && I >= PerEpoch / 2;
      Model.train(Half ? Small : Large, (Half ? Second : First).next());
    }
    if (S.Stable)
      continue;
    Batches Held(R, Longest, false);
    for (unsigned I = 0; I != Evaluations; ++I) {
      B.mark();
      Model.evaluate(2 * Large, Held.next());
    }
    Model.forgetPredictions();
  }
  return B.take();
}
} // namespace

Trace torchtidy::bench::fragmentingTransformer(const Shape &S) {
  return fragmenting(S, /*Checkpoints=*/true, 512);
}
Trace torchtidy::bench::fragmentingTransformerPlain(const Shape &S) {
  return fragmenting(S, /*Checkpoints=*/false, 128);
}
