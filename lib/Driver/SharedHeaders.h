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
/// everything that went into it is unchanged. Files whose own templates are
/// instantiated by those bodies share a second one that has them.

#ifndef TORCHTIDY_DRIVER_SHAREDHEADERS_H
#define TORCHTIDY_DRIVER_SHAREDHEADERS_H

#include "Driver/Cache.h"
#include "Driver/Inputs.h"
#include "Driver/Invocation.h"
#include "llvm/Support/MemoryBuffer.h"

namespace torchtidy::driver {

enum class HeaderLevel {
  Declarations, ///< without the bodies of functions
  Bodies,       ///< with them, so that templates can be instantiated
};

struct HeaderFacts;

/// A precompiled header and what HoistGuard must know of it.
class SharedHeader {
public:
  /// For headers that were parsed in this process; there is no File.
  static std::shared_ptr<const SharedHeader> of(const HeaderFacts &Facts);

  HeaderLevel Level = HeaderLevel::Declarations;
  std::string File;
  std::string Key;    ///< names its manifest in the cache
  std::string Digest; ///< of all that it depends on
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

/// The right to build a header elsewhere: other processes wait.
struct HeaderClaim {
  std::string Key, Base;
  std::string Pch; ///< where to write it; empty: it is not kept
  std::unique_ptr<FileLock> Lock;
  bool MayOutlive = true; ///< who writes it may go on when the run has ended
  std::function<void()> Published; ///< called by who wrote it

  /// To be called when Pch is there; returns the reason of a failure.
  std::string publish(const HeaderFacts &Facts) const;
};

class SharedHeaders {
public:
  /// Without \p UseCache the files live as long as this object. What was
  /// looked at stands in \p Check, which lives longer.
  SharedHeaders(bool UseCache, InputCheck &Check);
  ~SharedHeaders();

  /// Loads or builds; null with \p Why. Threads that want the same wait for
  /// the first.
  std::shared_ptr<const SharedHeader> get(const std::vector<std::string> &Names,
                                          const Invocation &I,
                                          HeaderLevel Level, std::string &Why);

  /// For whom builds it elsewhere: empty if it is there already, or cannot be.
  std::optional<HeaderClaim> claim(const std::vector<std::string> &Names,
                                   const Invocation &I);

  /// Whether the header of that key is still what it was.
  bool unchanged(llvm::StringRef Key, llvm::StringRef Digest);

  /// Where everything lies; empty: no folder can be had.
  const std::string &folder() const { return Folder; }

private:
  struct Entry {
    std::mutex Building;
    bool Done = false;
    std::shared_ptr<const SharedHeader> Header;
    std::string Why;
  };

  std::string own(const std::string &File);
  std::string digest(llvm::StringRef Key);
  std::string baseOf(const std::string &Key) const;
  std::shared_ptr<SharedHeader> load(const std::string &Base);
  std::shared_ptr<SharedHeader> build(const std::vector<std::string> &Names,
                                      const Invocation &I, HeaderLevel Level,
                                      const std::string &Base,
                                      std::string &Why);

  std::string Folder;
  std::string Own; ///< begins the names of what is not kept
  const bool UseCache;
  InputCheck &Check;
  std::mutex Lock;
  llvm::StringMap<std::string> Digests; ///< of unchanged headers, else empty
  std::vector<std::string> Temporary;
  std::map<std::string, std::shared_ptr<Entry>> Entries;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_SHAREDHEADERS_H
