//===- Ladder.cpp - What is done before a request fails -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"
#include <algorithm>

using namespace torchtidy::vmm;

namespace {

/// Locks arenas in the order of their map; Growth is held, so that no other
/// thread waits for a second one.
class LockedArenas {
public:
  explicit LockedArenas(const std::vector<Arena *> &All) : All(All) {
    for (Arena *A : All)
      A->Access.lock();
  }
  ~LockedArenas() {
    for (Arena *A : All)
      A->Access.unlock();
  }
  LockedArenas(const LockedArenas &) = delete;
  LockedArenas &operator=(const LockedArenas &) = delete;

private:
  const std::vector<Arena *> All;
};

} // namespace

/// No range is long enough: remap or reserve; then what other streams have
/// done with; then wait for what they still do; then what callbacks free.
void *Allocator::allocateSlowly(Arena &A, size_t Bytes) {
  const size_t Size = Arena::sizeOf(Bytes);
  Status S;
  {
    std::lock_guard<std::mutex> Growth(On.Growth);
    std::lock_guard<std::mutex> G(A.Access);
    // Another thread may have freed or placed some meanwhile.
    if (void *P = A.take(Bytes))
      return P;
    S = A.place(Size, {});
    if (S.ok())
      return A.take(Bytes);
  }
  if (S.What != Outcome::OutOfMemory)
    fail(Size, S);
  On.count(&Statistics::AllocRetries);
  for (bool Called = false;;) {
    if (void *P = fromOthers(A, Bytes, S))
      return P;
    if (S.What != Outcome::OutOfMemory)
      fail(Size, S);
    if (awaitOne())
      continue;
    if (Called || !FreeMemory || !FreeMemory())
      fail(Size, S);
    Called = true;
  }
}

void *Allocator::fromOthers(Arena &A, size_t Bytes, Status &Last) {
  std::lock_guard<std::mutex> Growth(On.Growth);
  std::vector<Arena *> All = allArenas(), Others;
  LockedArenas Locked(All);
  for (Arena *Each : All) {
    Each->settle();
    Each->observe(Each != &A);
    if (Each != &A && Each->movable())
      Others.push_back(Each);
  }
  if (void *P = A.take(Bytes))
    return P;
  Last = A.place(Arena::sizeOf(Bytes), Others);
  return Last.ok() ? A.take(Bytes) : nullptr;
}

/// Waits for the end of something that holds memory back, with nothing locked.
/// False if there is nothing, or the driver does not answer.
bool Allocator::awaitOne() {
  std::vector<SharedEvent> Events;
  for (Arena *Each : allArenas()) {
    std::lock_guard<std::mutex> G(Each->Access);
    Each->awaited(Events);
  }
  if (Events.empty())
    return false;
  On.count(&Statistics::SyncAllStreams);
  return On.D.wait(Events.front().get()).ok();
}

void Allocator::fail(size_t Size, const Status &S) {
  if (S.What != Outcome::OutOfMemory)
    throw DriverError(S, On.D.describe(S));
  OutOfMemoryFacts Facts;
  Facts.Requested = Size;
  MemoryInfo Info{};
  if (On.D.memoryInfo(Info).ok()) {
    Facts.Total = Info.Total;
    Facts.Free = Info.Free;
  }
  {
    std::lock_guard<StatisticsLock> G(On.StatisticsAccess);
    ++On.Counted.OutOfMemories;
    Facts.Allocated =
        static_cast<size_t>(On.Counted.Pools[Aggregate].AllocatedBytes.Current);
    Facts.Reserved =
        static_cast<size_t>(On.Counted.Pools[Aggregate].ReservedBytes.Current);
  }
  {
    std::lock_guard<std::mutex> G(On.Growth);
    Facts.Limit = On.Limit;
  }
  throw OutOfMemory(Facts);
}

/// For all that streams do now, with nothing locked.
void Allocator::awaitAll() {
  std::vector<SharedEvent> Events;
  for (Arena *A : allArenas()) {
    std::lock_guard<std::mutex> G(A->Access);
    A->settle();
    A->observe(true);
    A->awaited(Events);
  }
  for (const SharedEvent &E : Events)
    (void)On.D.wait(E.get());
}

/// Takes what is free and done out of use, unmapped as far as the driver does
/// that; \p All are locked.
void Allocator::retireAll(std::vector<Arena *> &All,
                          std::vector<Handle *> &To) {
  To.swap(On.Pool);
  for (Arena *A : All) {
    A->settle();
    A->observe(false);
    A->retireFree(To);
  }
  for (Arena *A : All)
    A->dropDead();
  for (Handle *H : To)
    H->Owner = nullptr;
}

void Allocator::emptyCache() {
  awaitAll();
  std::lock_guard<std::mutex> Growth(On.Growth);
  std::vector<Arena *> All = allArenas();
  LockedArenas Locked(All);
  std::vector<Handle *> Free;
  retireAll(All, Free);
  for (Handle *H : Free)
    if (H->First)
      On.Pool.push_back(H);
    else
      On.release(H);
}

/// Makes free memory anew in small handles. What lies on a large handle
/// keeps all of it from moving, and near the limit each part is needed. Once,
/// while most is free: the wait that this takes is not repeated.
void Allocator::refine() {
  awaitAll();
  std::lock_guard<std::mutex> Growth(On.Growth);
  if (!On.Coarse.exchange(false))
    return;
  On.Refined = true;
  std::vector<Arena *> All = allArenas();
  LockedArenas Locked(All);
  std::vector<Handle *> Free;
  retireAll(All, Free);
  for (Handle *H : Free) {
    const size_t Fine = On.fineHandle();
    if (H->First || H->Bytes <= Fine) {
      On.Pool.push_back(H);
      continue;
    }
    size_t Left = H->Bytes;
    On.release(H);
    while (Left) {
      Handle *Part = nullptr;
      if (!On.create(std::min(Left, Fine), Part).ok())
        break;
      Left -= Part->Bytes;
      On.Pool.push_back(Part);
    }
  }
}

Allocator::~Allocator() {
  // The device may be gone already; then nothing is left to give back.
  try {
    emptyCache();
  } catch (...) {
  }
  for (Handle *H : On.Pool)
    if (!H->First)
      delete H; // else with its mappings
}
