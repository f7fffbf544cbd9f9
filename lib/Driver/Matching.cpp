//===- Matching.cpp - Facts of checks and what clang-tidy let through -----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Matching.h"
#include "Driver/Database.h"
#include "Report/SourceLines.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

class Matcher {
public:
  Matcher(FactCollector &Facts, const std::string &Directory)
      : Facts(Facts), Directory(Directory) {
    for (FactCollector::Fact &F : Facts.Facts)
      makeAbsolute(F.F);
  }

  Finding finding(const tidy::ClangTidyError &E) {
    const std::string File = absolute(E.Message.FilePath);
    Finding F;
    if (FactCollector::Fact *Known = factFor(E, File))
      F = Known->F;
    else
      F = fromDiagnostic(E, File);
    if (E.IsWarningAsError)
      F.Level = Severity::Error;
    // clang-tidy withdraws fixes that overlap with others.
    if (E.Message.Fix.empty())
      F.Fixes.clear();
    return F;
  }

private:
  FactCollector::Fact *factFor(const tidy::ClangTidyError &E,
                               const std::string &File) {
    for (FactCollector::Fact &F : Facts.Facts)
      if (!F.Used && F.F.Check == E.DiagnosticName &&
          F.Offset == E.Message.FileOffset && F.F.Where.File == File) {
        F.Used = true;
        return &F;
      }
    return nullptr;
  }

  /// For checks that know no more than their message.
  Finding fromDiagnostic(const tidy::ClangTidyError &E,
                         const std::string &File) {
    Finding F;
    F.Check = E.DiagnosticName;
    F.Message = E.Message.Message;
    if (E.DiagLevel == tooling::Diagnostic::Remark)
      F.Level = Severity::Remark;
    F.Where = F.Range = span(File, E.Message.FileOffset);
    for (const tooling::DiagnosticMessage &N : E.Notes)
      F.Notes.push_back({N.FilePath.empty()
                             ? SourceSpan()
                             : span(absolute(N.FilePath), N.FileOffset),
                         N.Message});
    Fix Edit;
    for (const auto &PerFile : E.Message.Fix)
      for (const tooling::Replacement &R : PerFile.second)
        Edit.Replacements.push_back({absolute(R.getFilePath()), R.getOffset(),
                                     R.getLength(),
                                     R.getReplacementText().str()});
    if (!Edit.Replacements.empty())
      F.Fixes.push_back(std::move(Edit));
    return F;
  }

  SourceSpan span(const std::string &File, unsigned Offset) {
    auto [Line, Column] = Sources.position(File, Offset);
    return {File, Line, Column, Line, Column + 1};
  }

  std::string absolute(llvm::StringRef Path) const {
    return absolutePath(Directory, Path.str());
  }

  void makeAbsolute(SourceSpan &S) const {
    if (!S.File.empty())
      S.File = absolute(S.File);
  }

  void makeAbsolute(Finding &F) const {
    makeAbsolute(F.Where);
    makeAbsolute(F.Range);
    for (Note &N : F.Notes)
      makeAbsolute(N.Where);
    for (SourceSpan &P : F.Producers)
      makeAbsolute(P);
    if (F.Loop)
      makeAbsolute(*F.Loop);
    if (F.HeldBy)
      makeAbsolute(F.HeldBy->Declaration);
    for (Fix &X : F.Fixes)
      for (Replacement &R : X.Replacements)
        R.File = absolute(R.File);
  }

  FactCollector &Facts;
  const std::string &Directory;
  report::SourceLines Sources;
};

} // namespace

std::vector<Finding> torchtidy::driver::matchFindings(
    llvm::ArrayRef<tidy::ClangTidyError> Passed, FactCollector &Facts,
    const std::string &Directory, std::set<std::string> &Remarks) {
  Matcher M(Facts, Directory);
  std::vector<Finding> Findings;
  for (const tidy::ClangTidyError &E : Passed) {
    llvm::StringRef Name = E.DiagnosticName;
    if (Name.starts_with("torch-"))
      Findings.push_back(M.finding(E));
    else if (Name == "clang-tidy-config" || Name == "clang-tidy-nolint")
      Remarks.insert(E.Message.Message);
  }
  return Findings;
}
