//===- Since.h - files changed since a revision -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// Which files changed since a revision, from git.

#ifndef TORCHTIDY_DRIVER_SINCE_H
#define TORCHTIDY_DRIVER_SINCE_H

#include <optional>
#include <set>
#include <string>

namespace torchtidy::driver {

/// Paths below the repository that holds \p Folder: what differs from
/// \p Revision in the working tree, and files that git does not know and does
/// not ignore. Empty with \p Error if git cannot tell.
/// Real paths: without symbolic links. A submodule that differs stands there as
/// its folder.
std::optional<std::set<std::string>> changedSince(const std::string &Revision,
                                                  const std::string &Folder,
                                                  std::string &Error);

/// Whether \p File, or a folder that it lies in, is one of \p Changed.
bool isChanged(const std::string &File, const std::set<std::string> &Changed);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_SINCE_H
