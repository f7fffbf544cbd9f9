//===- StaleOutputProof.cpp - Two graphs alive, or one? -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/StaleOutputProof.h"
#include <algorithm>
#include <map>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

/// Nodes of one thread that went together: no other was made in between.
struct Graph {
  std::vector<uint32_t> Nodes;
  size_t Made = 0;       ///< nodes of the thread that were there when it was
                         ///< complete
  size_t Gone = 0;       ///< ... when it went
  uint64_t Next = Never; ///< when the first after it was made
  bool Released = false; ///< by a backward
  size_t over() const { return Gone - Made; }
};

/// When a node stops to hold what it saved.
uint64_t endOf(const Node &N) {
  return N.Released && N.Backward != trace::NoLink ? N.Backward : N.Died;
}

struct Rounds {
  std::vector<Graph> Graphs; ///< of about the size of the largest
  uint64_t Overlapping = 0;  ///< the next forward ran over it
  uint64_t Longer = 0;       ///< and more
  uint64_t Unfreed = 0;      ///< nodes that stayed to the end
  uint64_t Total = 0;        ///< nodes whose death is known to the point
};

Rounds findRounds(const Evidence &Run, const std::vector<uint32_t> &Nodes) {
  Rounds R;
  std::map<uint16_t, std::vector<uint32_t>> Threads;
  for (uint32_t I : Nodes) {
    const Node &N = Run.nodes()[I];
    // Its death is seen late.
    if (Run.trace().Events[N.Born].has(trace::MadeShared))
      continue;
    ++R.Total;
    if (endOf(N) == Never)
      ++R.Unfreed;
    else
      Threads[N.Thread].push_back(I);
  }
  size_t Largest = 0;
  for (auto &[Thread, Made] : Threads) {
    std::sort(Made.begin(), Made.end(), [&](uint32_t A, uint32_t B) {
      return Run.nodes()[A].Born < Run.nodes()[B].Born;
    });
    auto before = [&, &Made = Made](uint64_t Time) {
      return static_cast<size_t>(
          std::partition_point(
              Made.begin(), Made.end(),
              [&](uint32_t I) { return Run.nodes()[I].Born < Time; }) -
          Made.begin());
    };
    std::vector<size_t> Ends;
    for (uint32_t I : Made)
      Ends.push_back(before(endOf(Run.nodes()[I])));
    // The last two may both go behind the last node: where the last begins is
    // told by when the one before them went. Single nodes tell nothing.
    std::map<size_t, size_t> Together;
    size_t Most = 0, LastBegins = 0;
    for (size_t Gone : Ends)
      if (Gone < Made.size())
        Most = std::max(Most, ++Together[Gone]);
    for (auto [Gone, Nodes] : Together)
      if (Nodes * 2 >= Most)
        LastBegins = Gone;
    std::map<std::pair<size_t, bool>, Graph> ByEnd;
    for (size_t I = 0; I < Made.size(); ++I) {
      const Node &N = Run.nodes()[Made[I]];
      const size_t Gone = Ends[I];
      Graph &G = ByEnd[{Gone, Gone == Made.size() && I >= LastBegins}];
      G.Nodes.push_back(Made[I]);
      G.Gone = Gone;
      G.Made = I + 1;
      G.Released |= N.Released;
    }
    for (auto &[Gone, G] : ByEnd) {
      if (G.Made < Made.size())
        G.Next = Run.nodes()[Made[G.Made]].Born;
      Largest = std::max(Largest, G.Nodes.size());
      R.Graphs.push_back(std::move(G));
    }
  }
  // Single nodes may go in the middle of a forward.
  R.Graphs.erase(std::remove_if(R.Graphs.begin(), R.Graphs.end(),
                                [&](const Graph &G) {
                                  return G.Nodes.size() * 2 < Largest;
                                }),
                 R.Graphs.end());
  for (const Graph &G : R.Graphs) {
    R.Overlapping += G.over() > 0;
    R.Longer += G.over() > 2 * G.Nodes.size();
  }
  return R;
}

/// Most bytes that the graphs pinned at one time, and what it would have been
/// had each gone before the next was begun.
std::pair<uint64_t, uint64_t> peaks(const Evidence &Run, const Rounds &R) {
  std::vector<uint32_t> Nodes;
  std::vector<uint64_t> With, Without;
  for (const Graph &G : R.Graphs)
    for (uint32_t I : G.Nodes) {
      Nodes.push_back(I);
      With.push_back(endOf(Run.nodes()[I]));
      Without.push_back(G.over() ? std::min(G.Next, With.back()) : With.back());
    }
  return {peakPinned(Run, Nodes, &With), peakPinned(Run, Nodes, &Without)};
}

} // namespace

Verdict confirm::proveStaleOutput(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("node-made") || C.Run.hookMissing("node-died"))
    return undecided(C.DidRun,
                     "this LibTorch hides graph nodes from the recorder");
  if (C.Made.Own.empty())
    return nothingSeen(C);
  const Parts All = joined(C.Made.Own, C.Made.Source);
  Verdict V;
  V.DidRun = C.DidRun;
  V.Evidence.emplace_back("iteration", "rounds");
  if (All.Nodes.empty()) {
    V.State = VerdictState::Contradicted;
    V.Reason = "no graph was built here: grad mode was off or nothing required "
               "a gradient";
    return V;
  }
  const Rounds R = findRounds(C.Run, All.Nodes);
  const uint64_t Count = R.Graphs.size();
  V.Iterations = Count;
  if (R.Total == 0 || R.Unfreed * 2 > R.Total) {
    V.State = VerdictState::Undecided;
    V.Reason = R.Total == 0 ? "when these graphs were freed is not recorded"
                            : "most of these graphs were there to the end of "
                              "the run: something else keeps them";
    return V;
  }
  V.Evidence.emplace_back("rounds_over_the_last_graph",
                          std::to_string(R.Overlapping));
  const std::string Of =
      std::to_string(R.Overlapping) + " of " + counted(Count, "rounds");
  if (R.Overlapping == 0) {
    const bool Released =
        std::any_of(R.Graphs.begin(), R.Graphs.end(),
                    [](const Graph &G) { return G.Released; });
    V.State = Count < 3 ? VerdictState::Undecided : VerdictState::Contradicted;
    V.Reason = Count < 3 ? "only " + counted(Count, "rounds") + ": too few"
               : Released
                   ? "backward had freed what each graph had saved before "
                     "the next was begun"
                   : "each graph was freed before the next was begun";
    return V;
  }
  if (R.Longer * 2 > R.Overlapping) {
    V.State = VerdictState::Undecided;
    V.Reason = "these graphs lived for longer than the next forward: something "
               "else keeps them";
    return V;
  }
  if (R.Overlapping < 3 || R.Overlapping * 2 < Count) {
    V.State = VerdictState::Undecided;
    V.Reason = "the graph before was alive during the forward in " + Of +
               (R.Overlapping < 3 ? " (three are enough)" : " only");
    return V;
  }
  if (C.Run.hookMissing("saved")) {
    V.State = VerdictState::Undecided;
    V.Reason = "two graphs were alive in " + Of +
               ", but what they saved is not recorded";
    return V;
  }
  const auto [With, Without] = peaks(C.Run, R);
  V.PeakBytes = With;
  V.Evidence.emplace_back("peak_without", std::to_string(Without));
  if (With <= Without) {
    V.State = VerdictState::Contradicted;
    V.Reason = "two graphs were alive in " + Of +
               ", but the older one held no tensors of its own";
    return V;
  }
  V.State = VerdictState::Confirmed;
  V.Reason = "the graph before was alive during the forward in " + Of +
             "; freed in time, these graphs would have held " +
             std::to_string(Without) + " bytes at most, not " +
             std::to_string(With);
  return V;
}
