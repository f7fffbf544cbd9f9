//===- Streams.cpp - The memory of one stream: other streams and events ---===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

using namespace torchtidy::vmm;

/// Null if the driver refuses.
static SharedEvent recordOn(Driver &D, Stream S) {
  Event E = nullptr;
  if (!D.record(E, S).ok())
    return nullptr;
  return SharedEvent(E, [&D](void *E) { (void)D.destroy(E); });
}

void Arena::addUse(Block *B, Stream S) {
  if (S == Of)
    return;
  if (!B->Other)
    B->Other = new Uses();
  for (Stream Known : B->Other->Streams)
    if (Known == S)
      return;
  B->Other->Streams.push_back(S);
}

/// Events behind the block's last uses; false if there can be none now.
bool Arena::follow(Block *B) {
  Uses &U = *B->Other;
  for (Stream S : U.Streams)
    if (On.D.capturing(S))
      return false;
  while (!U.Streams.empty()) {
    Stream S = U.Streams.back();
    SharedEvent E = recordOn(On.D, S);
    if (!E)
      return false;
    Pending[S].emplace_back(std::move(E), B);
    ++U.Unfinished;
    U.Streams.pop_back();
  }
  return true;
}

/// A freed block that other streams may still use.
void Arena::hold(Block *B) {
  B->Pending = true;
  if (!follow(B))
    Deferred.push_back(B);
}

void Arena::settle() {
  for (size_t I = 0; I < Deferred.size();) {
    if (follow(Deferred[I])) {
      Deferred[I] = Deferred.back();
      Deferred.pop_back();
    } else {
      ++I;
    }
  }
  for (auto It = Pending.begin(); It != Pending.end();) {
    auto &[S, Queue] = *It;
    // Events of one stream are done in order.
    while (!Queue.empty() && !On.D.capturing(S) &&
           On.D.query(Queue.front().first.get()).ok()) {
      Block *B = Queue.front().second;
      Queue.pop_front();
      if (--B->Other->Unfinished || !B->Other->Streams.empty())
        continue;
      delete B->Other;
      B->Other = nullptr;
      B->Pending = false;
      finish(B);
    }
    It = Queue.empty() ? Pending.erase(It) : std::next(It);
  }
}

void Arena::awaited(std::vector<SharedEvent> &To) const {
  for (const auto &[S, Queue] : Pending)
    if (!Queue.empty())
      To.push_back(Queue.back().first);
  if (!Marks.empty())
    To.push_back(Marks.back().second);
}

void Arena::observe(bool Record) {
  if (On.D.capturing(Of))
    return;
  while (!Marks.empty() && On.D.query(Marks.front().second.get()).ok()) {
    Done = Marks.front().first;
    Marks.pop_front();
  }
  const uint64_t Covered = Marks.empty() ? Done : Marks.back().first;
  if (!Record || Covered >= Epoch)
    return;
  if (SharedEvent E = recordOn(On.D, Of)) {
    Marks.emplace_back(Epoch, std::move(E));
    // Of an idle stream it is done at once.
    if (Marks.size() == 1 && On.D.query(Marks.front().second.get()).ok()) {
      Done = Marks.front().first;
      Marks.pop_front();
    }
  }
}
