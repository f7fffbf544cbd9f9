//===- Errors.cpp - What the allocator throws -----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include <cstdio>

using namespace torchtidy::vmm;

/// As LibTorch writes sizes: "1.50 GiB".
static std::string inWords(size_t Bytes) {
  static const char *const Units[] = {"KiB", "MiB", "GiB"};
  if (Bytes < 1024)
    return std::to_string(Bytes) + " bytes";
  double Value = static_cast<double>(Bytes) / 1024;
  unsigned Unit = 0;
  for (; Unit < 2 && Value >= 1024; ++Unit)
    Value /= 1024;
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.2f %s", Value, Units[Unit]);
  return Text;
}

OutOfMemory::OutOfMemory(const OutOfMemoryFacts &F) : Facts(F) {
  Text = "CUDA out of memory. Tried to allocate " + inWords(F.Requested) +
         ". The device has a total capacity of " + inWords(F.Total) +
         " of which " + inWords(F.Free) + " is free. ";
  if (F.Limit < F.Total)
    Text += inWords(F.Limit) + " allowed. ";
  Text += "Of the allocated memory " + inWords(F.Allocated) +
          " is allocated by PyTorch, and " + inWords(F.Reserved - F.Allocated) +
          " is reserved by PyTorch but unallocated.";
}
