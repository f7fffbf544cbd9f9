//===- AddressSpace.h - The addresses of one arena --------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reserved from the driver in large pieces; knows which part is unmapped.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_ADDRESSSPACE_H
#define TORCHTIDY_RUNTIME_VMM_ADDRESSSPACE_H

#include "Tables.h"
#include <map>
#include <vector>

namespace torchtidy::vmm {

class AddressSpace {
public:
  AddressSpace(Driver &D, PageTable &Pages) : D(D), Pages(Pages) {}
  AddressSpace(const AddressSpace &) = delete;
  AddressSpace &operator=(const AddressSpace &) = delete;
  /// Gives back what has nothing mapped in it.
  ~AddressSpace();

  /// The lowest unmapped place for so many bytes; reserves \p Extent bytes, or
  /// as many as are needed, if there is none.
  Status find(size_t Bytes, size_t Extent, Address &To);
  /// Unmapped bytes from \p At on, 0 if it is mapped or not ours.
  size_t unmappedAt(Address At) const;
  /// Is that where a reservation begins? No call may reach across.
  bool begins(Address At) const;
  void take(Address At, size_t Bytes);
  void give(Address At, size_t Bytes);

private:
  struct Extent {
    Address At;
    size_t Bytes;
  };

  Driver &D;
  PageTable &Pages;
  std::map<Address, size_t> Gaps;
  std::vector<Extent> Extents;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_ADDRESSSPACE_H
