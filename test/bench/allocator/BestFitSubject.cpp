//===- BestFitSubject.cpp - The column without remapping ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestFitSubject.h"
#include "CudaDriver.h"
#include <algorithm>

using namespace torchtidy::bench;

StreamRange &BestFitSubject::range(void *Stream) {
  std::unique_ptr<StreamRange> &R = Ranges[Stream];
  if (!R) {
    size_t Total = 0;
    cuDeviceTotalMem_v2(&Total, 0);
    // Holes do not move, so that a range may need more than the device has.
    R = std::make_unique<StreamRange>(2 * uint64_t(Total), HandleBytes);
  }
  return *R;
}

void BestFitSubject::count() {
  Numbers.Reserved = 0;
  for (auto &Entry : Ranges)
    Numbers.Reserved += Entry.second->reserved();
  Numbers.ReservedPeak = std::max(Numbers.ReservedPeak, Numbers.Reserved);
}

void *BestFitSubject::allocate(size_t Bytes, void *Stream) {
  if (!Waiting.empty())
    poll();
  StreamRange &R = range(Stream);
  uint64_t Before = R.reserved();
  uint64_t P = R.allocate(Bytes);
  if (!P) {
    ++Numbers.Retries;
    count();
    emptyCache();
    P = R.allocate(Bytes);
    if (!P)
      ++Numbers.OutOfMemory;
  }
  if (R.reserved() != Before)
    count();
  return reinterpret_cast<void *>(P);
}

void BestFitSubject::give(void *P) {
  uint64_t Address = reinterpret_cast<uint64_t>(P);
  for (auto &Entry : Ranges)
    if (Entry.second->owns(Address))
      return Entry.second->free(Address);
}

void BestFitSubject::free(void *P) {
  auto It = Recorded.find(P);
  if (It == Recorded.end())
    return give(P);
  Pending W = {P, {}};
  for (void *Stream : It->second) {
    CUevent Event = nullptr;
    cuEventCreate(&Event, fakecuda::abi::EventDisableTiming);
    cuEventRecord(Event, Stream);
    W.Events.push_back(Event);
  }
  Recorded.erase(It);
  Waiting.push_back(std::move(W));
}

void BestFitSubject::recordStream(void *P, void *Stream) {
  Recorded[P].insert(Stream);
}

void BestFitSubject::poll() {
  for (; !Waiting.empty(); Waiting.pop_front()) {
    std::vector<void *> &Events = Waiting.front().Events;
    for (; !Events.empty(); Events.pop_back()) {
      if (cuEventQuery(Events.back()))
        return;
      cuEventDestroy_v2(Events.back());
    }
    give(Waiting.front().Block);
  }
}

void BestFitSubject::emptyCache() {
  cuCtxSynchronize();
  poll();
  for (auto &Entry : Ranges)
    Entry.second->trim();
  count();
}

void *BestFitSubject::stream(unsigned Index) {
  while (Streams.size() <= Index) {
    CUstream Stream = nullptr;
    // The first is the default stream.
    if (!Streams.empty())
      cuStreamCreate(&Stream, fakecuda::abi::StreamNonBlocking);
    Streams.push_back(Stream);
  }
  return Streams[Index];
}
