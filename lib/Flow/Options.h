//===- Options.h - What users can tell the analysis -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_OPTIONS_H
#define TORCHTIDY_FLOW_OPTIONS_H

#include <string>
#include <tuple>
#include <vector>

namespace torchtidy::flow {

/// Names of in-house code; each entry is a qualified name or its last part.
struct Options {
  std::vector<std::string> GuardTypes;      ///< act like NoGradGuard
  std::vector<std::string> ThreadLaunchers; ///< run a callable on a new thread
  std::vector<std::string> ForwardNames;    ///< methods that act like forward
  std::vector<std::string> NonConsumers;    ///< only look at their arguments
  unsigned MaxBlocks = 2000; ///< functions with more CFG blocks are skipped
  bool Links = false;        ///< calls into other files are kept for a summary
  std::string Summaries;     ///< file of Summaries::load; empty: none

  bool operator<(const Options &O) const {
    auto Key = [](const Options &X) {
      return std::tie(X.GuardTypes, X.ThreadLaunchers, X.ForwardNames,
                      X.NonConsumers, X.MaxBlocks, X.Links, X.Summaries);
    };
    return Key(*this) < Key(O);
  }
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_OPTIONS_H
