//===- AddressSpace.cpp - Device addresses that are free ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sys/mman.h>

using namespace fakecuda;

void AddressSpace::claim() {
  // Since Linux 4.17; an older kernel takes it for a hint.
  constexpr int FixedNoReplace = 0x100000;
  void *Place = reinterpret_cast<void *>(Base);
  void *Got =
      mmap(Place, Bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | FixedNoReplace, -1, 0);
  if (Got == Place)
    return;
  std::fprintf(stderr,
               "fakecuda: cannot have the addresses from %#llx for the device: "
               "%s\n",
               static_cast<unsigned long long>(Base),
               Got == MAP_FAILED ? std::strerror(errno) : "they are taken");
  std::abort();
}

void AddressSpace::reset() {
  Free = {{Base, Bytes}};
  Taken = Limit = 0;
}

uint64_t AddressSpace::takeAt(uint64_t Size, uint64_t Align, uint64_t Hint) {
  for (auto It = Free.begin(); It != Free.end(); ++It) {
    uint64_t Low = It->first, High = Low + It->second;
    uint64_t At = Hint ? Hint : (Low + Align - 1) & ~(Align - 1);
    if (At < Low || At >= High || Size > High - At)
      continue;
    Free.erase(It);
    if (At > Low)
      Free[Low] = At - Low;
    if (At + Size < High)
      Free[At + Size] = High - At - Size;
    Taken += Size;
    return At;
  }
  return 0;
}

uint64_t AddressSpace::take(uint64_t Size, uint64_t Align, uint64_t Hint) {
  if (Limit && (Size > Limit || Taken > Limit - Size))
    return 0;
  if (Hint && Hint % Align == 0)
    if (uint64_t At = takeAt(Size, Align, Hint))
      return At;
  return takeAt(Size, Align, 0);
}

void AddressSpace::give(uint64_t Address, uint64_t Size) {
  Taken -= Size;
  auto Next = Free.lower_bound(Address);
  if (Next != Free.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Address) {
      Address = Before->first;
      Size += Before->second;
      Free.erase(Before);
    }
  }
  if (Next != Free.end() && Address + Size == Next->first) {
    Size += Next->second;
    Free.erase(Next);
  }
  Free[Address] = Size;
}
