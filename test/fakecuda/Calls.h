//===- Calls.h - Counts, costs and failures of entry points -----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of entry points: how often each was called, what a call costs, and
/// which calls are to fail.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_CALLS_H
#define FAKECUDA_CALLS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace fakecuda {

enum class Entry : unsigned {
#define FAKECUDA_DRIVER(Name, Symbol, Needs, Ns, NsPerMib) Name,
#define FAKECUDA_RUNTIME(Name, Needs, Ns, NsPerMib) Name,
#include "EntryPoints.def"
};

enum class Needs { Nothing, Init, Context };

/// What does not change of an entry point.
struct EntryPoint {
  const char *Name;
  bool Runtime;
  Needs Need;
  uint64_t Ns, NsPerMib;
};

class Calls {
public:
  static constexpr unsigned Size = 0
#define FAKECUDA_DRIVER(Name, Symbol, Needs, Ns, NsPerMib) +1
#define FAKECUDA_RUNTIME(Name, Needs, Ns, NsPerMib) +1
#include "EntryPoints.def"
      ;

  static const EntryPoint &entry(Entry E);
  /// Index by name, with or without _v2; -1: no such entry point.
  static int find(const std::string &Name);

  void reset();
  void resetCounts();
  void count(Entry E) {
    Counts[unsigned(E)].fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t counted(int Index) const {
    return Counts[Index].load(std::memory_order_relaxed);
  }

  uint64_t cost(Entry E, uint64_t Times, uint64_t Bytes) const;
  std::string setLatency(const char *Name, uint64_t Ns, uint64_t NsPerMib);

  /// Empty, or what is wrong with the plan.
  std::string setPlan(const char *Plan);
  /// The error that this call is to fail with; 0: none.
  int injected(Entry E) { return Plan.empty() ? 0 : nextInPlan(E); }

private:
  struct Failure {
    int Index = 0;
    uint64_t First = 0, Count = 0, Every = 0, Seen = 0;
    int Error = 0;
  };
  struct Latency {
    uint64_t Ns, NsPerMib;
  };
  static std::string parseFailure(const std::string &Item, Failure &F);
  int nextInPlan(Entry E);

  std::array<std::atomic<uint64_t>, Size> Counts = {};
  std::array<Latency, Size> Latencies;
  std::vector<Failure> Plan;
};

} // namespace fakecuda

#endif // FAKECUDA_CALLS_H
