//===- StreamRange.cpp - Best fit in one range of addresses ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamRange.h"
#include "CudaDriver.h"
#include "Trace.h"

using namespace torchtidy::bench;
using namespace fakecuda::abi;

constexpr uint64_t Granularity = 2 * MiB;

static uint64_t roundUp(uint64_t Bytes, uint64_t To) {
  return (Bytes + To - 1) / To * To;
}

StreamRange::StreamRange(uint64_t Span, uint64_t HandleBytes)
    : Span(roundUp(Span, Granularity)), HandleBytes(HandleBytes) {
  cuMemAddressReserve(&Begin, this->Span, 0, 0, 0);
  End = Begin;
}

StreamRange::~StreamRange() {
  if (End != Begin)
    cuMemUnmap(Begin, End - Begin);
  for (const Handle &H : Handles)
    cuMemRelease(H.Id);
  cuMemAddressFree(Begin, Span);
}

void StreamRange::insert(uint64_t Address, uint64_t Bytes) {
  Free.emplace(Address, Bytes);
  BySize.emplace(Bytes, Address);
}

void StreamRange::erase(std::map<uint64_t, uint64_t>::iterator It) {
  BySize.erase({It->second, It->first});
  Free.erase(It);
}

uint64_t StreamRange::allocate(uint64_t Bytes) {
  Bytes = roundedBlock(Bytes);
  auto Fit = BySize.lower_bound({Bytes, 0});
  if (Fit == BySize.end()) {
    if (!grow(Bytes))
      return 0;
    Fit = BySize.lower_bound({Bytes, 0});
  }
  auto [Size, Address] = *Fit;
  erase(Free.find(Address));
  if (Size != Bytes)
    insert(Address + Bytes, Size - Bytes);
  Live.emplace(Address, Bytes);
  return Address;
}

void StreamRange::free(uint64_t Address) {
  auto It = Live.find(Address);
  uint64_t Bytes = It->second;
  Live.erase(It);
  auto Next = Free.lower_bound(Address);
  if (Next != Free.end() && Next->first == Address + Bytes) {
    Bytes += Next->second;
    erase(Next++);
  }
  if (Next != Free.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Address) {
      Address = Before->first;
      Bytes += Before->second;
      erase(Before);
    }
  }
  insert(Address, Bytes);
}

bool StreamRange::map(uint64_t Bytes) {
  MemAllocationProp Prop = {};
  Prop.Type = AllocationPinned;
  Prop.Location.Type = LocationDevice;
  unsigned long long Id;
  if (End + Bytes > Begin + Span || cuMemCreate(&Id, Bytes, &Prop, 0))
    return false;
  if (cuMemMap(End, Bytes, 0, Id, 0)) {
    cuMemRelease(Id);
    return false;
  }
  Handles.push_back({Id, Bytes});
  End += Bytes;
  return true;
}

/// Makes a free block of \p Bytes at the end.
bool StreamRange::grow(uint64_t Bytes) {
  auto Tail = Free.empty() ? Free.end() : std::prev(Free.end());
  uint64_t From = End;
  if (Tail != Free.end() && Tail->first + Tail->second == End) {
    From = Tail->first;
    erase(Tail);
  }
  uint64_t Mapped = End;
  bool Enough = true;
  while (End - From < Bytes && Enough)
    // The last of the memory may be too small for a large handle.
    Enough =
        map(HandleBytes) || (HandleBytes != Granularity && map(Granularity));
  MemAccessDesc Access = {{LocationDevice, 0}, AccessReadWrite};
  if (End != Mapped)
    cuMemSetAccess(Mapped, End - Mapped, &Access, 1);
  if (End != From)
    insert(From, End - From);
  return Enough;
}

void StreamRange::trim() {
  if (Free.empty())
    return;
  auto Tail = std::prev(Free.end());
  uint64_t From = Tail->first;
  if (From + Tail->second != End)
    return;
  erase(Tail);
  while (!Handles.empty() && End - Handles.back().Bytes >= From) {
    End -= Handles.back().Bytes;
    cuMemUnmap(End, Handles.back().Bytes);
    cuMemRelease(Handles.back().Id);
    Handles.pop_back();
  }
  if (End != From)
    insert(From, End - From);
}
