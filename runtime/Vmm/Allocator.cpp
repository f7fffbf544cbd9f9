//===- Allocator.cpp - Memory of a device, by its virtual memory management
//===//
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

std::atomic<uint64_t> LastSerial;

/// The arena that this thread used last.
thread_local struct {
  uint64_t Serial;
  Stream Of;
  Arena *Is;
} Recent;

} // namespace

Allocator::Allocator(Driver &D, const Options &Settings)
    : On(D, Settings), Serial(++LastSerial) {
  const size_t Unit = D.granularity();
  if (!Unit || PageBytes % Unit)
    throw DriverError({Outcome::Failed, 0, "granularity"},
                      "the device has no virtual memory management in units "
                      "that divide 2 MiB");
  MemoryInfo Info;
  if (Status S = D.memoryInfo(Info); !S.ok())
    throw DriverError(S, D.describe(S));
  On.Limit = static_cast<size_t>(static_cast<double>(Info.Total) *
                                 Settings.MemoryFraction);
  On.Expected = Info.Free;
}

Arena &Allocator::findOrMake(Stream S, PoolId Pool) {
  {
    std::shared_lock<std::shared_mutex> G(ArenasAccess);
    if (auto It = Arenas.find({S, Pool}); It != Arenas.end())
      return *It->second;
  }
  std::unique_lock<std::shared_mutex> G(ArenasAccess);
  auto &A = Arenas[{S, Pool}];
  if (!A)
    A = std::make_unique<Arena>(On, S, Pool != PoolId());
  return *A;
}

Arena &Allocator::arenaOf(Stream S) {
  if (RouteCount.load(std::memory_order_acquire)) {
    PoolId Pool;
    bool Found = false;
    {
      std::shared_lock<std::shared_mutex> G(ArenasAccess);
      for (const Route &R : Routes)
        if (!Found && R.Takes(S)) {
          Pool = R.Pool;
          Found = true;
        }
    }
    if (Found)
      return findOrMake(S, Pool);
  }
  if (Recent.Serial == Serial && Recent.Of == S)
    return *Recent.Is;
  Arena &A = findOrMake(S, PoolId());
  Recent = {Serial, S, &A};
  return A;
}

void *Allocator::allocate(size_t Bytes, Stream S) {
  if (!Bytes)
    return nullptr;
  if (Bytes > SIZE_MAX / 2)
    fail(Bytes, {Outcome::OutOfMemory, 0, "allocate"});
  Arena &A = arenaOf(S);
  bool Refine;
  {
    std::lock_guard<std::mutex> G(A.Access);
    A.settle();
    Refine = On.Coarse.load(std::memory_order_relaxed) && A.mostlyFree();
    if (void *P = Refine ? nullptr : A.take(Bytes))
      return P;
  }
  if (Refine)
    refine();
  return allocateSlowly(A, Bytes);
}

bool Allocator::free(void *P) noexcept {
  if (!P)
    return true;
  const auto At = reinterpret_cast<Address>(P);
  const Page *Of = On.Pages.find(At);
  if (!Of || !Of->Owner)
    return false;
  Arena &A = *Of->Owner;
  std::lock_guard<std::mutex> G(A.Access);
  return A.give(At);
}

bool Allocator::recordStream(void *P, Stream S) {
  const auto At = reinterpret_cast<Address>(P);
  const Page *Of = On.Pages.find(At);
  if (!Of || !Of->Owner)
    return false;
  Arena &A = *Of->Owner;
  std::lock_guard<std::mutex> G(A.Access);
  Block *B = A.find(At);
  if (!B || B->Pending)
    return false;
  A.addUse(B, S);
  return true;
}

size_t Allocator::sizeOf(const void *P) {
  const auto At = reinterpret_cast<Address>(P);
  const Page *Of = On.Pages.find(At);
  if (!Of || !Of->Owner)
    return 0;
  Arena &A = *Of->Owner;
  std::lock_guard<std::mutex> G(A.Access);
  const Block *B = A.find(At);
  return B && !B->Pending ? B->Size : 0;
}

std::vector<Arena *> Allocator::allArenas() {
  std::shared_lock<std::shared_mutex> G(ArenasAccess);
  std::vector<Arena *> All;
  for (auto &[Key, A] : Arenas)
    All.push_back(A.get());
  return All;
}

void Allocator::setMemoryFraction(double Fraction) {
  MemoryInfo Info;
  if (Status S = On.D.memoryInfo(Info); !S.ok())
    throw DriverError(S, On.D.describe(S));
  std::lock_guard<std::mutex> G(On.Growth);
  On.Limit = static_cast<size_t>(static_cast<double>(Info.Total) * Fraction);
}

void Allocator::enablePeer(int DeviceIndex) {
  std::lock_guard<std::mutex> G(On.Growth);
  if (std::count(On.Peers.begin(), On.Peers.end(), DeviceIndex))
    return;
  On.Peers.push_back(DeviceIndex);
  for (Arena *A : allArenas()) {
    std::lock_guard<std::mutex> AG(A->Access);
    if (Status S = A->grantAccess(); !S.ok()) {
      On.Peers.pop_back();
      throw DriverError(S, On.D.describe(S));
    }
  }
}

void Allocator::beginAllocateToPool(PoolId Pool,
                                    std::function<bool(Stream)> Takes) {
  std::unique_lock<std::shared_mutex> G(ArenasAccess);
  Routes.push_back({Pool, std::move(Takes)});
  RouteCount.store(static_cast<unsigned>(Routes.size()),
                   std::memory_order_release);
}

void Allocator::endAllocateToPool(PoolId Pool) {
  std::unique_lock<std::shared_mutex> G(ArenasAccess);
  Routes.erase(
      std::remove_if(Routes.begin(), Routes.end(),
                     [Pool](const Route &R) { return R.Pool == Pool; }),
      Routes.end());
  RouteCount.store(static_cast<unsigned>(Routes.size()),
                   std::memory_order_release);
}

void Allocator::releasePool(PoolId Pool) {
  std::lock_guard<std::mutex> G(On.Growth);
  std::shared_lock<std::shared_mutex> AG(ArenasAccess);
  for (auto &[Key, A] : Arenas)
    if (Key.second == Pool) {
      std::lock_guard<std::mutex> One(A->Access);
      A->makeMovable();
    }
}

void Allocator::setFreeMemoryCallback(std::function<bool()> Callback) {
  std::lock_guard<std::mutex> G(On.Growth);
  FreeMemory = std::move(Callback);
}

Statistics Allocator::statistics() {
  std::lock_guard<StatisticsLock> G(On.StatisticsAccess);
  return On.Counted;
}

void Allocator::resetPeaks() {
  std::lock_guard<StatisticsLock> G(On.StatisticsAccess);
  for (PoolStatistics &P : On.Counted.Pools)
    for (Stat *S : {&P.Allocation, &P.Segment, &P.Active, &P.InactiveSplit,
                    &P.AllocatedBytes, &P.ReservedBytes, &P.ActiveBytes,
                    &P.InactiveSplitBytes, &P.RequestedBytes})
      S->Peak = S->Current;
}

size_t Allocator::reserved() {
  std::lock_guard<std::mutex> G(On.Growth);
  return On.Reserved;
}

void Allocator::lockAll() {
  On.Growth.lock();
  ArenasAccess.lock();
  for (auto &[Key, A] : Arenas)
    A->Access.lock();
  On.StatisticsAccess.lock();
}

void Allocator::unlockAll() {
  On.StatisticsAccess.unlock();
  for (auto &[Key, A] : Arenas)
    A->Access.unlock();
  ArenasAccess.unlock();
  On.Growth.unlock();
}
