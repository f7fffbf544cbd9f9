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
#include "clang/Frontend/FrontendActions.h"

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

/// The text that a shared header is parsed from.
std::string headerText(const std::vector<std::string> &Names);

/// To parse that text, written or mapped to \p Prefix.
std::shared_ptr<clang::CompilerInvocation>
headerInvocation(const Invocation &I, HeaderLevel Level,
                 const std::string &Prefix, const std::string &Output);

/// Parses it and writes \p Output; notes what was seen.
class HeaderAction : public clang::GeneratePCHAction {
public:
  explicit HeaderAction(HeaderFacts &Facts) : Facts(Facts) {}
  bool BeginSourceFileAction(clang::CompilerInstance &CI) override;
  void EndSourceFileAction() override;

  /// All identifiers so far.
  static std::vector<std::string> words(const clang::Preprocessor &PP);

  std::string Foreign; ///< a file that is neither system's nor LibTorch's

private:
  HeaderFacts &Facts;
};

/// Removes older builds of the same header; true if one was not finished.
bool removeOthers(const std::string &Folder, const std::string &Key);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_HEADERBUILD_H
