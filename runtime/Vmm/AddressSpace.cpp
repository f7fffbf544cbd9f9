//===- AddressSpace.cpp - The addresses of one arena ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include <algorithm>
#include <cassert>

using namespace torchtidy::vmm;

AddressSpace::~AddressSpace() {
  for (const Extent &E : Extents)
    if (unmappedAt(E.At) >= E.Bytes)
      (void)D.unreserve(E.At, E.Bytes);
}

Status AddressSpace::find(size_t Bytes, size_t Wanted, Address &To) {
  for (const auto &[At, Size] : Gaps)
    if (Size >= Bytes) {
      To = At;
      return {};
    }
  // Room to grow where there is some: a range then stays in one piece.
  Status Last;
  for (size_t Size = std::max(Bytes, Wanted);;
       Size = std::max(Bytes, Size / 4)) {
    Size = roundUp(Size, PageBytes);
    Last = D.reserve(To, Size);
    if (Last.ok()) {
      if (!Pages.add(To, Size)) {
        (void)D.unreserve(To, Size);
        return {Outcome::Failed, 0, "reserve"};
      }
      Extents.push_back({To, Size});
      // Not merged with a neighbour: each is given back as it came.
      Gaps.emplace(To, Size);
      return {};
    }
    if (Size == Bytes)
      return Last;
  }
}

size_t AddressSpace::unmappedAt(Address At) const {
  auto It = Gaps.upper_bound(At);
  if (It == Gaps.begin())
    return 0;
  --It;
  const Address End = It->first + It->second;
  return At < End ? End - At : 0;
}

bool AddressSpace::begins(Address At) const {
  return std::any_of(Extents.begin(), Extents.end(),
                     [At](const Extent &E) { return E.At == At; });
}

void AddressSpace::take(Address At, size_t Bytes) {
  auto It = std::prev(Gaps.upper_bound(At));
  const Address Begin = It->first, End = Begin + It->second;
  assert(Begin <= At && At + Bytes <= End && "not unmapped");
  if (Begin == At)
    Gaps.erase(It);
  else
    It->second = At - Begin;
  if (At + Bytes < End)
    Gaps.emplace(At + Bytes, End - At - Bytes);
}

void AddressSpace::give(Address At, size_t Bytes) {
  auto Next = Gaps.upper_bound(At);
  if (Next != Gaps.end() && Next->first == At + Bytes && !begins(Next->first)) {
    Bytes += Next->second;
    Next = Gaps.erase(Next);
  }
  if (Next != Gaps.begin()) {
    auto Prev = std::prev(Next);
    if (Prev->first + Prev->second == At && !begins(At)) {
      Prev->second += Bytes;
      return;
    }
  }
  Gaps.emplace(At, Bytes);
}
