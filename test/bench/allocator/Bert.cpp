//===- Bert.cpp - BERT in single precision --------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bert.h"

using namespace torchtidy::bench;

Bert::Bert(Builder &B, bool Checkpoints) : B(B), Checkpoints(Checkpoints) {
  addParameter(Words * Width); // also the head's
  for (uint64_t I = 0; I != Layers; ++I) {
    for (unsigned J = 0; J != 4; ++J)
      addParameter(Width * Width + Width);
    addParameter(2 * Width);
    addParameter(4 * Width * Width + 4 * Width);
    addParameter(4 * Width * Width + Width);
    addParameter(2 * Width);
  }
  B.allocate(8 * MiB); // cuBLAS's workspace
}

void Bert::addParameter(uint64_t Count) {
  Parameters.push_back({4 * Count, B.allocate(4 * Count)});
}

Bert::Parameter &Bert::parameter(uint64_t Layer, unsigned Which) {
  return Parameters[1 + Layer * PerLayer + Which];
}

uint32_t Bert::linear(uint32_t In, uint64_t From, uint64_t To,
                      uint32_t Weight) {
  return B.make(Hidden / Width * To, {In, Weight},
                2.0 * double(Tokens * From * To));
}

void Bert::addGradient(Parameter &P, Builder::Ids Reads, double Flops) {
  uint32_t Fresh = B.make(P.Bytes, Reads, Flops);
  if (!P.Gradient) {
    P.Gradient = Fresh;
    return;
  }
  B.run({Fresh}, {P.Gradient});
  B.free(Fresh);
}

uint32_t Bert::linearBackward(uint32_t Out, uint32_t In, uint64_t From,
                              uint64_t To, Parameter &P) {
  uint32_t D = linear(Out, To, From, P.Value);
  addGradient(P, {Out, In}, 2.0 * double(Tokens * From * To));
  return D;
}

uint32_t Bert::normBackward(uint32_t Out, uint32_t In, uint32_t Stat,
                            Parameter &P) {
  uint32_t D = B.make(Hidden, {Out, In, Stat, P.Value});
  addGradient(P, {Out, In, Stat}, 0);
  return D;
}

uint32_t Bert::attention(uint64_t Layer, Saved &S) {
  double Flops = 2.0 * double(Pairs / 4) * double(Width / Heads);
  uint32_t *Inputs[] = {&S.Query, &S.Key, &S.Value};
  for (unsigned I = Query; I <= Value; ++I)
    *Inputs[I] = linear(S.X, Width, Width, parameter(Layer, I).Value);
  uint32_t Scores = B.make(Pairs, {S.Query, S.Key}, Flops);
  uint32_t Scaled = B.make(Pairs, {Scores});
  B.free(Scores);
  uint32_t Masked = B.make(Pairs, {Scaled, Attend});
  B.free(Scaled);
  S.Probabilities = B.make(Pairs, {Masked});
  B.free(Masked);
  S.Dropped = B.allocate(Pairs);
  S.PairMask = B.allocate(Pairs / 4);
  B.run({S.Probabilities}, {S.Dropped, S.PairMask});
  uint32_t Apart = B.make(Hidden, {S.Dropped, S.Value}, Flops);
  S.Context = B.make(Hidden, {Apart}); // heads side by side again
  B.free(Apart);
  return linear(S.Context, Width, Width, parameter(Layer, Output).Value);
}

uint32_t Bert::feedForward(uint64_t Layer, Saved &S) {
  S.Up = linear(S.Out1, Width, 4 * Width, parameter(Layer, Up).Value);
  S.Act = B.make(4 * Hidden, {S.Up});
  return linear(S.Act, 4 * Width, Width, parameter(Layer, Down).Value);
}

uint32_t Bert::forward(uint64_t Layer, uint32_t X, Saved &S) {
  S.X = X;
  // Dropout, the sum with what came before, LayerNorm.
  auto Close = [&](uint32_t Part, uint32_t Before, unsigned Norm,
                   uint32_t &Mask, uint32_t &Sum, uint32_t &Stat) {
    uint32_t Dropped = B.allocate(Hidden);
    Mask = B.allocate(Hidden / 4);
    B.run({Part}, {Dropped, Mask});
    B.free(Part);
    Sum = B.make(Hidden, {Dropped, Before});
    B.free(Dropped);
    Stat = B.make(8 * Tokens, {Sum});
    return B.make(Hidden, {Sum, Stat, parameter(Layer, Norm).Value});
  };
  S.Out1 = Close(attention(Layer, S), X, Norm1, S.OutMask, S.Sum1, S.Stat1);
  return Close(feedForward(Layer, S), S.Out1, Norm2, S.DownMask, S.Sum2,
               S.Stat2);
}

/// All but the input.
void Bert::forget(const Saved &S) {
  for (uint32_t Id : {S.Query, S.Key, S.Value, S.Probabilities, S.PairMask,
                      S.Dropped, S.Context, S.OutMask, S.Sum1, S.Stat1, S.Out1,
                      S.Up, S.Act, S.DownMask, S.Sum2, S.Stat2})
    B.free(Id);
}

uint32_t Bert::attentionBackward(uint64_t Layer, uint32_t D, const Saved &S) {
  double Flops = 2.0 * double(Pairs / 4) * double(Width / Heads);
  uint32_t DContext =
      linearBackward(D, S.Context, Width, Width, parameter(Layer, Output));
  B.freeAll(Builder::Ids{D, S.Context});
  uint32_t DDropped = B.make(Pairs, {DContext, S.Value}, Flops);
  uint32_t DValue = B.make(Hidden, {DContext, S.Dropped}, Flops);
  B.freeAll(Builder::Ids{DContext, S.Dropped, S.Value});
  uint32_t DProbabilities = B.make(Pairs, {DDropped, S.PairMask});
  B.freeAll(Builder::Ids{DDropped, S.PairMask});
  uint32_t DMasked = B.make(Pairs, {DProbabilities, S.Probabilities});
  B.freeAll(Builder::Ids{DProbabilities, S.Probabilities});
  uint32_t DScores = B.make(Pairs, {DMasked});
  B.free(DMasked);
  uint32_t DQuery = B.make(Hidden, {DScores, S.Key}, Flops);
  uint32_t DKey = B.make(Hidden, {DScores, S.Query}, Flops);
  B.freeAll(Builder::Ids{DScores, S.Key, S.Query});
  uint32_t Sum = 0;
  uint32_t Parts[] = {DQuery, DKey, DValue};
  for (unsigned I = Query; I <= Value; ++I) {
    uint32_t Dx =
        linearBackward(Parts[I], S.X, Width, Width, parameter(Layer, I));
    B.free(Parts[I]);
    if (Sum) {
      B.run({Dx}, {Sum});
      B.free(Dx);
    } else {
      Sum = Dx;
    }
  }
  return Sum;
}

/// Frees what was saved, also the input.
uint32_t Bert::backward(uint64_t Layer, uint32_t Dx, const Saved &S) {
  uint32_t DSum2 = normBackward(Dx, S.Sum2, S.Stat2, parameter(Layer, Norm2));
  B.freeAll(Builder::Ids{Dx, S.Sum2, S.Stat2});
  uint32_t DDown = B.make(Hidden, {DSum2, S.DownMask});
  B.free(S.DownMask);
  uint32_t DAct =
      linearBackward(DDown, S.Act, 4 * Width, Width, parameter(Layer, Down));
  B.freeAll(Builder::Ids{DDown, S.Act});
  uint32_t DUp = B.make(4 * Hidden, {DAct, S.Up});
  B.freeAll(Builder::Ids{DAct, S.Up});
  uint32_t DOut1 =
      linearBackward(DUp, S.Out1, Width, 4 * Width, parameter(Layer, Up));
  B.freeAll(Builder::Ids{DUp, S.Out1});
  B.run({DSum2}, {DOut1});
  B.free(DSum2);
  uint32_t DSum1 =
      normBackward(DOut1, S.Sum1, S.Stat1, parameter(Layer, Norm1));
  B.freeAll(Builder::Ids{DOut1, S.Sum1, S.Stat1});
  uint32_t DOutput = B.make(Hidden, {DSum1, S.OutMask});
  B.free(S.OutMask);
  uint32_t D = attentionBackward(Layer, DOutput, S);
  B.run({DSum1}, {D});
  B.freeAll(Builder::Ids{DSum1, S.X});
  return D;
}
