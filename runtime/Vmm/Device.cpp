//===- Device.cpp - What the arenas of one device share -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include <algorithm>
#include <memory>

using namespace torchtidy::vmm;

static StatPool poolOf(size_t Bytes) {
  return Bytes <= PageBytes ? SmallPool : LargePool;
}

Status Device::create(size_t Bytes, Handle *&To) {
  if (Bytes > Limit || Reserved > Limit - Bytes)
    return {Outcome::OutOfMemory, 0, "limit"};
  auto New = std::make_unique<Handle>();
  if (Status S = D.create(New->Id, Bytes); !S.ok()) {
    // Others use the device as well.
    if (S.What == Outcome::OutOfMemory)
      Expected = std::min(Expected, Reserved.load());
    return S;
  }
  New->Bytes = Bytes;
  Reserved += Bytes;
  To = New.release();
  std::lock_guard<StatisticsLock> G(StatisticsAccess);
  ++Counted.DeviceAllocations;
  for (StatPool P : {Aggregate, poolOf(Bytes)}) {
    Counted.Pools[P].Segment.increase(1);
    Counted.Pools[P].ReservedBytes.increase(static_cast<int64_t>(Bytes));
  }
  return {};
}

size_t Device::excess(size_t Bytes) {
  size_t Live;
  {
    std::lock_guard<StatisticsLock> G(StatisticsAccess);
    Live = std::max(
        LivePeak,
        static_cast<size_t>(Counted.Pools[Aggregate].ActiveBytes.Current) +
            Bytes);
  }
  Live += 2 * ahead();
  const size_t All = Reserved + Bytes;
  return All > Live ? (All - Live) / std::max<size_t>(Live >> 16, 1) : 0;
}

size_t Device::accepted(unsigned Share) const {
  const size_t Most = std::min(Limit, Expected);
  const bool Scarce = Reserved > Most / 100 * Settings.PlentyPercent;
  return 65536 / (Scarce ? Share : std::min(Share, Settings.PlentyShare));
}

size_t Device::ahead() const {
  return roundUp(std::min(Limit / Settings.AheadShare, Settings.AheadMost),
                 PageBytes);
}

/// Large handles are cheap to make, small ones to move: the last part of the
/// memory is where that counts.
bool Device::nearLimit(size_t Bytes) const {
  const size_t Most = std::min(Limit, Expected);
  return Reserved + Bytes > Most - Most / Settings.NearShare;
}

Status Device::createAll(size_t Bytes, size_t Room, std::vector<Handle *> &To) {
  if (Bytes > Limit || Reserved > Limit - Bytes)
    return {Outcome::OutOfMemory, 0, "limit"};
  size_t Ahead = 0;
  // What could not be moved is lost: the rest shall be movable.
  const size_t Excess = excess(Bytes);
  const bool Fragmented = Excess > accepted(Settings.FragmentedShare);
  if (Excess > accepted(Settings.RefineShare) && !Refined)
    Coarse.store(true, std::memory_order_relaxed);
  if (!Fragmented && !nearLimit(Bytes)) {
    Ahead = std::min(ahead() > Bytes ? ahead() - Bytes : 0, Room - Bytes);
  }
  // Large blocks on few handles, each of which they fill.
  const size_t Fine =
      std::max(Settings.FineHandle,
               std::min(roundUp(Bytes / Settings.HandlesPerBlock, PageBytes),
                        Settings.LargestHandle));
  const size_t Before = To.size();
  Status S;
  for (size_t Left = Bytes + Ahead; Left;) {
    const bool Near = nearLimit(Left);
    if (Near && !Refined)
      Coarse.store(true, std::memory_order_relaxed);
    const size_t Most = Near         ? PageBytes
                        : Fragmented ? Fine
                                     : Settings.LargestHandle;
    Handle *H = nullptr;
    S = create(std::min(Left, Most), H);
    if (!S.ok())
      break;
    To.push_back(H);
    Left -= H->Bytes;
  }
  if (!S.ok())
    for (; To.size() > Before; To.pop_back())
      release(To.back());
  return S;
}

void Device::release(Handle *H) {
  H->Owner = nullptr;
  if (!D.release(H->Id).ok()) {
    // Still there, and as good as before.
    Pool.push_back(H);
    return;
  }
  const size_t Bytes = H->Bytes;
  Reserved -= Bytes;
  delete H;
  std::lock_guard<StatisticsLock> G(StatisticsAccess);
  ++Counted.DeviceFrees;
  for (StatPool P : {Aggregate, poolOf(Bytes)}) {
    Counted.Pools[P].Segment.decrease(1);
    Counted.Pools[P].ReservedBytes.decrease(static_cast<int64_t>(Bytes));
  }
}
