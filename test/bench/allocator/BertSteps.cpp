//===- BertSteps.cpp - BERT's head, optimizer and steps -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bert.h"

using namespace torchtidy::bench;

uint32_t Bert::embed(uint64_t Batch, uint64_t Length) {
  Tokens = Batch * Length;
  Hidden = 4 * Tokens * Width;
  Pairs = 4 * Batch * Heads * Length * Length;
  uint32_t Ids = B.make(8 * Tokens, {});
  Attend = B.make(4 * Tokens, {Ids});
  uint32_t Found = B.make(Hidden, {Ids, Parameters.front().Value});
  uint32_t Sum = B.make(Hidden, {Found});
  B.free(Found);
  uint32_t X = B.make(Hidden, {Sum});
  B.freeAll(Builder::Ids{Sum, Ids});
  return X;
}

/// The head there and back: 15 % of the tokens, each with all words.
uint32_t Bert::headBackward(uint32_t X) {
  uint64_t Picked = std::max<uint64_t>(1, Tokens * 15 / 100);
  uint64_t Row = 4 * Picked * Width, Logit = 4 * Picked * Words;
  double Flops = 2.0 * double(Picked * Width * Words);
  Parameter &Embedding = Parameters.front();
  uint32_t Gathered = B.make(Row, {X});
  uint32_t Logits = B.make(Logit, {Gathered, Embedding.Value}, Flops);
  uint32_t LogSoftmax = B.make(Logit, {Logits});
  B.free(Logits);
  uint32_t Loss = B.make(4, {LogSoftmax});
  uint32_t DLogits = B.make(Logit, {LogSoftmax, Loss});
  B.free(LogSoftmax);
  uint32_t DGathered = B.make(Row, {DLogits, Embedding.Value}, Flops);
  addGradient(Embedding, {DLogits, Gathered}, Flops);
  B.freeAll(Builder::Ids{DLogits, Gathered});
  uint32_t Dx = B.make(Hidden, {DGathered});
  B.freeAll(Builder::Ids{DGathered, Loss, X});
  return Dx;
}

void Bert::train(uint64_t Batch, uint64_t Length) {
  uint32_t X = embed(Batch, Length);
  std::vector<Saved> Kept(Layers);
  for (uint64_t I = 0; I != Layers; ++I) {
    X = forward(I, X, Kept[I]);
    if (Checkpoints)
      forget(Kept[I]);
  }
  uint32_t Dx = headBackward(X);
  for (uint64_t I = Layers; I-- != 0;) {
    if (Checkpoints)
      B.free(forward(I, Kept[I].X, Kept[I]));
    Dx = backward(I, Dx, Kept[I]);
  }
  // The words' gradients are dense.
  addGradient(Parameters.front(), {Dx}, 0);
  B.freeAll(Builder::Ids{Dx, Attend});
  B.sync(0);
  step();
}

/// LibTorch's Adam: one parameter after the other, two temporaries each. Then
/// gradients are set to none.
void Bert::step() {
  for (Parameter &P : Parameters) {
    if (!P.Mean) {
      P.Mean = B.make(P.Bytes, {});
      P.Square = B.make(P.Bytes, {});
    }
    uint32_t Root = B.make(P.Bytes, {P.Square, P.Gradient});
    uint32_t Divisor = B.make(P.Bytes, {Root});
    B.free(Root);
    B.run({P.Mean, Divisor}, {P.Value});
    B.free(Divisor);
  }
  for (Parameter &P : Parameters) {
    B.free(P.Gradient);
    P.Gradient = 0;
  }
}

void Bert::evaluate(uint64_t Batch, uint64_t Length) {
  uint32_t X = embed(Batch, Length);
  for (uint64_t I = 0; I != Layers; ++I) {
    Saved S;
    uint32_t Y = forward(I, X, S);
    forget(S);
    B.free(X);
    X = Y;
  }
  uint64_t Picked = std::max<uint64_t>(1, Tokens * 15 / 100);
  uint32_t Gathered = B.make(4 * Picked * Width, {X});
  uint32_t Logits =
      B.make(4 * Picked * Words, {Gathered, Parameters.front().Value},
             2.0 * double(Picked * Width * Words));
  Predictions.push_back(B.make(8 * Picked, {Logits}));
  B.freeAll(Builder::Ids{Logits, Gathered, X, Attend});
  B.sync(0);
}

void Bert::forgetPredictions() {
  B.freeAll(Predictions);
  Predictions.clear();
}
