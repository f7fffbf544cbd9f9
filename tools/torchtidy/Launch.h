//===- Launch.h - Runs a program under the recorder -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by `run` and `confirm`: starts an unmodified program with the
/// recorder preloaded, waits for it and says which logs it has left.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_LAUNCH_H
#define TORCHTIDY_TOOLS_TORCHTIDY_LAUNCH_H

#include <string>
#include <utility>
#include <vector>

namespace torchtidy::tools {

struct LaunchOptions {
  std::vector<std::string>
      Command; ///< program, looked up in PATH, and arguments
  /// Each process that uses LibTorch writes `<LogPrefix>.<pid>`.
  std::string LogPrefix;
  /// Set in the program's environment besides the recorder's own.
  std::vector<std::pair<std::string, std::string>> Environment;
};

struct LaunchResult {
  /// Not empty: the program was not started, and why. Status is then what a
  /// shell would give: 127 not found, 126 not executable, 2 for the rest.
  std::string Error;
  int Status = 0;                ///< of the program; 128+n for signal n
  std::vector<std::string> Logs; ///< the started process's own first
  /// Why there is no log; empty if there is one.
  std::string NoLogReason;
};

LaunchResult launch(const LaunchOptions &O);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_LAUNCH_H
