//===- FileChecks.cpp - The checks on one file ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/FileChecks.h"
#include "Driver/ClangVersions.h"
#include "Driver/PendingFilter.h"
#include "checks/FindingSink.h"
#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

/// Hands the file to clang-tidy's consumer with the traversal limited to what
/// stands outside system headers, if the guard lets it.
class FileConsumer : public MultiplexConsumer {
public:
  FileConsumer(std::vector<std::unique_ptr<ASTConsumer>> Inner,
               CompilerInstance &CI, HoistGuard *Guard)
      : MultiplexConsumer(std::move(Inner)), CI(CI), Guard(Guard) {}

  void InitializeSema(Sema &S) override {
    MultiplexConsumer::InitializeSema(S);
    Actions = &S;
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    // Behind the reader of the shared header, which comes after this object.
    if (Guard && Guard->header().Level == HeaderLevel::Bodies && !Filter) {
      Filter = makePendingFilter(*Actions);
      Actions->addExternalSource(Filter.get());
    }
    const SourceManager &SM = CI.getSourceManager();
    for (Decl *D : Group) {
      if (D->getLocation().isInvalid() ||
          (Guard && Guard->shares(D->getLocation(), SM)) ||
          !D->getLexicalDeclContext()->isFileContext() || isInstantiation(*D))
        continue;
      if (Guard)
        Guard->declared(D->getLocation(), SM);
      if (!SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
        Scope.push_back(D);
    }
    return MultiplexConsumer::HandleTopLevelDecl(Group);
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (Guard) {
      if (CI.getDiagnostics().hasErrorOccurred())
        Guard->doubt("it does not parse with the shared header");
      Guard->finish(Scope);
      if (!Guard->reason().empty())
        return;
    }
    Context.setTraversalScope(Scope);
    MultiplexConsumer::HandleTranslationUnit(Context);
  }

private:
  /// They are reached through their templates.
  static bool isInstantiation(const Decl &D) {
    if (const auto *F = dyn_cast<FunctionDecl>(&D))
      return F->isTemplateInstantiation();
    if (const auto *V = dyn_cast<VarDecl>(&D))
      return isTemplateInstantiation(V->getTemplateSpecializationKind());
    if (const auto *C = dyn_cast<CXXRecordDecl>(&D))
      return isTemplateInstantiation(C->getTemplateSpecializationKind());
    return false;
  }

  CompilerInstance &CI;
  HoistGuard *Guard;
  Sema *Actions = nullptr;
  IntrusiveRefCntPtr<ExternalSemaSource> Filter;
  std::vector<Decl *> Scope;
};

std::string failure(const ErrorKeeper &Errors, const Invocation &I) {
  std::string Text = std::to_string(Errors.count()) +
                     (Errors.count() == 1 ? " error: " : " errors, first: ") +
                     Errors.first();
  // Header errors say nothing to who set the standard; this does.
  StringRef Where = Errors.file();
  if (I.Clang->getLangOpts().CPlusPlus20 &&
      (Where.contains("/ATen/") || Where.contains("/c10/") ||
       Where.contains("/torch/")))
    Text = "LibTorch's own headers do not parse as C++20 or later here "
           "(versions before 2 need C++17): " +
           Text;
  return Text;
}

} // namespace

FileChecks::FileChecks(const Unit &U, const Invocation &I,
                       const tidy::ClangTidyOptions &Options, HoistGuard *Guard,
                       const flow::LinkedFiles *Links)
    : U(U), I(I), Guard(Guard),
      Context(std::make_unique<tidy::DefaultOptionsProvider>(
          tidy::ClangTidyGlobalOptions(), Options)),
      Tidy(Context), TidyEngine(makeEngine(Context, Tidy)) {
  Facts.WantsSummary = !Links;
  checks::FindingSink::install(&Facts);
  flow::LinkedFiles::install(Links);
}

FileChecks::~FileChecks() {
  checks::FindingSink::install(nullptr);
  flow::LinkedFiles::install(nullptr);
}

std::unique_ptr<ASTConsumer> FileChecks::consumer(CompilerInstance &CI) {
  if (Guard)
    CI.getPreprocessor().addPPCallbacks(
        Guard->callbacks(CI.getSourceManager()));
  std::vector<std::unique_ptr<ASTConsumer>> Inner;
  Inner.push_back(
      tidy::ClangTidyASTConsumerFactory(Context).createASTConsumer(CI, U.File));
  return std::make_unique<FileConsumer>(std::move(Inner), CI, Guard);
}

void FileChecks::judgeParsed(CompilerInstance &CI) {
  auto C =
      tidy::ClangTidyASTConsumerFactory(Context).createASTConsumer(CI, U.File);
  C->Initialize(CI.getASTContext());
  C->HandleTranslationUnit(CI.getASTContext());
}

void FileChecks::finish(FileResult &R) {
  const std::vector<tidy::ClangTidyError> Passed = Tidy.take();
  if (Guard && Errors.count())
    Guard->doubt("it does not parse with the shared header");
  if (Errors.count())
    R.Failure = failure(Errors, I);
  if (!R.Failure.empty() || (Guard && !Guard->reason().empty()))
    return;
  R.Findings = matchFindings(Passed, Facts, U.Directory, R.Remarks);
  R.Functions = std::move(Facts.Skipped);
  R.Summary = std::move(Facts.Summary);
  for (SkippedFunction &F : R.Functions)
    F.File = absolutePath(U.Directory, F.File);
}
