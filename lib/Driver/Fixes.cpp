//===- Fixes.cpp - Applies the fixes of findings --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Fixes.h"
#include "Report/AtomicFile.h"
#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

using PerFile = std::map<std::string, tooling::Replacements>;

/// Adds one fix to what is already there, or nothing of it.
bool addWhole(PerFile &All, const Fix &F) {
  PerFile With = All;
  for (const Replacement &R : F.Replacements) {
    if (llvm::Error E = With[R.File].add(
            tooling::Replacement(R.File, R.Offset, R.Length, R.Text))) {
      llvm::consumeError(std::move(E));
      return false;
    }
  }
  All = std::move(With);
  return true;
}

/// The file's new text as clang-tidy would leave it; an error message else.
llvm::Expected<std::string> edited(const std::string &File,
                                   llvm::StringRef Code,
                                   const tooling::Replacements &Edits,
                                   const std::string &StyleName) {
  auto Style = format::getStyle(StyleName, File, "none");
  if (!Style)
    return Style.takeError();
  auto Clean = format::cleanupAroundReplacements(Code, Edits, *Style);
  if (!Clean)
    return Clean.takeError();
  if (StyleName != "none") {
    auto Formatted = format::formatReplacements(Code, *Clean, *Style);
    if (!Formatted)
      return Formatted.takeError();
    Clean = std::move(Formatted);
  }
  return tooling::applyAllReplacements(Code, *Clean);
}

} // namespace

FixOutcome torchtidy::driver::applyFixes(
    const std::vector<Finding> &Findings,
    const std::function<std::string(const std::string &)> &StyleOf) {
  FixOutcome Outcome;
  PerFile All;
  for (const Finding &F : Findings)
    Outcome.Applied.push_back(!F.Fixes.empty() &&
                              !F.Fixes.front().Replacements.empty() &&
                              addWhole(All, F.Fixes.front()));
  std::vector<std::string> Failed;
  for (const auto &[File, Edits] : All) {
    std::string Error;
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (!Buffer) {
      Error = "cannot read '" + File + "': " + Buffer.getError().message();
    } else if (auto Text =
                   edited(File, (*Buffer)->getBuffer(), Edits, StyleOf(File))) {
      Error = report::writeFileAtomically(File, *Text);
    } else {
      Error = "cannot fix '" + File + "': " + toString(Text.takeError());
    }
    if (!Error.empty()) {
      Outcome.Errors.push_back(Error);
      Failed.push_back(File);
    }
  }
  for (size_t I = 0; I < Findings.size(); ++I)
    if (Outcome.Applied[I])
      for (const Replacement &R : Findings[I].Fixes.front().Replacements)
        if (llvm::is_contained(Failed, R.File))
          Outcome.Applied[I] = false;
  return Outcome;
}
