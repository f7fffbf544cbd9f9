//===- Inference.cpp - A server, each request of another shape ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A decoder of 24 layers of width 1024 in half precision answers prompts; each
/// admitted batch of prompts gets a key and a value block per layer for its
/// longest answer (HuggingFace's StaticCache), kept for as many steps as it
/// answers. Prompt lengths are log-normal around 250 tokens, answers around 120
/// (the orders of ShareGPT's conversations in the vLLM paper); what is admitted
/// is bounded by tokens. In between a ResNet-50-like detector runs on images of
/// different sizes.
///
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Generators.h"
#include "Random.h"

using namespace torchtidy::bench;

namespace {
constexpr uint64_t Layers = 24, Width = 1024, Vocabulary = 32000;
constexpr uint64_t MostTokens = 64000;
// Answering takes this many tokens per step of the trace.
constexpr uint64_t TokensPerStep = 8;

struct Request {
  uint64_t Batch, Tokens, StepsLeft;
  std::vector<uint32_t> Cache;
};

class Server {
public:
  explicit Server(const Shape &S) : S(S), R(S.Seed) {
    for (uint64_t I = 0; I != Layers; ++I)
      Matrices.push_back(B.allocate(2 * 12 * Width * Width));
    Embedding = B.allocate(2 * Vocabulary * Width);
    Convolutions = B.allocate(4 * 25600000);
  }

  Trace serve() {
    for (unsigned I = 0, N = S.Iterations ? S.Iterations : 600; I != N; ++I) {
      B.mark();
      if (S.Stable) {
        admit({4, 384, 1, {}});
        detect(4, 640, 640);
      } else {
        for (uint64_t J = R.below(3); J != 0; --J)
          admit(draw());
        if (R.below(4) == 0)
          detect(R.between(1, 4), 32 * R.between(10, 32),
                 32 * R.between(10, 42));
      }
      decode();
    }
    return B.take();
  }

private:
  const Shape &S;
  Random R;
  Builder B;
  std::vector<uint32_t> Matrices;
  uint32_t Embedding, Convolutions;
  std::vector<Request> Running;
  uint64_t RunningTokens = 0;

  Request draw() {
    uint64_t Batch = uint64_t(1) << R.below(4);
    uint64_t Prompt = R.logNormal(5.5, 0.9, 8, 2048);
    uint64_t Answer = R.logNormal(4.8, 0.8, 8, 1024);
    return {Batch,
            Prompt + Answer,
            (Answer + TokensPerStep - 1) / TokensPerStep,
            {}};
  }

  void admit(Request Q) {
    uint64_t Tokens = Q.Batch * Q.Tokens;
    if (RunningTokens + Tokens > MostTokens)
      return;
    RunningTokens += Tokens;
    uint64_t Hidden = 2 * Tokens * Width;
    uint32_t Ids = B.make(8 * Tokens, {});
    uint32_t X = B.make(Hidden, {Ids, Embedding});
    for (uint64_t I = 0; I != Layers; ++I) {
      double Flops = 2.0 * double(Tokens * Width * Width);
      uint32_t Norm = B.make(Hidden, {X});
      uint32_t Qkv = B.make(3 * Hidden, {Norm, Matrices[I]}, 3 * Flops);
      B.free(Norm);
      for (unsigned J = 0; J != 2; ++J)
        Q.Cache.push_back(B.make(Hidden, {Qkv}));
      uint32_t Attention = B.make(Hidden, {Qkv});
      B.free(Qkv);
      uint32_t Sum = B.make(Hidden, {Attention, Matrices[I], X}, Flops);
      B.free(Attention);
      B.free(X);
      uint32_t Up = B.make(4 * Hidden, {Sum, Matrices[I]}, 4 * Flops);
      uint32_t Act = B.make(4 * Hidden, {Up});
      B.free(Up);
      X = B.make(Hidden, {Act, Matrices[I], Sum}, 4 * Flops);
      B.free(Act);
      B.free(Sum);
    }
    uint32_t Logits = B.make(4 * Q.Batch * Vocabulary, {X, Embedding});
    B.sync(0);
    B.freeAll(Builder::Ids{Logits, X, Ids});
    Running.push_back(std::move(Q));
  }

  void decode() {
    for (size_t I = 0; I != Running.size();) {
      Request &Q = Running[I];
      uint32_t X = B.make(2 * Q.Batch * Width, {Embedding});
      // One layer stands for all.
      uint32_t Qkv = B.make(6 * Q.Batch * Width, {X, Matrices.front()});
      uint32_t Attention =
          B.make(2 * Q.Batch * Width, {Qkv, Q.Cache.front(), Q.Cache.back()});
      uint32_t Logits = B.make(4 * Q.Batch * Vocabulary, {Attention});
      B.freeAll(Builder::Ids{X, Qkv, Attention, Logits});
      if (--Q.StepsLeft) {
        ++I;
        continue;
      }
      B.freeAll(Q.Cache);
      RunningTokens -= Q.Batch * Q.Tokens;
      Running.erase(Running.begin() + ptrdiff_t(I));
    }
    B.sync(0);
  }

  void detect(uint64_t Batch, uint64_t Height, uint64_t Breadth) {
    uint32_t X = B.make(4 * Batch * 3 * Height * Breadth, {});
    uint64_t Channels = 64, Scale = 2;
    std::vector<uint32_t> Pyramid;
    for (unsigned Stage = 0; Stage != 5; ++Stage, Scale *= 2) {
      uint64_t Plane = 4 * Batch * (Height / Scale) * (Breadth / Scale);
      for (unsigned Block = 0; Block != 3; ++Block) {
        uint32_t Middle = B.make(Plane * Channels, {X, Convolutions});
        uint32_t Y = B.make(Plane * Channels, {Middle, Convolutions});
        B.free(Middle);
        if (Block || Stage < 2)
          B.free(X);
        X = Y;
      }
      if (Stage != 0)
        Pyramid.push_back(X);
      Channels = std::min<uint64_t>(2 * Channels, 512);
    }
    B.sync(0);
    B.freeAll(Pyramid);
  }
};
} // namespace

Trace torchtidy::bench::inference(const Shape &S) { return Server(S).serve(); }
