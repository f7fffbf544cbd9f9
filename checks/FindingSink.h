//===- FindingSink.h - Structured findings beside diagnostics ---*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// clang-tidy's diagnostics carry text; reports and confirmation also need
/// ranges, producers and holders, and want to know what was left out. A check
/// hands these to the sink of its thread, if a driver has installed one.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_FINDINGSINK_H
#define TORCHTIDY_CHECKS_FINDINGSINK_H

#include "Finding/Finding.h"

namespace torchtidy::checks {

class FindingSink {
public:
  virtual ~FindingSink();

  /// \p Offset is the byte offset of the primary location in its file. Called
  /// before clang-tidy applies NOLINT and header filters: the driver keeps
  /// only what clang-tidy then lets through (same check, file and offset).
  virtual void add(Finding F, unsigned Offset) = 0;

  /// A function that was not judged. The checks of a file share what they know:
  /// with equal options each says the same.
  virtual void skip(SkippedFunction F) = 0;

  /// flow::Model::summary, once per file, if the driver wants to link files.
  virtual bool wantsSummary() const { return false; }
  virtual void summary(const std::string &) {}

  /// The sink of this thread or null.
  static FindingSink *current();
  static void install(FindingSink *Sink);
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_FINDINGSINK_H
