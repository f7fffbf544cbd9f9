//===- Builder.cpp - Traces made operation by operation -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <algorithm>
#include <utility>

using namespace torchtidy::bench;

namespace {
constexpr double BytesPerNs = 1555, FlopsPerNs = 100e3;
constexpr uint64_t ShortestKernel = 2000;
// An operator's way through LibTorch's dispatcher and one launch.
constexpr uint64_t HostPerKernel = 5000;

Op op(OpKind Kind, unsigned Stream, uint32_t Id, uint64_t Value) {
  Op O{Kind};
  O.Stream = uint16_t(Stream);
  O.Id = Id;
  O.Value = Value;
  return O;
}
} // namespace

uint32_t Builder::allocate(uint64_t Size, unsigned Stream) {
  uint32_t Id = uint32_t(Bytes.size());
  Bytes.push_back(Size);
  T.Ops.push_back(op(OpKind::Allocate, Stream, Id, Size));
  return Id;
}

void Builder::free(uint32_t Id) { T.Ops.push_back(op(OpKind::Free, 0, Id, 0)); }

void Builder::record(uint32_t Id, unsigned Stream) {
  T.Ops.push_back(op(OpKind::Record, Stream, Id, 0));
}

void Builder::run(Ids Reads, Ids Writes, double Flops, unsigned Stream) {
  host(HostPerKernel);
  Op O = op(OpKind::Launch, Stream, 0, 0);
  O.First = uint32_t(T.Uses.size());
  double Moved = 0;
  for (bool Write : {false, true}) {
    for (uint32_t Id : Write ? Writes : Reads) {
      T.Uses.push_back({Id, Write});
      Moved += double(Bytes[Id]);
    }
  }
  O.Count = uint32_t(T.Uses.size()) - O.First;
  // Reading and computing overlap.
  double Ns = std::max(Moved / BytesPerNs, Flops / FlopsPerNs);
  O.Value = std::max(ShortestKernel, uint64_t(Ns));
  T.Ops.push_back(O);
}

uint32_t Builder::make(uint64_t Size, Ids Reads, double Flops,
                       unsigned Stream) {
  uint32_t Id = allocate(Size, Stream);
  run(Reads, {Id}, Flops, Stream);
  return Id;
}

void Builder::wait(unsigned Stream, unsigned ForStream) {
  T.Ops.push_back(op(OpKind::Wait, Stream, ForStream, 0));
}

void Builder::sync(unsigned Stream) {
  T.Ops.push_back(op(OpKind::Sync, Stream, 0, 0));
}

void Builder::mark() { T.Ops.push_back(op(OpKind::Mark, 0, 0, 0)); }

void Builder::emptyCache() { T.Ops.push_back(op(OpKind::Empty, 0, 0, 0)); }

void Builder::host(uint64_t Ns) { T.Ops.push_back(op(OpKind::Host, 0, 0, Ns)); }

Trace Builder::take() {
  measure(T);
  return std::move(T);
}
