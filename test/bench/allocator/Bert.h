//===- Bert.h - BERT in single precision ------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Training and evaluation steps of HuggingFace's BertForMaskedLM in single
/// precision, attention spelt out: probabilities, their dropout mask and the
/// dropped probabilities are saved, as are the inputs of every Linear, GELU and
/// LayerNorm. The head sees the masked positions only (15 %).
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_BERT_H
#define TORCHTIDY_BENCH_ALLOCATOR_BERT_H

#include "Builder.h"
#include <vector>

namespace torchtidy::bench {

class Bert {
public:
  /// BERT-large: 24 layers, 1024 wide, 16 heads, 30522 words. With
  /// \p Checkpoints a layer saves its input alone and runs again when its
  /// gradient is asked for.
  Bert(Builder &B, bool Checkpoints);

  void train(uint64_t Batch, uint64_t Length);
  /// Without gradients; the predicted words stay until forgetPredictions().
  void evaluate(uint64_t Batch, uint64_t Length);
  void forgetPredictions();

private:
  static constexpr uint64_t Layers = 24, Width = 1024, Heads = 16,
                            Words = 30522;

  Builder &B;
  const bool Checkpoints;
  struct Parameter {
    uint64_t Bytes;
    uint32_t Value;
    uint32_t Gradient = 0, Mean = 0, Square = 0; // 0: none
  };
  std::vector<Parameter> Parameters;
  std::vector<uint32_t> Predictions;

  uint64_t Tokens = 0; // of this step
  uint64_t Hidden = 0; // bytes of an activation
  uint64_t Pairs = 0;  // bytes of the attention's probabilities
  uint32_t Attend = 0; // the attention's mask

  enum { Query, Key, Value, Output, Norm1, Up, Down, Norm2, PerLayer };
  struct Saved {
    uint32_t X, Query, Key, Value, Probabilities, PairMask, Dropped, Context,
        OutMask, Sum1, Stat1, Out1, Up, Act, DownMask, Sum2, Stat2;
  };

  void addParameter(uint64_t Count);
  Parameter &parameter(uint64_t Layer, unsigned Which);
  uint32_t linear(uint32_t In, uint64_t From, uint64_t To, uint32_t Weight);
  uint32_t linearBackward(uint32_t Out, uint32_t In, uint64_t From, uint64_t To,
                          Parameter &P);
  void addGradient(Parameter &P, Builder::Ids Reads, double Flops);
  uint32_t normBackward(uint32_t Out, uint32_t In, uint32_t Stat, Parameter &P);
  uint32_t attention(uint64_t Layer, Saved &S);
  uint32_t feedForward(uint64_t Layer, Saved &S);
  uint32_t forward(uint64_t Layer, uint32_t X, Saved &S);
  void forget(const Saved &S);
  uint32_t backward(uint64_t Layer, uint32_t Dx, const Saved &S);
  uint32_t attentionBackward(uint64_t Layer, uint32_t D, const Saved &S);
  uint32_t embed(uint64_t Batch, uint64_t Length);
  uint32_t headBackward(uint32_t X);
  void step();
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_BERT_H
