//===- Link.cpp - Joins events that belong together -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/Link.h"

using namespace torchtidy::trace;

void Linker::join(uint32_t Opener, Event &Closer, uint32_t Index) {
  Closer.Link = Opener;
  T.Events[Opener].Link = Index;
}

void Linker::allocated(std::unordered_map<uint64_t, uint32_t> &Live, Event &E,
                       uint32_t Index) {
  // Its free was not seen (made under another allocator's name, or lost): the
  // address has a new owner now, so the old one has ended.
  auto Old = Live.find(E.Pointer);
  if (Old != Live.end())
    T.Events[Old->second].Link = Index;
  Live[E.Pointer] = Index;
}

void Linker::freed(std::unordered_map<uint64_t, uint32_t> &Live, Event &E,
                   uint32_t Index) {
  auto It = Live.find(E.Pointer);
  if (It == Live.end())
    return; // from before the recording
  E.Value = T.Events[It->second].Value;
  E.Device = T.Events[It->second].Device;
  join(It->second, E, Index);
  Live.erase(It);
}

bool Linker::nodeMade(const Event &E, uint32_t Index, PerThread &P) {
  auto It = Nodes.find(E.Pointer);
  // Several outputs of one operator share their node.
  if (It != Nodes.end() && T.Events[It->second].Value == E.Value) {
    P.LastNode = It->second;
    for (uint32_t S : P.PendingSaves)
      T.Events[S].Link = It->second;
    P.PendingSaves.clear();
    return false;
  }
  if (It != Nodes.end())
    T.Events[It->second].Link = Index; // another type: its death was missed
  Nodes[E.Pointer] = Index;
  P.LastNode = Index;
  for (uint32_t S : P.PendingSaves)
    T.Events[S].Link = Index;
  P.PendingSaves.clear();
  return true;
}

uint64_t Linker::currentBackward(const PerThread &P) const {
  return P.Backwards.empty() ? LastBackward : P.Backwards.back();
}

void Linker::nodeEvaluated(Event &E, const PerThread &P) {
  E.Value = currentBackward(P);
  auto It = Nodes.find(E.Pointer);
  if (It == Nodes.end())
    return;
  E.Link = It->second;
  T.Events[It->second].Flags |= Evaluated | (E.has(KeepGraph) ? 0 : Released);
}

void Linker::nodeDied(Event &E, uint32_t Index) {
  auto It = Nodes.find(E.Pointer);
  if (It == Nodes.end())
    return;
  E.Flags |= T.Events[It->second].Flags & Evaluated;
  join(It->second, E, Index);
  Nodes.erase(It);
}

void Linker::saved(Event &E, uint32_t Index, PerThread &P) {
  auto It = Blocks.find(E.Pointer);
  if (It != Blocks.end()) {
    E.Value = T.Events[It->second].Value;
    E.Device = T.Events[It->second].Device;
  }
  if (E.has(IsOutput)) {
    // A dead node's outputs save nothing more.
    if (P.LastNode != NoLink && T.Events[P.LastNode].Link == NoLink)
      E.Link = P.LastNode;
  } else
    P.PendingSaves.push_back(Index);
}

void Linker::close(std::vector<uint32_t> &Open, Event &E, uint32_t Index) {
  if (Open.empty())
    return;
  join(Open.back(), E, Index);
  Open.pop_back();
}

void Linker::add(Event E) {
  auto Index = static_cast<uint32_t>(T.Events.size());
  PerThread &P = Threads[E.Thread];
  switch (E.Kind) {
  case Kind::Alloc:
    allocated(Blocks, E, Index);
    break;
  case Kind::Free:
    freed(Blocks, E, Index);
    break;
  case Kind::SegmentAlloc:
    allocated(Segments, E, Index);
    break;
  case Kind::SegmentFree:
    freed(Segments, E, Index);
    break;
  case Kind::NodeMade:
    if (!nodeMade(E, Index, P))
      return;
    break;
  case Kind::NodeEvaluated:
    nodeEvaluated(E, P);
    break;
  case Kind::NodeDied:
    nodeDied(E, Index);
    break;
  case Kind::Saved:
    saved(E, Index, P);
    break;
  case Kind::GradAccumulated:
    E.Value = currentBackward(P);
    break;
  case Kind::StepBegin:
    P.Steps.push_back(Index);
    break;
  case Kind::StepEnd:
    close(P.Steps, E, Index);
    break;
  case Kind::BackwardBegin:
    P.Backwards.push_back(Index);
    LastBackward = Index;
    break;
  case Kind::BackwardEnd:
    close(P.Backwards, E, Index);
    if (E.Link == LastBackward)
      LastBackward = NoLink;
    break;
  case Kind::ScopeBegin:
    P.Scopes.push_back(Index);
    break;
  case Kind::ScopeEnd:
    close(P.Scopes, E, Index);
    break;
  default:
    break;
  }
  T.Events.push_back(E);
}
