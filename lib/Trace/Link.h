//===- Link.h - Joins events that belong together ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TRACE_LINK_H
#define TORCHTIDY_TRACE_LINK_H

#include "Trace/Trace.h"
#include <unordered_map>

namespace torchtidy::trace {

/// Fills Link, and the Values and Flags that come from it, as events arrive.
class Linker {
public:
  explicit Linker(Trace &T) : T(T) {}
  /// Adds \p E to the trace, unless it repeats what is known.
  void add(Event E);

private:
  struct PerThread {
    std::vector<uint32_t> PendingSaves; ///< inputs of the node to come
    uint32_t LastNode = NoLink;
    std::vector<uint32_t> Backwards, Steps, Scopes; ///< open ones
  };

  void join(uint32_t Opener, Event &Closer, uint32_t Index);
  void allocated(std::unordered_map<uint64_t, uint32_t> &Live, Event &E,
                 uint32_t Index);
  void freed(std::unordered_map<uint64_t, uint32_t> &Live, Event &E,
             uint32_t Index);
  bool nodeMade(const Event &E, uint32_t Index, PerThread &P);
  void nodeEvaluated(Event &E, const PerThread &P);
  void nodeDied(Event &E, uint32_t Index);
  void saved(Event &E, uint32_t Index, PerThread &P);
  void close(std::vector<uint32_t> &Open, Event &E, uint32_t Index);
  uint64_t currentBackward(const PerThread &P) const;

  Trace &T;
  std::unordered_map<uint64_t, uint32_t> Blocks, Segments, Nodes;
  std::unordered_map<unsigned, PerThread> Threads;
  uint32_t LastBackward = NoLink; ///< the newest one open in any thread
};

} // namespace torchtidy::trace

#endif // TORCHTIDY_TRACE_LINK_H
