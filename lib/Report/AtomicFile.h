//===- AtomicFile.h - Files that are whole or not there ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_REPORT_ATOMICFILE_H
#define TORCHTIDY_REPORT_ATOMICFILE_H

#include <string>

namespace torchtidy::report {

/// Writes \p Text to a temporary beside \p Path and renames it: readers see the
/// old file or the new one, never a part, and a failed or interrupted write
/// leaves the old one. Devices and pipes are written directly. Returns the
/// reason of a failure, empty when done.
std::string writeFileAtomically(const std::string &Path,
                                const std::string &Text);

} // namespace torchtidy::report

#endif // TORCHTIDY_REPORT_ATOMICFILE_H
