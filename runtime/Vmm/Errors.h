//===- Errors.h - What the allocator throws ---------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_ERRORS_H
#define TORCHTIDY_RUNTIME_VMM_ERRORS_H

#include "Driver.h"
#include <new>
#include <stdexcept>

namespace torchtidy::vmm {

/// Bytes at the moment of the failure.
struct OutOfMemoryFacts {
  size_t Requested = 0; ///< rounded as it would have been allocated
  size_t Total = 0, Free = 0;
  size_t Limit = 0; ///< what this process may use, Total if all
  size_t Allocated = 0, Reserved = 0;
};

/// No memory, even after all that may be taken back was.
class OutOfMemory : public std::bad_alloc {
public:
  explicit OutOfMemory(const OutOfMemoryFacts &Facts);
  const char *what() const noexcept override { return Text.c_str(); }

  const OutOfMemoryFacts Facts;

private:
  std::string Text;
};

/// The driver refused for another reason; nothing is lost.
class DriverError : public std::runtime_error {
public:
  DriverError(const Status &S, const std::string &Text)
      : std::runtime_error(Text), What(S) {}

  const Status What;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_ERRORS_H
