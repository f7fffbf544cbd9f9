//===- Invocation.h - How clang parses one file -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_INVOCATION_H
#define TORCHTIDY_DRIVER_INVOCATION_H

#include "Driver/Command.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace torchtidy::driver {

struct Invocation {
  std::shared_ptr<clang::CompilerInvocation> Clang;
  /// The real file system with the unit's own working directory: files are
  /// parsed in several threads.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS;

  /// What decides how a header is parsed; equal for files that can share one.
  std::string flagsKey() const;
};

/// Where clang's own headers are; empty with \p Error if they are missing.
std::string resourceDirectory(std::string &Error);

/// Flags that clang refuses are dropped and added to \p U.Dropped. Empty with
/// \p Error if the command cannot be used.
std::optional<Invocation> makeInvocation(Unit &U, std::string &Error);

/// Resolves `<name>` as the preprocessor will.
class IncludePaths {
public:
  explicit IncludePaths(const Invocation &I);

  struct Found {
    std::string Path; ///< empty: not found
    bool System = false;
  };
  /// \p Includer is the file that holds the directive.
  Found resolve(llvm::StringRef Name, bool Angled,
                llvm::StringRef Includer) const;

private:
  struct Folder {
    std::string Path;
    bool System;
  };
  std::vector<Folder> Quoted, Angled;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_INVOCATION_H
