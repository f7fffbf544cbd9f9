//===- Environment.h - Settings from the environment ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_ENVIRONMENT_H
#define FAKECUDA_ENVIRONMENT_H

#include <cstdint>
#include <string>

namespace fakecuda {

struct Environment {
  uint64_t Memory = uint64_t(16) << 30; // FAKECUDA_MEMORY, of each device
  uint64_t ContextBytes = 0;            // FAKECUDA_CONTEXT_BYTES
  int Devices = 1;                      // FAKECUDA_DEVICES
  bool Verbose = false, Report = false, Abort = false;
  std::string Plan; // FAKECUDA_FAIL

  /// Says on stderr what is wrong, and aborts.
  static Environment read();
  /// "1536", "512M", "16G": powers of 1024. False: no size.
  static bool parseBytes(const char *Text, uint64_t &Bytes);
};

} // namespace fakecuda

#endif // FAKECUDA_ENVIRONMENT_H
