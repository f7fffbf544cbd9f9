//===- TidyOptions.h - Which checks run on a file, and how ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_TIDYOPTIONS_H
#define TORCHTIDY_DRIVER_TIDYOPTIONS_H

#include "clang-tidy/ClangTidyOptions.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace torchtidy::driver {

/// clang-tidy's configuration files with our rules on top: the torch checks
/// run unless a file removes one by a glob that contains `torch`; headers
/// below the project's root are reported on unless a file says otherwise.
class TidyOptions {
public:
  /// \p Checks and \p Profiles are the command line's, or empty.
  TidyOptions(const std::string &Checks, const std::string &Profiles,
              const std::string &ProjectRoot);
  ~TidyOptions();

  clang::tidy::ClangTidyOptions of(const std::string &File);

  /// What is wrong with configuration files or the command line, one line
  /// each; known after of().
  const std::set<std::string> &errors() const { return Errors; }

  /// All checks whose names begin with `torch-`.
  static std::vector<std::string> torchChecks();

private:
  std::string effective(const std::string &Configured) const;

  std::string Checks;
  std::set<std::string> Errors;
  std::unique_ptr<clang::tidy::ClangTidyOptionsProvider> Files;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_TIDYOPTIONS_H
