//===- SharedHeaders.h - LibTorch's headers, parsed once --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// Files with equal flags that begin with the same headers of LibTorch share
/// one precompiled header without function bodies. It lies in the user's cache
/// folder, is published by a rename of its manifest, and is used only while
/// every file that went into it is unchanged.

#ifndef TORCHTIDY_DRIVER_SHAREDHEADERS_H
#define TORCHTIDY_DRIVER_SHAREDHEADERS_H

#include "Driver/Invocation.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <mutex>

namespace torchtidy::driver {

/// A precompiled header and what HoistGuard must know of it.
class SharedHeader {
public:
  std::string File;
  /// The headers that were really entered, as clang names them: a file must
  /// include each of these to be parsed with this header.
  std::vector<std::string> Essential;

  /// Whether the word occurs as an identifier anywhere in the headers. What
  /// they never mention cannot change or be reached by them.
  bool mentions(llvm::StringRef Word) const;

private:
  friend class SharedHeaders;
  std::vector<llvm::StringRef> Words; ///< sorted, in Text
  std::unique_ptr<llvm::MemoryBuffer> Text;
};

class SharedHeaders {
public:
  /// Without \p UseCache the files live as long as this object.
  explicit SharedHeaders(bool UseCache);
  ~SharedHeaders();

  /// Loads or builds; null with \p Why. Threads that want the same wait for
  /// the first.
  std::shared_ptr<const SharedHeader> get(const std::vector<std::string> &Names,
                                          const Invocation &I,
                                          std::string &Why);

private:
  struct Entry {
    std::mutex Building;
    bool Done = false;
    std::shared_ptr<const SharedHeader> Header;
    std::string Why;
  };

  std::string own(const std::string &File);

  std::string Folder; ///< empty: no folder can be had
  const bool UseCache;
  std::mutex Lock;
  std::vector<std::string> Temporary;
  std::map<std::string, std::shared_ptr<Entry>> Entries;
};

/// $XDG_CACHE_HOME/torchtidy, made if it is missing; empty if that fails.
std::string cacheFolder();

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_SHAREDHEADERS_H
