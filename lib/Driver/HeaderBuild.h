//===- HeaderBuild.h - Builds one precompiled header ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_HEADERBUILD_H
#define TORCHTIDY_DRIVER_HEADERBUILD_H

#include "Driver/SharedHeaders.h"

namespace torchtidy::driver {

/// What was seen while the headers were parsed.
struct HeaderFacts {
  std::vector<std::string> Essential;
  Inputs Used;
  std::vector<std::string> Words; ///< all identifiers, sorted
};

/// Parses `#include <name>` for each of \p Names, written to \p Prefix, and
/// writes \p Output. Returns the reason of a failure.
std::string buildHeader(const std::vector<std::string> &Names,
                        const Invocation &I, HeaderLevel Level,
                        const std::string &Prefix, const std::string &Output,
                        HeaderFacts &Facts);

/// Removes older builds of the same header.
void removeOthers(const std::string &Folder, const std::string &Key);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_HEADERBUILD_H
