//===- TorchCheck.cpp - What all torch checks share -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/TorchCheck.h"
#include "Flow/Summaries.h"
#include "checks/FindingSink.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

namespace {

struct RegistryRow {
  llvm::StringRef Name, Profile, Severity;
};

constexpr RegistryRow Registry[] = {
#define TORCHTIDY_CHECK(Class, Name, Profile, Severity, Summary)               \
  {Name, Profile, Severity},
#include "checks/Registry.inc"
#undef TORCHTIDY_CHECK
};

const RegistryRow &registryRow(llvm::StringRef Name) {
  for (const RegistryRow &R : Registry)
    if (R.Name == Name)
      return R;
  llvm_unreachable("check without a row in checks.json");
}

/// Semicolons as in clang-tidy's own lists; commas as on our command line.
std::vector<std::string> splitList(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  llvm::SplitString(Text, Parts, ";, ");
  return {Parts.begin(), Parts.end()};
}

std::string joinList(const std::vector<std::string> &L) {
  return llvm::join(L, ";");
}

CharSourceRange charRange(SourceRange R, const SourceManager &SM,
                          const LangOptions &Lang) {
  return Lexer::getAsCharRange(SM.getExpansionRange(R), SM, Lang);
}

SourceSpan span(SourceRange R, const SourceManager &SM,
                const LangOptions &Lang) {
  if (R.isInvalid())
    return {};
  CharSourceRange C = charRange(R, SM, Lang);
  PresumedLoc B = SM.getPresumedLoc(C.getBegin(), /*UseLineDirectives=*/false);
  PresumedLoc E = SM.getPresumedLoc(C.getEnd(), /*UseLineDirectives=*/false);
  if (B.isInvalid() || E.isInvalid())
    return {};
  return {B.getFilename(), B.getLine(), B.getColumn(), E.getLine(),
          E.getColumn()};
}

Severity severityOf(llvm::StringRef Text) {
  return Text == "remark"  ? Severity::Remark
         : Text == "error" ? Severity::Error
                           : Severity::Warning;
}

} // namespace

TorchCheck::TorchCheck(llvm::StringRef Name, tidy::ClangTidyContext *Context)
    : ClangTidyCheck(Name, Context), CheckName(Name.str()),
      Profiles(splitList(Options.getLocalOrGlobal("TorchProfiles", "default"))),
      InProfile(llvm::is_contained(Profiles, registryRow(Name).Profile)) {
  auto List = [&](llvm::StringRef Key) {
    return splitList(Options.getLocalOrGlobal(Key, ""));
  };
  FlowOptions.GuardTypes = List("GuardTypes");
  FlowOptions.ThreadLaunchers = List("ThreadLaunchers");
  FlowOptions.ForwardNames = List("ForwardNames");
  FlowOptions.NonConsumers = List("NonConsumers");
  FlowOptions.MaxBlocks =
      Options.getLocalOrGlobal("MaxBlocks", FlowOptions.MaxBlocks);
  FlowOptions.Summaries = Options.getLocalOrGlobal("TorchSummaries", "");
}

void TorchCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) {
  Options.store(Opts, "TorchProfiles", joinList(Profiles));
  Options.store(Opts, "GuardTypes", joinList(FlowOptions.GuardTypes));
  Options.store(Opts, "ThreadLaunchers", joinList(FlowOptions.ThreadLaunchers));
  Options.store(Opts, "ForwardNames", joinList(FlowOptions.ForwardNames));
  Options.store(Opts, "NonConsumers", joinList(FlowOptions.NonConsumers));
  Options.store(Opts, "MaxBlocks", FlowOptions.MaxBlocks);
  Options.store(Opts, "TorchSummaries", FlowOptions.Summaries);
}

void TorchCheck::registerMatchers(ast_matchers::MatchFinder *Finder) {
  if (InProfile)
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
}

void TorchCheck::check(const ast_matchers::MatchFinder::MatchResult &Result) {
  SM = Result.SourceManager;
  Lang = &Result.Context->getLangOpts();
  FindingSink *Sink = FindingSink::current();
  flow::Options Opts = FlowOptions;
  Opts.Links = Sink && Sink->wantsSummary();
  if (Sink) // `torchtidy check` links files itself
    Opts.Summaries.clear();
  else
    tellUnreadable(Opts.Summaries);
  Shared = flow::Model::of(*Result.Context, Opts);
  if (Opts.Links)
    Sink->summary(Shared->summary());
  diagnose(*Shared);
  tellSkipped();
}

void TorchCheck::tellUnreadable(llvm::StringRef Summaries) {
  const auto Main = SM->getFileEntryRefForID(SM->getMainFileID());
  std::string Why;
  if (!Summaries.empty() &&
      !flow::Summaries::load(Summaries, Main ? Main->getName() : "", Why))
    configurationDiag(
        "TorchSummaries: '%0': %1; files are judged by themselves")
        << Summaries << Why;
}

void TorchCheck::tellSkipped() const {
  FindingSink *Sink = FindingSink::current();
  if (!Sink)
    return;
  for (const auto &[F, Reason] : Shared->skipped()) {
    const SourceLocation Loc = SM->getExpansionLoc(F->getLocation());
    const SourceSpan Where = span(Loc, *SM, *Lang);
    if (Where.valid())
      Sink->skip(
          {Where.File, Where.Line, F->getQualifiedNameAsString(), Reason});
  }
}

void TorchCheck::onEndOfTranslationUnit() { Shared.reset(); }

void TorchCheck::report(const Report &R) {
  const SourceLocation Loc = SM->getExpansionLoc(R.Loc);
  const bool FixesAreSafe = llvm::none_of(R.Fixes, [](const FixItHint &F) {
    return F.RemoveRange.getBegin().isMacroID() ||
           F.RemoveRange.getEnd().isMacroID();
  });
  const RegistryRow &Row = registryRow(CheckName);
  {
    auto D = diag(Loc, "%0",
                  Row.Severity == "remark" ? DiagnosticIDs::Remark
                                           : DiagnosticIDs::Warning)
             << R.Message;
    if (FixesAreSafe)
      for (const FixItHint &F : R.Fixes)
        D << F;
  }
  for (const auto &[Where, Text] : R.Notes)
    diag(SM->getExpansionLoc(Where), "%0", DiagnosticIDs::Note) << Text;

  FindingSink *Sink = FindingSink::current();
  if (!Sink)
    return;
  Finding F;
  F.Check = CheckName;
  F.Profile = Row.Profile.str();
  F.Level = severityOf(Row.Severity);
  F.Message = R.Message;
  F.Where = span(Loc, *SM, *Lang);
  for (const auto &[Where, Text] : R.Notes)
    F.Notes.push_back({span(Where, *SM, *Lang), Text});
  F.Range =
      span(R.Statement.isValid() ? R.Statement : SourceRange(Loc), *SM, *Lang);
  for (SourceRange P : R.Producers)
    F.Producers.push_back(span(P, *SM, *Lang));
  if (R.Loop)
    F.Loop = span(R.Loop->getSourceRange(), *SM, *Lang);
  if (R.HeldBy) {
    F.HeldBy = R.HeldBy;
    if (R.HolderDecl)
      F.HeldBy->Declaration = span(R.HolderDecl->getSourceRange(), *SM, *Lang);
  }
  if (R.Function)
    F.Function = R.Function->getQualifiedNameAsString();
  if (FixesAreSafe && !R.Fixes.empty()) {
    Fix Edit;
    Edit.Description = R.FixDescription;
    for (const FixItHint &H : R.Fixes) {
      CharSourceRange C = Lexer::makeFileCharRange(H.RemoveRange, *SM, *Lang);
      auto [File, Offset] = SM->getDecomposedLoc(C.getBegin());
      unsigned End = SM->getFileOffset(C.getEnd());
      Edit.Replacements.push_back({SM->getFilename(C.getBegin()).str(), Offset,
                                   End - Offset, H.CodeToInsert});
    }
    F.Fixes.push_back(std::move(Edit));
  }
  Sink->add(std::move(F), SM->getFileOffset(Loc));
}
