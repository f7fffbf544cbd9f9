//===- Transformer.cpp - Training steps in half precision -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transformer.h"

using namespace torchtidy::bench;

Weights::Weights(Builder &B, const TransformerShape &Shape, bool Trained)
    : Shape(Shape), Trained(Trained) {
  uint32_t Gradient = 0;
  auto Parameter = [&](uint64_t Count) {
    uint32_t Id = B.allocate(2 * Count);
    if (Trained) {
      Gradient = B.allocate(2 * Count);
      for (unsigned I = 0; I != 3; ++I)
        B.allocate(4 * Count);
    }
    return Id;
  };
  uint64_t H = Shape.Hidden;
  Embedding = Parameter(Shape.Vocabulary * H);
  for (uint64_t I = 0; I != Shape.Layers; ++I) {
    Layer L;
    L.Qkv = Parameter(3 * H * H);
    L.Out = Parameter(H * H);
    L.Up = Parameter(4 * H * H);
    L.UpGradient = Gradient;
    L.Down = Parameter(4 * H * H);
    for (uint64_t Small : {H, H, 3 * H, 4 * H}) // norms and biases
      Parameter(Small);
    Layers.push_back(L);
  }
}

void Transformer::offload(uint32_t Block) {
  B.wait(CopyStream, Stream);
  B.run({Block}, {}, 0, CopyStream);
  B.record(Block, CopyStream);
  B.free(Block);
}

uint32_t Transformer::fetch(uint64_t Bytes) {
  uint32_t Block = B.make(Bytes, {}, 0, CopyStream);
  B.wait(Stream, CopyStream);
  B.record(Block, Stream);
  return Block;
}

void Transformer::begin(uint64_t Batch, uint64_t Length) {
  uint64_t H = W.Shape.Hidden;
  Tokens = Batch * Length;
  Rows = Batch * W.Shape.Heads * Length;
  Hidden = 2 * Tokens * H;
  Ids = make(8 * Tokens, {});
  Mask = make(Tokens, {Ids});
  X = make(Hidden, {Ids, W.Embedding});
  Layers.clear();
}

void Transformer::forward(unsigned I) {
  const Weights::Layer &L = W.Layers[I];
  uint64_t H = W.Shape.Hidden;
  Saved S;
  S.X = X;
  S.Norm1 = make(Hidden, {X});
  S.Stat1 = make(8 * Tokens, {X});
  S.Qkv = make(3 * Hidden, {S.Norm1, L.Qkv}, matmul(H, 3 * H));
  S.Attention = make(Hidden, {S.Qkv});
  S.LogSum = make(4 * Rows, {S.Qkv});
  uint32_t Projected = make(Hidden, {S.Attention, L.Out}, matmul(H, H));
  S.Sum = make(Hidden, {X, Projected});
  B.free(Projected);
  S.Norm2 = make(Hidden, {S.Sum});
  S.Stat2 = make(8 * Tokens, {S.Sum});
  S.Up = make(4 * Hidden, {S.Norm2, L.Up}, matmul(H, 4 * H));
  S.Act = make(4 * Hidden, {S.Up});
  uint32_t Down = make(Hidden, {S.Act, L.Down}, matmul(4 * H, H));
  S.DropMask = make(Tokens * H / 8, {Down});
  X = make(Hidden, {Down, S.Sum, S.DropMask});
  B.free(Down);
  if (CopyStream)
    offload(S.X);
  Layers.push_back(S);
}

void Transformer::head() {
  uint64_t H = W.Shape.Hidden, V = W.Shape.Vocabulary;
  uint32_t Final = make(Hidden, {X});
  uint32_t Logits = make(2 * Tokens * V, {Final, W.Embedding}, matmul(H, V));
  uint32_t Single = make(4 * Tokens * V, {Logits});
  Loss = make(4, {Single, Ids});
  uint32_t LogSum = make(4 * Tokens, {Single});
  uint32_t DLogits = make(2 * Tokens * V, {Single, LogSum});
  B.free(Single);
  B.free(Logits);
  Dx = make(Hidden, {DLogits, W.Embedding}, matmul(V, H));
  for (uint32_t Id : {DLogits, Final, LogSum, X})
    B.free(Id);
}

void Transformer::backward(unsigned I) {
  const Weights::Layer &L = W.Layers[I];
  uint64_t H = W.Shape.Hidden;
  Saved S = Layers.back();
  Layers.pop_back();
  if (CopyStream)
    S.X = fetch(Hidden);
  uint32_t DAct = make(4 * Hidden, {Dx, L.Down}, matmul(H, 4 * H));
  B.free(S.Act);
  uint32_t DUp = make(4 * Hidden, {DAct, S.Up});
  for (uint32_t Id : {DAct, S.Up, S.DropMask})
    B.free(Id);
  uint32_t DNorm2 = make(Hidden, {DUp, L.Up}, matmul(4 * H, H));
  if (W.Trained) {
    uint32_t Fresh = make(8 * H * H, {DUp, S.Norm2}, matmul(H, 4 * H));
    B.run({Fresh}, {L.UpGradient}, 0, Stream);
    B.free(Fresh);
  }
  for (uint32_t Id : {DUp, S.Norm2})
    B.free(Id);
  uint32_t DSum = make(Hidden, {DNorm2, Dx, S.Sum, S.Stat2});
  for (uint32_t Id : {S.Stat2, DNorm2, Dx, S.Sum})
    B.free(Id);
  uint32_t DAttention = make(Hidden, {DSum, L.Out}, matmul(H, H));
  uint32_t Delta = make(4 * Rows, {DAttention, S.Attention});
  uint32_t Sums = B.allocate(2 * Hidden, Stream);
  uint32_t DQkv = B.allocate(3 * Hidden, Stream);
  B.run({S.Qkv, DAttention, S.LogSum, Delta}, {Sums, DQkv}, 0, Stream);
  for (uint32_t Id : {Sums, Delta, DAttention, S.Qkv, S.Attention, S.LogSum})
    B.free(Id);
  uint32_t DNorm1 = make(Hidden, {DQkv, L.Qkv}, matmul(3 * H, H));
  B.free(DQkv);
  Dx = make(Hidden, {DNorm1, DSum, S.Norm1, S.Stat1, S.X});
  for (uint32_t Id : {S.Norm1, S.Stat1, DNorm1, DSum, S.X})
    B.free(Id);
}

void Transformer::end() {
  // The loss is printed.
  B.sync(Stream);
  for (uint32_t Id : {Dx, Loss, Ids, Mask})
    B.free(Id);
}

void Transformer::optimizerStep() {
  uint64_t H = W.Shape.Hidden;
  uint32_t Norm = make(4 * 300, {});
  uint32_t Embedding = make(4 * W.Shape.Vocabulary * H, {Norm});
  uint32_t Matrix = make(16 * H * H, {Norm});
  for (uint32_t Id : {Embedding, Matrix, Norm})
    B.free(Id);
}

void Transformer::iteration(uint64_t Batch, uint64_t Length) {
  unsigned N = unsigned(W.Shape.Layers);
  begin(Batch, Length);
  for (unsigned I = 0; I != N; ++I)
    forward(I);
  head();
  for (unsigned I = N; I-- != 0;)
    backward(I);
  end();
}
