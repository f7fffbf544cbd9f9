//===- Driver.cpp - Static findings of a project --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/Fixes.h"
#include "Driver/Linking.h"
#include "Driver/Runner.h"
#include "Driver/TidyOptions.h"
#include "Report/SourceLines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <tuple>

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

/// As clang-tidy's, but notes do not count: no filter lets all through, a file
/// without lines is meant whole, names are compared from their end.
bool passes(const Finding &F, ArrayRef<clang::tidy::FileFilter> Lines) {
  if (Lines.empty())
    return true;
  for (const clang::tidy::FileFilter &Filter : Lines)
    if (StringRef(F.Where.File).ends_with(Filter.Name))
      return Filter.LineRanges.empty() ||
             any_of(Filter.LineRanges, [&](const auto &Range) {
               return Range.first <= F.Where.Line &&
                      F.Where.Line <= Range.second;
             });
  return false;
}

/// In the order of the files. A header's finding comes from every file that
/// includes it; the first of these wins.
std::vector<Finding> merged(std::vector<FileResult> &Results,
                            const Selection &S,
                            ArrayRef<clang::tidy::FileFilter> Lines) {
  std::map<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>,
      Finding>
      Sorted;
  for (FileResult &R : Results)
    for (Finding &F : R.Findings)
      if ((S.Headers.empty() || S.Headers.count(F.Where.File) ||
           S.Sources.count(F.Where.File)) &&
          passes(F, Lines))
        Sorted.try_emplace(
            {F.Where.File, F.Where.Line, F.Where.Column, F.Check, F.Message},
            F);
  std::vector<Finding> All;
  for (auto &[Key, F] : Sorted)
    All.push_back(std::move(F));
  return All;
}

void addFingerprints(std::vector<Finding> &Findings, StringRef Root,
                     report::SourceLines &Sources) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           unsigned>
      Ordinals;
  for (Finding &F : Findings) {
    StringRef Relative = F.Where.File;
    if (Relative.consume_front(Root))
      Relative.consume_front("/");
    const std::string Line = Sources.line(F.Where.File, F.Where.Line);
    unsigned &Ordinal = Ordinals[{F.Check, F.Where.File, F.Function,
                                  StringRef(Line).trim().str()}];
    F.Fingerprint = fingerprint(F, Relative.str(), Line, Ordinal++);
    // Notes are shown as they were before fixes, too.
    for (const Note &N : F.Notes)
      Sources.line(N.Where.File, 1);
  }
}

/// Those of the project, once each, however many checks and files say so.
std::vector<SkippedFunction>
functionsSkipped(const std::vector<FileResult> &Results, const Selection &S) {
  std::map<std::tuple<std::string, unsigned, std::string>, SkippedFunction>
      Sorted;
  for (const FileResult &R : Results)
    for (const SkippedFunction &F : R.Functions) {
      const bool Asked =
          S.Headers.empty()
              ? StringRef(F.File).starts_with(S.Root + "/") ||
                    S.Sources.count(F.File)
              : S.Headers.count(F.File) || S.Sources.count(F.File);
      if (Asked)
        Sorted.try_emplace({F.File, F.Line, F.Function}, F);
    }
  std::vector<SkippedFunction> All;
  for (auto &[Key, F] : Sorted)
    All.push_back(std::move(F));
  return All;
}

/// A file counts once, and as analysed if one of its commands was.
report::FileCounts counted(const Selection &S,
                           const std::vector<FileResult> &Results) {
  std::map<std::string, std::string> Files; // reason, empty: analysed
  for (size_t N = 0; N < S.Jobs.size(); ++N) {
    auto [It, New] = Files.try_emplace(S.Jobs[N].U.File, Results[N].Failure);
    if (!New && Results[N].Failure.empty())
      It->second.clear();
  }
  for (const report::SkippedFile &U : S.Unknown)
    Files.try_emplace(U.File, U.Reason);
  report::FileCounts C;
  C.Total = Files.size();
  for (const auto &[File, Reason] : Files)
    if (Reason.empty())
      ++C.Analysed;
    else
      C.Skipped.push_back({File, Reason});
  return C;
}

std::vector<std::string> remarks(const Selection &S,
                                 const std::vector<FileResult> &Results) {
  std::set<std::string> Flags, Texts;
  for (const Job &J : S.Jobs)
    Flags.insert(J.U.Dropped.begin(), J.U.Dropped.end());
  for (const FileResult &R : Results)
    Texts.insert(R.Remarks.begin(), R.Remarks.end());
  std::vector<std::string> All(Texts.begin(), Texts.end());
  if (!Flags.empty()) {
    std::string List;
    for (const std::string &F : Flags)
      List += " " + F;
    All.push_back("compiler flags that clang does not know were dropped:" +
                  List);
  }
  return All;
}

} // namespace

Outcome torchtidy::driver::check(const Request &R) {
  Outcome O;
  CrashRecoveryContext::Enable();
  clang::tidy::ClangTidyGlobalOptions Lines;
  if (!R.LineFilter.empty())
    if (std::error_code EC =
            clang::tidy::parseLineFilter(R.LineFilter, Lines)) {
      O.Error = "--line-filter: " + EC.message() +
                "; it is JSON such as "
                "[{\"name\":\"a.cpp\",\"lines\":[[1,9]]}]";
      return O;
    }
  std::optional<Selection> S = select(R, O.Error);
  if (!S)
    return O;

  TidyOptions Options(R.Checks, R.Profiles, S->Root);
  std::vector<clang::tidy::ClangTidyOptions> PerJob;
  for (const Job &J : S->Jobs)
    PerJob.push_back(Options.of(J.U.File));
  if (!Options.errors().empty()) {
    for (const std::string &E : Options.errors())
      O.Error += (O.Error.empty() ? "" : "\n") + E;
    return O;
  }

  std::vector<FileResult> Results = analyseAll(R, *S, std::move(PerJob));
  if (R.Summarise)
    O.Summaries = summaries(Results, isWhole(R));
  for (size_t N = 0; N < Results.size(); ++N)
    if (S->Jobs[N].I)
      O.Parses.push_back(
          {S->Jobs[N].U.File, Results[N].Parsed, Results[N].Why});
  O.Report.Files = counted(*S, Results);
  O.Report.Remarks = remarks(*S, Results);
  if (!R.Since.empty() && S->Jobs.empty())
    O.Report.Remarks.push_back("nothing differs from '" + R.Since + "'");
  O.Report.Functions = functionsSkipped(Results, *S);
  O.Report.Findings = merged(Results, *S, Lines.LineFilter);
  O.Sources = std::make_shared<report::SourceLines>();
  addFingerprints(O.Report.Findings, S->Root, *O.Sources);

  std::vector<bool> Fixed(O.Report.Findings.size());
  if (R.Fix) {
    FixOutcome F = applyFixes(O.Report.Findings, [&](const std::string &File) {
      return Options.of(File).FormatStyle.value_or("none");
    });
    Fixed = F.Applied;
    O.Report.Remarks.insert(O.Report.Remarks.end(), F.Errors.begin(),
                            F.Errors.end());
  }
  for (size_t N = 0; N < Fixed.size(); ++N)
    if (Fixed[N])
      ++O.Fixed;
    else
      O.Worst = std::max(O.Worst.value_or(Severity::Remark),
                         O.Report.Findings[N].Level);
  return O;
}
