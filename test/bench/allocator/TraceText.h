//===- TraceText.h - Traces as text -----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One operation per line; empty lines and what follows a # are skipped:
///
///     allocate ID BYTES [STREAM]      record ID STREAM     mark
///     free ID                         wait STREAM OTHER    host NS
///     launch STREAM NS [r:ID|w:ID]... sync STREAM          empty
///
/// IDs are any numbers below 2^64, each allocated once; streams count from 0.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_TRACETEXT_H
#define TORCHTIDY_BENCH_ALLOCATOR_TRACETEXT_H

#include "Trace.h"
#include <iosfwd>

namespace torchtidy::bench {

void dump(const Trace &T, std::ostream &Out);

/// Reads a trace, measured. Empty, or what is wrong: "line 3: ...".
std::string load(std::istream &In, Trace &T);

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_TRACETEXT_H
