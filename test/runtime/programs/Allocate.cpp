//===- Allocate.cpp - A program on OldTorch -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstddef>

namespace c10 {
void *alloc_cpu(size_t Bytes);
void free_cpu(void *P);
} // namespace c10

int main() {
  for (int I = 0; I < 10; ++I)
    c10::free_cpu(c10::alloc_cpu(100));
  return 4;
}
