//===- AddressSpace.h - Device addresses that are free ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The device addresses of the process: one region at a fixed place, so that
/// results do not depend on where the kernel maps things. Nothing is behind it:
/// the host gets SIGSEGV, as from a device address.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_ADDRESSSPACE_H
#define FAKECUDA_ADDRESSSPACE_H

#include <cstdint>
#include <map>

namespace fakecuda {

class AddressSpace {
public:
  static constexpr uint64_t Base = 0x200000000000, Bytes = uint64_t(16) << 40;

  /// Claims the region for the life of the process; aborts if it is taken.
  static void claim();
  static bool contains(uint64_t Address) { return Address - Base < Bytes; }

  void reset();
  void setLimit(uint64_t NewLimit) { Limit = NewLimit; }
  /// The lowest free range, at \p Hint if that is free; 0: there is none.
  uint64_t take(uint64_t Size, uint64_t Align, uint64_t Hint = 0);
  void give(uint64_t Address, uint64_t Size);

private:
  uint64_t takeAt(uint64_t Size, uint64_t Align, uint64_t Hint);

  std::map<uint64_t, uint64_t> Free; // begin to size, never adjacent
  uint64_t Taken = 0, Limit = 0;
};

} // namespace fakecuda

#endif // FAKECUDA_ADDRESSSPACE_H
