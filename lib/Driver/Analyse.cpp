//===- Analyse.cpp - Runs the checks on one file --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Analyse.h"
#include "Driver/ErrorKeeper.h"
#include "Driver/HoistGuard.h"
#include "Driver/Matching.h"
#include "Driver/PendingFilter.h"
#include "checks/FindingSink.h"
#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/CrashRecoveryContext.h"

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

class FileAction : public ASTFrontendAction {
public:
  FileAction(tidy::ClangTidyContext &Context, const Unit &U, HoistGuard *Guard)
      : Factory(Context), U(U), Guard(Guard) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    if (Guard)
      CI.getPreprocessor().addPPCallbacks(
          Guard->callbacks(CI.getSourceManager()));
    std::vector<std::unique_ptr<ASTConsumer>> Inner;
    Inner.push_back(Factory.createASTConsumer(CI, U.File));
    return std::make_unique<FileConsumer>(std::move(Inner), CI, Guard);
  }

private:
  tidy::ClangTidyASTConsumerFactory Factory;
  const Unit &U;
  HoistGuard *Guard;
};

/// For the duration of one parse.
class InstalledSink {
public:
  explicit InstalledSink(checks::FindingSink &S) {
    checks::FindingSink::install(&S);
  }
  ~InstalledSink() { checks::FindingSink::install(nullptr); }
  InstalledSink(const InstalledSink &) = delete;
  InstalledSink &operator=(const InstalledSink &) = delete;
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

void parse(const Unit &U, const Invocation &I,
           const tidy::ClangTidyOptions &Options, const SharedHeader *Header,
           HoistGuard *Guard, InputRecorder &Recorder, FileResult &R) {
  tidy::ClangTidyContext Context(std::make_unique<tidy::DefaultOptionsProvider>(
      tidy::ClangTidyGlobalOptions(), Options));
  tidy::ClangTidyDiagnosticConsumer Tidy(Context);
  DiagnosticsEngine TidyEngine(new DiagnosticIDs, new DiagnosticOptions, &Tidy,
                               /*ShouldOwnClient=*/false);
  Context.setDiagnosticsEngine(&TidyEngine);

  auto Clang = std::make_shared<CompilerInvocation>(*I.Clang);
  if (Header) {
    PreprocessorOptions &PP = Clang->getPreprocessorOpts();
    PP.ImplicitPCHInclude = Header->File;
    // SharedHeaders has compared every input.
    PP.DisablePCHOrModuleValidation = DisableValidationForModuleKind::PCH;
  }
  FactCollector Facts;
  ErrorKeeper Errors;
  {
    InstalledSink Installed(Facts);
    CompilerInstance CI;
    CI.setInvocation(std::move(Clang));
    CI.createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
    CI.createFileManager(&Recorder);
    FileAction Action(Context, U, Guard);
    if (!CI.ExecuteAction(Action) && Errors.count() == 0)
      R.Failure = "it could not be read";
  }
  const std::vector<tidy::ClangTidyError> Passed = Tidy.take();
  if (Guard && Errors.count())
    Guard->doubt("it does not parse with the shared header");
  if (Errors.count())
    R.Failure = failure(Errors, I);
  if (!R.Failure.empty() || (Guard && !Guard->reason().empty()))
    return;
  R.Findings = matchFindings(Passed, Facts, U.Directory, R.Remarks);
  R.Functions = std::move(Facts.Skipped);
  for (SkippedFunction &F : R.Functions)
    F.File = absolutePath(U.Directory, F.File);
}

/// One way to parse the file. \p R is only complete if the guard is content.
FileResult attempt(const Unit &U, const Invocation &I,
                   const tidy::ClangTidyOptions &Options,
                   const SharedHeader *Header, HoistGuard *Guard,
                   InputRecorder &Recorder) {
  FileResult R;
  CrashRecoveryContext Recovery;
  if (!Recovery.RunSafely(
          [&] { parse(U, I, Options, Header, Guard, Recorder, R); })) {
    checks::FindingSink::install(nullptr);
    R = FileResult();
    R.Crashed = true;
    R.Failure = "the analysis crashed on it; please report this";
  }
  return R;
}

} // namespace

FileResult torchtidy::driver::analyse(const Unit &U, const Invocation &I,
                                      const tidy::ClangTidyOptions &Options,
                                      const HeaderSource &Source, bool Last) {
  Invocation Mine = I;
  Mine.Clang = std::make_shared<CompilerInvocation>(*I.Clang);
  Mine.Clang->getFrontendOpts().DisableFree = Last;
  auto Recorder = makeIntrusiveRefCnt<InputRecorder>(I.FS);
  FileResult R;
  std::vector<std::shared_ptr<const SharedHeader>> Headers;
  std::string Why;
  bool Done = false;
  for (HeaderLevel Level : {HeaderLevel::Declarations, HeaderLevel::Bodies}) {
    std::string NoHeader;
    auto Header = Source(Level, NoHeader);
    if (!Header) {
      if (Why.empty())
        Why = NoHeader;
      break;
    }
    Headers.push_back(Header);
    Recorder->ignore(Header->File);
    HoistGuard Guard(*Header);
    R = attempt(U, Mine, Options, Header.get(), &Guard, *Recorder);
    if (Guard.reason().empty() && R.Failure.empty()) {
      R.Parsed = Level == HeaderLevel::Bodies ? ParseLevel::Instantiating
                                              : ParseLevel::Shared;
      Done = true;
      break;
    }
    Why = Guard.reason().empty() ? R.Failure : Guard.reason();
    if (!Guard.wantsBodies())
      break;
  }
  if (!Done)
    R = attempt(U, Mine, Options, nullptr, nullptr, *Recorder);
  R.Why = Why;
  R.Used = Recorder->inputs();
  R.Headers = std::move(Headers);
  return R;
}
