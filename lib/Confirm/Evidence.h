//===- Evidence.h - One process of a run, ready to be asked -----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The blocks, graph nodes and calls of a trace with their lifetimes, and the
/// source places of their stacks. Times are indices of the trace's events.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_EVIDENCE_H
#define TORCHTIDY_CONFIRM_EVIDENCE_H

#include "Confirm/Growth.h"
#include "Confirm/Symbols.h"
#include "Finding/Finding.h"
#include "Trace/Trace.h"
#include <deque>
#include <optional>

namespace torchtidy::confirm {

struct Block {
  uint64_t Born = 0, Died = Never;
  uint64_t Bytes = 0;
  uint32_t Stack = 0;
  uint16_t Thread = 0;
  bool GradOn = false;
};

struct Node {
  uint64_t Born = 0, Died = Never;
  uint32_t Stack = 0, Type = 0;
  uint16_t Thread = 0;
  bool Evaluated = false;
  bool Released = false;             ///< its saved tensors are gone
  uint32_t Backward = trace::NoLink; ///< event that evaluated it first
  std::vector<uint32_t> Saved;       ///< indices of blocks
};

/// Cuts a run into iterations; which way is named for the reader.
struct Clock {
  std::string Unit; ///< "steps", "backward calls", "iterations", "executions"
  std::vector<uint64_t> Ticks; ///< times, ascending

  /// Ticks before \p Time.
  uint64_t at(uint64_t Time) const;
};

class Evidence {
public:
  explicit Evidence(const trace::Trace &T);

  const trace::Trace &trace() const { return T; }
  const std::vector<Block> &blocks() const { return Blocks; }
  const std::vector<Node> &nodes() const { return Nodes; }
  Symbols &symbols() { return Places; }

  /// Source places of a stack, innermost first; only those with lines.
  const std::vector<const Frame *> &places(uint32_t Stack);
  /// For tests: what places() answers.
  void setPlaces(uint32_t Stack, std::vector<Frame> Where);
  /// The innermost place outside libraries, null if there is none.
  const Frame *userPlace(uint32_t Stack);
  /// Some place of the stack lies in one of \p Ranges.
  bool passes(uint32_t Stack, const std::vector<SourceSpan> &Ranges);

  Life life(const Block &B, const Clock &By) const;
  Life life(const Node &N, const Clock &By) const;

  /// Marks of the run that there are any of, in order of preference:
  /// torchtidy::iteration(), steps, backward calls.
  const std::vector<Clock> &marks() const { return Marks; }

  /// Growth of the C heap per tick, if it was sampled.
  std::optional<double> heapPerTick(const Clock &By) const;

  /// Hooks whose name contains \p Part were looked for and none was found.
  bool hookMissing(const std::string &Part) const;

private:
  void collect();
  void collectMarks();

  const trace::Trace &T;
  Symbols Places;
  std::vector<Block> Blocks;
  std::vector<Node> Nodes;
  std::vector<Clock> Marks;
  std::unordered_map<uint32_t, std::vector<const Frame *>> PlacesOf;
  std::deque<Frame> Given; ///< by setPlaces()
};

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_EVIDENCE_H
