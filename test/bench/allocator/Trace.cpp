//===- Trace.cpp - What a program asks of an allocator --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include <algorithm>

using namespace torchtidy::bench;

namespace {
struct Check {
  std::vector<bool> Live;
  const Trace &T;

  explicit Check(const Trace &T) : T(T) {}

  bool live(uint32_t Id) const { return Id < Live.size() && Live[Id]; }

  const char *wrong(const Op &O) {
    switch (O.Kind) {
    case OpKind::Allocate:
      if (O.Id != Live.size())
        return "blocks must be numbered in order of allocation";
      if (!O.Value)
        return "a block without bytes";
      Live.push_back(true);
      return nullptr;
    case OpKind::Free:
      if (!live(O.Id))
        return "frees a block that is not live";
      Live[O.Id] = false;
      return nullptr;
    case OpKind::Record:
      return live(O.Id) ? nullptr : "records a block that is not live";
    case OpKind::Launch:
      if (O.First > T.Uses.size() || O.Count > T.Uses.size() - O.First)
        return "names uses that are not there";
      for (uint32_t I = O.First; I != O.First + O.Count; ++I)
        if (!live(T.Uses[I].Id))
          return "a kernel touches a block that is not live";
      return nullptr;
    case OpKind::Wait:
      return O.Id == O.Stream ? "a stream waits for itself" : nullptr;
    case OpKind::Sync:
    case OpKind::Mark:
    case OpKind::Empty:
    case OpKind::Host:
      return nullptr;
    }
    return "no operation";
  }
};
} // namespace

std::string torchtidy::bench::whyMalformed(const Trace &T) {
  Check C(T);
  for (size_t I = 0; I != T.Ops.size(); ++I)
    if (const char *Why = C.wrong(T.Ops[I]))
      return "operation " + std::to_string(I) + ": " + Why;
  return {};
}

void torchtidy::bench::measure(Trace &T) {
  struct Block {
    uint64_t Bytes;
    uint16_t Stream;
  };
  std::vector<Block> Blocks;
  std::vector<uint64_t> LiveOf;
  uint64_t Live = 0;
  T.IdealPeak = 0;
  T.Iterations = 0;
  T.StreamPeaks.clear();
  auto Touch = [&](uint32_t Stream) {
    if (Stream >= LiveOf.size()) {
      LiveOf.resize(Stream + 1);
      T.StreamPeaks.resize(Stream + 1);
    }
  };
  Touch(0);
  for (const Op &O : T.Ops) {
    if (O.Kind == OpKind::Mark && T.Iterations++ == 0)
      T.Persistent = uint32_t(Blocks.size());
    if (O.Kind != OpKind::Free && O.Kind != OpKind::Mark)
      Touch(O.Kind == OpKind::Wait ? std::max<uint32_t>(O.Id, O.Stream)
                                   : O.Stream);
    if (O.Kind == OpKind::Allocate) {
      Blocks.push_back({roundedBlock(O.Value), O.Stream});
      uint64_t &Own = LiveOf[O.Stream];
      Own += Blocks.back().Bytes;
      Live += Blocks.back().Bytes;
      T.IdealPeak = std::max(T.IdealPeak, Live);
      T.StreamPeaks[O.Stream] = std::max(T.StreamPeaks[O.Stream], Own);
    } else if (O.Kind == OpKind::Free) {
      const Block &B = Blocks[O.Id];
      LiveOf[B.Stream] -= B.Bytes;
      Live -= B.Bytes;
    }
  }
  T.Blocks = uint32_t(Blocks.size());
  if (T.Iterations == 0)
    T.Persistent = 0;
  T.Streams = uint32_t(LiveOf.size());
}
