//===- Generators.h - The programs that are replayed ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each generator stands in a file of its own, with the source of its shapes.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_GENERATORS_H
#define TORCHTIDY_BENCH_ALLOCATOR_GENERATORS_H

#include "Trace.h"
#include <string>
#include <vector>

namespace torchtidy::bench {

struct Shape {
  uint64_t Seed = 1;
  unsigned Iterations = 0; ///< 0: the generator's own number
  unsigned Batch = 0;      ///< 0: the generator's own; where there is one
  bool Stable = false;     ///< the same sizes in every iteration
};

Trace variableLength(const Shape &S);
Trace fragmentingTransformer(const Shape &S);
/// The same without gradient checkpointing.
Trace fragmentingTransformerPlain(const Shape &S);
Trace twoStreams(const Shape &S);
Trace fourStreams(const Shape &S);
Trace growingParameters(const Shape &S);
/// The same with emptyCache after each growth.
Trace growingParametersEmptied(const Shape &S);
Trace inference(const Shape &S);
Trace delayedFrees(const Shape &S);
/// One block of 4 KiB, allocated and freed again and again.
Trace smallLoop(const Shape &S);

struct Generator {
  const char *Name;
  Trace (*Make)(const Shape &);
};

const std::vector<Generator> &generators();

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_GENERATORS_H
