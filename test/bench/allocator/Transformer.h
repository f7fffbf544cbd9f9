//===- Transformer.h - Training steps in half precision ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A decoder in mixed precision with fused attention (log-sum-exp saved instead
/// of the probabilities), layer by layer, so that several can take turns. The
/// saved tensors are those of LayerNorm, Linear, scaled_dot_product_attention,
/// GELU and dropout with a bit mask.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_TRANSFORMER_H
#define TORCHTIDY_BENCH_ALLOCATOR_TRANSFORMER_H

#include "Builder.h"
#include <array>
#include <vector>

namespace torchtidy::bench {

struct TransformerShape {
  uint64_t Layers = 24, Hidden = 1024, Heads = 16, Vocabulary = 32000;
};

/// The weights in half precision; trained ones also have gradients, a copy in
/// single precision and Adam's two states.
class Weights {
public:
  Weights(Builder &B, const TransformerShape &Shape, bool Trained);

  const TransformerShape Shape;
  const bool Trained;
  uint32_t Embedding;
  struct Layer {
    uint32_t Qkv, Out, Up, Down;
    uint32_t UpGradient; ///< of trained weights
  };
  std::vector<Layer> Layers;
};

class Transformer {
public:
  /// Work goes to \p Stream. With \p CopyStream a layer's input is moved to the
  /// host by that stream after the forward pass and back before the backward
  /// pass (offloaded activations).
  Transformer(Builder &B, const Weights &W, unsigned Stream = 0,
              unsigned CopyStream = 0)
      : B(B), W(W), Stream(Stream), CopyStream(CopyStream) {}

  void begin(uint64_t Batch, uint64_t Length);
  void forward(unsigned Layer);
  void head();
  void backward(unsigned Layer);
  void end();
  /// Gradient norm and temporaries in single precision.
  void optimizerStep();

  /// All of it.
  void iteration(uint64_t Batch, uint64_t Length);

private:
  Builder &B;
  const Weights &W;
  const unsigned Stream, CopyStream;
  uint64_t Tokens = 0, Rows = 0, Hidden = 0; // Hidden: bytes of one activation
  uint32_t Ids = 0, Mask = 0, X = 0, Dx = 0, Loss = 0;
  struct Saved {
    uint32_t X, Norm1, Stat1, Qkv, Attention, LogSum, Sum, Norm2, Stat2, Up,
        Act, DropMask;
  };
  std::vector<Saved> Layers;

  uint32_t make(uint64_t Bytes, Builder::Ids Reads, double Flops = 0) {
    return B.make(Bytes, Reads, Flops, Stream);
  }
  double matmul(uint64_t Rows, uint64_t Columns) const {
    return 2.0 * double(Tokens) * double(Rows) * double(Columns);
  }
  void offload(uint32_t Block);
  uint32_t fetch(uint64_t Bytes);
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_TRANSFORMER_H
