//===- FrameEntry.h - Finds and reads entries of .eh_frame ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_FRAMEENTRY_H
#define TORCHTIDY_RUNTIME_RECORD_FRAMEENTRY_H

#include <cstdint>
#include <cstring>

namespace torchtidy::record {

/// Reads DWARF's kinds of numbers.
class Cursor {
public:
  explicit Cursor(const uint8_t *P) : P(P) {}
  const uint8_t *P;

  template <typename T> T fixed() {
    T V;
    std::memcpy(&V, P, sizeof(V));
    P += sizeof(V);
    return V;
  }
  uint64_t uleb() {
    uint64_t V = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      uint8_t B = *P++;
      if (Shift < 64)
        V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      if (!(B & 0x80))
        return V;
    }
  }
  int64_t sleb() {
    uint64_t V = 0;
    unsigned Shift = 0;
    uint8_t B;
    do {
      B = *P++;
      if (Shift < 64)
        V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      Shift += 7;
    } while (B & 0x80);
    if (Shift < 64 && (B & 0x40))
      V |= ~uint64_t(0) << Shift;
    return static_cast<int64_t>(V);
  }
  /// A pointer in encoding \p E; Ok becomes false if it is not one that
  /// linkers write.
  uint64_t encoded(uint8_t E, bool &Ok) {
    auto Here = reinterpret_cast<uint64_t>(P);
    uint64_t V = 0;
    switch (E & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
      V = fixed<uint64_t>();
      break;
    case 0x03:
      V = fixed<uint32_t>();
      break;
    case 0x0b:
      V = static_cast<uint64_t>(static_cast<int64_t>(fixed<int32_t>()));
      break;
    default:
      Ok = false;
    }
    if ((E & 0x70) == 0x10)
      V += Here;
    else if (E & 0x70)
      Ok = false;
    return V;
  }
};

/// The entry (FDE) of the function that may hold \p Address: the last one to
/// begin before it. Null if its module has no table of them.
const uint8_t *findFrameEntry(uintptr_t Address);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_FRAMEENTRY_H
