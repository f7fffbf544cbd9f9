//===- TorchCheck.h - What all torch checks share ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_TORCHCHECK_H
#define TORCHTIDY_CHECKS_TORCHCHECK_H

#include "Finding/Finding.h"
#include "Flow/Model.h"
#include "clang-tidy/ClangTidyCheck.h"
#include <optional>

namespace torchtidy::checks {

/// One report: everything a check knows, before it becomes a diagnostic.
struct Report {
  clang::SourceLocation Loc;
  std::string Message;
  std::vector<std::pair<clang::SourceLocation, std::string>> Notes;
  /// Safe edits only; dropped when one of them touches a macro.
  std::vector<clang::FixItHint> Fixes;
  std::string FixDescription; ///< what the fix does, for review tools
  clang::SourceRange Statement;
  std::vector<clang::SourceRange> Producers;
  const clang::Stmt *Loop = nullptr;
  std::optional<Holder> HeldBy; ///< Declaration is filled from HolderDecl
  const clang::Decl *HolderDecl = nullptr;
  const clang::FunctionDecl *Function = nullptr;
};

/// A check turns facts of the shared model into reports; it never walks the
/// AST. One match per translation unit keeps matching cheap.
class TorchCheck : public clang::tidy::ClangTidyCheck {
public:
  TorchCheck(llvm::StringRef Name, clang::tidy::ClangTidyContext *Context);

  bool isLanguageVersionSupported(
      const clang::LangOptions &LangOpts) const override {
    return LangOpts.CPlusPlus;
  }
  void registerMatchers(clang::ast_matchers::MatchFinder *Finder) final;
  void check(const clang::ast_matchers::MatchFinder::MatchResult &Result) final;
  void onEndOfTranslationUnit() final;
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  virtual void diagnose(const flow::Model &M) = 0;
  void report(const Report &R);

private:
  void tellUnreadable(llvm::StringRef Summaries);
  void tellSkipped() const;

  const std::string CheckName;
  const std::vector<std::string> Profiles;
  const bool InProfile;
  flow::Options FlowOptions;
  std::shared_ptr<const flow::Model> Shared;
  const clang::SourceManager *SM = nullptr;
  const clang::LangOptions *Lang = nullptr;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_TORCHCHECK_H
