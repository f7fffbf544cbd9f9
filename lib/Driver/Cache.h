//===- Cache.h - what is kept between runs ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// The folder of what is worth keeping between runs: parsed headers and
/// results. Everything in it can be made anew; concurrent runs share it.

#ifndef TORCHTIDY_DRIVER_CACHE_H
#define TORCHTIDY_DRIVER_CACHE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace torchtidy::driver {

/// $XDG_CACHE_HOME/torchtidy, made if it is missing; empty if that fails.
std::string cacheFolder();

/// A short name for \p Text.
std::string hashed(llvm::StringRef Text);

/// Marks a file as used now; trimCache keeps what was used last.
void touchCached(const std::string &File);

/// Removes what was used longest ago until \p Limit bytes are left.
void trimCache(const std::string &Folder, uint64_t Limit);

/// Removes all of it; returns the bytes set free. \p Error names the first file
/// that could not be removed.
uint64_t clearCache(const std::string &Folder, std::string &Error);

/// One process at a time; the kernel opens the lock when its holder dies.
class FileLock {
public:
  explicit FileLock(const std::string &Path);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int FD;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_CACHE_H
