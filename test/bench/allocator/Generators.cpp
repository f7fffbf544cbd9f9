//===- Generators.cpp - The programs that are replayed --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Builder.h"

using namespace torchtidy::bench;

const std::vector<Generator> &torchtidy::bench::generators() {
  static const std::vector<Generator> All = {
      {"variable-length", variableLength},
      {"fragmenting", fragmentingTransformer},
      {"fragmenting-plain", fragmentingTransformerPlain},
      {"streams-2", twoStreams},
      {"streams-4", fourStreams},
      {"growing", growingParameters},
      {"growing-emptied", growingParametersEmptied},
      {"inference", inference},
      {"delayed", delayedFrees},
      {"loop", smallLoop}};
  return All;
}

Trace torchtidy::bench::smallLoop(const Shape &S) {
  Builder B;
  for (unsigned I = 0, N = S.Iterations ? S.Iterations : 200; I != N; ++I) {
    B.mark();
    for (unsigned J = 0; J != 1000; ++J)
      B.free(B.allocate(4 * KiB));
  }
  return B.take();
}
