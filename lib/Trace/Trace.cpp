//===- Trace.cpp - A recorded run in memory -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/Trace.h"
#include <algorithm>
#include <unordered_map>

using namespace torchtidy::trace;

std::vector<uint64_t> Trace::stack(uint32_t Id) const {
  std::vector<uint64_t> Result;
  // A frame's parent is always older, so this ends also on a damaged table.
  while (Id && Id < Frames.size()) {
    Result.push_back(Frames[Id].Address);
    if (Frames[Id].Parent >= Id)
      break;
    Id = Frames[Id].Parent;
  }
  return Result;
}

const Module *Trace::moduleAt(uint64_t Address, uint32_t At) const {
  const Module *Best = nullptr;
  for (const Module &M : Modules) {
    if (Address < M.Low || Address >= M.High)
      continue;
    // A module is noticed a little after it was loaded: the time only chooses
    // between two that lay at one address.
    if (!Best || (M.First <= At && M.First >= Best->First))
      Best = &M;
  }
  return Best;
}

Hook Trace::hook(const std::string &Name) const {
  Hook Result;
  Result.Name = Name;
  for (const Hook &H : Hooks) {
    if (H.Name != Name)
      continue;
    Result.State = std::max(Result.State, H.State);
    Result.Fired += H.Fired;
  }
  return Result;
}

Summary torchtidy::trace::summarize(const Trace &T) {
  Summary S;
  std::unordered_map<uint32_t, uint64_t> Retired;
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    bool Device = E.has(OnDevice);
    switch (E.Kind) {
    case Kind::Alloc:
      // Its address was given away without a free that was seen.
      if (auto It = Retired.find(I); It != Retired.end())
        (Device ? S.DeviceLiveBytes : S.LiveBytes) -= It->second;
      if (E.Link != NoLink && T.Events[E.Link].Kind == Kind::Alloc)
        Retired[E.Link] = E.Value;
      ++(Device ? S.DeviceAllocations : S.Allocations);
      (Device ? S.DeviceLiveBytes : S.LiveBytes) += E.Value;
      S.PeakBytes = std::max(S.PeakBytes, S.LiveBytes);
      S.DevicePeakBytes = std::max(S.DevicePeakBytes, S.DeviceLiveBytes);
      break;
    case Kind::Free:
      (Device ? S.DeviceLiveBytes : S.LiveBytes) -= E.Value;
      break;
    case Kind::NodeMade:
      ++S.Nodes;
      S.LiveNodes += E.Link == NoLink;
      break;
    case Kind::NodeDied:
      S.UnusedNodes += E.Link != NoLink && !E.has(Evaluated);
      break;
    case Kind::StepBegin:
      ++S.Steps;
      break;
    case Kind::BackwardBegin:
      ++S.Backwards;
      break;
    case Kind::Iteration:
      ++S.Iterations;
      break;
    case Kind::ScopeBegin:
      ++S.Scopes;
      break;
    default:
      break;
    }
  }
  return S;
}
