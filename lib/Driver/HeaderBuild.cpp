//===- HeaderBuild.cpp - Builds one precompiled header --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/HeaderBuild.h"
#include "Driver/ClangVersions.h"
#include "Driver/ErrorKeeper.h"
#include "Driver/Specializations.h"
#include "Report/AtomicFile.h"
#include "Semantics/Types.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cctype>

using namespace clang;
using namespace llvm;
using namespace torchtidy;

bool torchtidy::driver::removeOthers(const std::string &Folder,
                                     const std::string &Key) {
  bool Unfinished = false;
  std::error_code EC;
  for (sys::fs::directory_iterator It(Folder, EC), End; !EC && It != End;
       It.increment(EC)) {
    StringRef Name = sys::path::filename(It->path());
    if (Name.starts_with(Key + "-") &&
        (Name.ends_with(".pch") || Name.ends_with(".tmp"))) {
      Unfinished |= Name.ends_with(".tmp");
      sys::fs::remove(It->path());
    }
  }
  return Unfinished;
}

namespace {

/// Which of the prefix's includes were really entered, and whether they brought
/// files that belong to the analysis.
class EntryRecorder : public PPCallbacks {
public:
  EntryRecorder(const SourceManager &SM, torchtidy::driver::HeaderFacts &Facts,
                std::string &Foreign)
      : SM(SM), Facts(Facts), Foreign(Foreign) {}

  void FileChanged(SourceLocation Loc, FileChangeReason Reason,
                   SrcMgr::CharacteristicKind Kind, FileID) override {
    if (Reason != EnterFile)
      return;
    const FileID Entered = SM.getFileID(Loc);
    const auto File = SM.getFileEntryRefForID(Entered);
    if (File && Entered != SM.getMainFileID() && Kind == SrcMgr::C_User &&
        !semantics::isLibTorchFile(File->getName()))
      Foreign = File->getName().str();
    const SourceLocation From = SM.getIncludeLoc(Entered);
    if (From.isInvalid() || !SM.isWrittenInMainFile(From))
      return;
    if (File)
      Facts.Essential.push_back(File->getName().str());
  }

private:
  const SourceManager &SM;
  torchtidy::driver::HeaderFacts &Facts;
  std::string &Foreign;
};

} // namespace

bool torchtidy::driver::HeaderAction::BeginSourceFileAction(
    CompilerInstance &CI) {
  CI.getPreprocessor().addPPCallbacks(
      std::make_unique<EntryRecorder>(CI.getSourceManager(), Facts, Foreign));
  return GeneratePCHAction::BeginSourceFileAction(CI);
}

void torchtidy::driver::HeaderAction::EndSourceFileAction() {
  Facts.Words = words(getCompilerInstance().getPreprocessor());
  GeneratePCHAction::EndSourceFileAction();
}

std::vector<std::string>
torchtidy::driver::HeaderAction::words(const Preprocessor &PP) {
  std::vector<std::string> Words;
  // The table also holds texts that no source can spell in one word.
  for (const auto &Entry : PP.getIdentifierTable())
    if (!Entry.getKey().empty() && Entry.getKey().find_if([](unsigned char C) {
          return isspace(C);
        }) == StringRef::npos)
      Words.push_back(Entry.getKey().str());
  llvm::sort(Words);
  return Words;
}

std::string
torchtidy::driver::headerText(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &N : Names)
    Text += "#include <" + N + ">\n";
  return Text;
}

std::shared_ptr<CompilerInvocation>
torchtidy::driver::headerInvocation(const Invocation &I, HeaderLevel Level,
                                    const std::string &Prefix,
                                    const std::string &Output) {
  auto Clang = std::make_shared<CompilerInvocation>(*I.Clang);
  FrontendOptions &FO = Clang->getFrontendOpts();
  FO.Inputs = {FrontendInputFile(Prefix, InputKind(Language::CXX).getHeader())};
  FO.OutputFile = Output;
  FO.ProgramAction = frontend::GeneratePCH;
  FO.SkipFunctionBodies = Level == HeaderLevel::Declarations;
  useSpecializationTable(FO);
  // Forced includes come after the shared header when it is used; HoistGuard
  // judges whether that matters.
  Clang->getPreprocessorOpts().Includes.clear();
  Clang->getPreprocessorOpts().MacroIncludes.clear();
  return Clang;
}

std::string
torchtidy::driver::buildHeader(const std::vector<std::string> &Names,
                               const Invocation &I, HeaderLevel Level,
                               const std::string &Prefix,
                               const std::string &Output, HeaderFacts &Facts) {
  if (std::string Error =
          report::writeFileAtomically(Prefix, headerText(Names));
      !Error.empty())
    return Error;

  ErrorKeeper Errors;
  auto Recorder = makeIntrusiveRefCnt<InputRecorder>(I.FS);
  Recorder->ignore(Prefix);
  std::string Foreign;
  bool Ok = false;
  CrashRecoveryContext Recovery;
  const bool Survived = Recovery.RunSafely([&] {
    auto CI = makeInstance(headerInvocation(I, Level, Prefix, Output), Errors,
                           Recorder);
    HeaderAction Action(Facts);
    Ok = CI->ExecuteAction(Action);
    Foreign = Action.Foreign;
  });
  if (!Survived)
    return "the parser crashed on LibTorch's headers";
  if (!Ok || Errors.count())
    return "LibTorch's headers: " +
           (Errors.count() ? Errors.first() : std::string("not parsed"));
  if (!Foreign.empty())
    return "LibTorch's headers include '" + Foreign +
           "', which is of the project";
  Facts.Used = Recorder->inputs();
  return Facts.Used.Doubt;
}
