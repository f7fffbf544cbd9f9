//===- Analyse.cpp - Runs the checks on one file --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ClangVersions.h"
#include "Driver/FileChecks.h"
#include "Driver/Specializations.h"
#include "checks/FindingSink.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

class FileAction : public ASTFrontendAction {
public:
  explicit FileAction(FileChecks &Checks) : Checks(Checks) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    return Checks.consumer(CI);
  }

private:
  FileChecks &Checks;
};

void parse(const Unit &U, const Invocation &I,
           const tidy::ClangTidyOptions &Options, const SharedHeader *Header,
           HoistGuard *Guard, const flow::LinkedFiles *Links,
           InputRecorder &Recorder, FileResult &R) {
  auto Clang = std::make_shared<CompilerInvocation>(*I.Clang);
  if (Header) {
    PreprocessorOptions &PP = Clang->getPreprocessorOpts();
    PP.ImplicitPCHInclude = Header->File;
    // SharedHeaders has compared every input.
    PP.DisablePCHOrModuleValidation = DisableValidationForModuleKind::PCH;
    useSpecializationTable(Clang->getFrontendOpts());
  }
  FileChecks Checks(U, I, Options, Guard, Links);
  {
    auto CI = makeInstance(std::move(Clang), Checks.errors(), &Recorder);
    FileAction Action(Checks);
    if (!CI->ExecuteAction(Action) && !CI->getDiagnostics().hasErrorOccurred())
      R.Failure = "it could not be read";
  }
  Checks.finish(R);
}

/// One way to parse the file. \p R is only complete if the guard is content.
FileResult attempt(const Unit &U, const Invocation &I,
                   const tidy::ClangTidyOptions &Options,
                   const SharedHeader *Header, HoistGuard *Guard,
                   const flow::LinkedFiles *Links, InputRecorder &Recorder) {
  FileResult R;
  CrashRecoveryContext Recovery;
  if (!Recovery.RunSafely(
          [&] { parse(U, I, Options, Header, Guard, Links, Recorder, R); })) {
    checks::FindingSink::install(nullptr);
    flow::LinkedFiles::install(nullptr);
    R = FileResult();
    R.Crashed = true;
    R.Failure = "the analysis crashed on it; please report this";
  }
  return R;
}

} // namespace

FileResult torchtidy::driver::analyse(const Unit &U, const Invocation &I,
                                      const tidy::ClangTidyOptions &Options,
                                      const HeaderSource &Source, bool Last,
                                      const flow::LinkedFiles *Links) {
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
    R = attempt(U, Mine, Options, Header.get(), &Guard, Links, *Recorder);
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
    R = attempt(U, Mine, Options, nullptr, nullptr, Links, *Recorder);
  R.Why = Why;
  R.Used = Recorder->inputs();
  R.Headers = std::move(Headers);
  return R;
}
