//===- Tables.cpp - Pages, handles and mappings ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include <cstdlib>
#include <new>

using namespace torchtidy::vmm;

PageTable::PageTable() : Root(new std::atomic<Page *>[RootSize]()) {}

PageTable::~PageTable() {
  for (size_t I = 0; I < RootSize; ++I)
    std::free(Root[I].load(std::memory_order_relaxed));
}

bool PageTable::add(Address At, size_t Bytes) {
  if (At + Bytes < At || (At + Bytes - 1) >> AddressBits)
    return false;
  for (Address I = At >> LeafShift; I <= (At + Bytes - 1) >> LeafShift; ++I) {
    if (Root[I].load(std::memory_order_acquire))
      continue;
    // Zeroed pages of the system that are never touched cost nothing.
    auto *Leaf = static_cast<Page *>(std::calloc(LeafSize, sizeof(Page)));
    if (!Leaf)
      throw std::bad_alloc();
    Page *Expected = nullptr;
    if (!Root[I].compare_exchange_strong(Expected, Leaf,
                                         std::memory_order_acq_rel))
      std::free(Leaf);
  }
  return true;
}
