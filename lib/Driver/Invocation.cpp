//===- Invocation.cpp - How clang parses one file -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Invocation.h"
#include "Driver/ClangVersions.h"
#include "clang/Basic/DiagnosticDriver.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy;

std::string torchtidy::driver::resourceDirectory(std::string &Error) {
  if (sys::fs::exists(TORCHTIDY_RESOURCE_DIR "/include/stddef.h"))
    return TORCHTIDY_RESOURCE_DIR;
  Error =
      "clang's own headers are not in " TORCHTIDY_RESOURCE_DIR
      "/include; install libclang-common-" CLANG_VERSION_MAJOR_STRING "-dev";
  return {};
}

namespace {

/// Keeps the first error, and the flags that the driver refused.
class DriverErrors : public DiagnosticConsumer {
public:
  std::string First;
  std::set<std::string> Refused;

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &D) override {
    if (Level < DiagnosticsEngine::Error)
      return;
    SmallString<128> Text;
    D.FormatDiagnostic(Text);
    if (First.empty())
      First = std::string(Text);
    // Whatever the error is, its first argument is the flag or its value.
    switch (D.getID()) {
    case diag::err_drv_unknown_argument:
    case diag::err_drv_unknown_argument_with_suggestion:
    case diag::err_drv_unsupported_opt:
    case diag::err_drv_unsupported_opt_with_suggestion:
    case diag::err_drv_unsupported_opt_for_target:
    case diag::err_drv_unsupported_option_argument:
    case diag::err_drv_invalid_value:
    case diag::err_drv_invalid_arch_name:
    case diag::err_drv_clang_unsupported:
    case diag::err_drv_argument_not_allowed_with:
    case diag::err_target_unknown_cpu:
      if (D.getNumArgs() > 0)
        Refused.insert(argument(D, 0));
      break;
    default:
      break;
    }
  }

private:
  static std::string argument(const clang::Diagnostic &D, unsigned I) {
    if (D.getArgKind(I) == DiagnosticsEngine::ak_std_string)
      return D.getArgStdStr(I);
    if (D.getArgKind(I) == DiagnosticsEngine::ak_c_string)
      return D.getArgCStr(I);
    return {};
  }
};

/// `-march=x` is refused as `x`, `-mfoo` as itself.
bool names(StringRef Argument, StringRef Refused) {
  if (Refused.empty() || !Argument.starts_with("-"))
    return false;
  return Argument == Refused || Argument.split('=').second == Refused ||
         (Refused.ends_with("=") && Argument.starts_with(Refused));
}

bool dropRefused(torchtidy::driver::Unit &U,
                 const std::set<std::string> &Refused) {
  const size_t Before = U.Arguments.size();
  erase_if(U.Arguments, [&](const std::string &A) {
    if (&A == &U.Arguments.front() ||
        none_of(Refused, [&](const std::string &R) { return names(A, R); }))
      return false;
    U.Dropped.push_back(A);
    return true;
  });
  return U.Arguments.size() != Before;
}

std::unique_ptr<CompilerInvocation>
tryInvocation(const torchtidy::driver::Unit &U, StringRef Resources,
              IntrusiveRefCntPtr<vfs::FileSystem> FS, DriverErrors &Errors) {
  // The driver finds its headers beside "itself"; the compiler that the
  // database names may be another one.
  std::vector<const char *> Words{TORCHTIDY_CLANG_DIR "/clang++",
                                  "-resource-dir", Resources.data()};
  for (size_t I = 1; I < U.Arguments.size(); ++I)
    Words.push_back(U.Arguments[I].c_str());
  const torchtidy::driver::Diagnostics Diags(*FS, Errors);
  CreateInvocationOptions O;
  O.Diags = Diags.Engine;
  O.VFS = std::move(FS);
  auto Result = createInvocation(Words, O);
  // An unknown -march only shows here.
  if (Result && Errors.First.empty())
    torchtidy::driver::tryTarget(Result->getTargetOpts(), *O.Diags);
  return Result;
}

} // namespace

std::optional<torchtidy::driver::Invocation>
torchtidy::driver::makeInvocation(Unit &U, std::string &Error) {
  const std::string Resources = resourceDirectory(Error);
  if (Resources.empty())
    return std::nullopt;
  Invocation I;
  I.FS = vfs::createPhysicalFileSystem();
  if (std::error_code EC = I.FS->setCurrentWorkingDirectory(U.Directory)) {
    Error = "its build folder '" + U.Directory + "': " + EC.message();
    return std::nullopt;
  }
  std::string First;
  for (unsigned Try = 0; Try < 8; ++Try) {
    DriverErrors Errors;
    auto Result = tryInvocation(U, Resources, I.FS, Errors);
    First = Errors.First;
    if (Result && First.empty()) {
      I.Clang = std::move(Result);
      break;
    }
    if (!dropRefused(U, Errors.Refused))
      break;
  }
  if (!I.Clang) {
    Error = "its compile command: " +
            (First.empty() ? std::string("compiles nothing") : First);
    return std::nullopt;
  }
  I.Clang->getFileSystemOpts().WorkingDir = U.Directory;
  // Files of one process follow each other.
  I.Clang->getFrontendOpts().DisableFree = false;
  // Only errors matter, whatever -Werror says.
  I.Clang->getDiagnosticOpts().Warnings = {"no-everything"};
  I.Clang->getDiagnosticOpts().ShowCarets = false;
  // As clang-tidy does: code may ask for __clang_analyzer__.
  I.Clang->getPreprocessorOpts().SetUpStaticAnalyzer = true;
  return I;
}

std::string torchtidy::driver::Invocation::flagsKey() const {
  CompilerInvocation Copy(*Clang);
  Copy.getFrontendOpts().Inputs.clear();
  Copy.getFrontendOpts().OutputFile.clear();
  auto &CodeGen = Copy.getCodeGenOpts();
  CodeGen.MainFileName.clear();
  CodeGen.DebugCompilationDir.clear();
  CodeGen.CoverageCompilationDir.clear();
  CodeGen.CoverageNotesFile.clear();
  CodeGen.CoverageDataFile.clear();
  CodeGen.DwarfDebugFlags.clear();
  CodeGen.RecordCommandLine.clear();
  stackUsageFile(CodeGen).clear();
  CodeGen.SplitDwarfFile.clear();
  CodeGen.SplitDwarfOutput.clear();
  Copy.getFrontendOpts().TimeTracePath.clear();
  // Most relative names were made absolute; then the folder decides nothing.
  const HeaderSearchOptions &Search = Copy.getHeaderSearchOpts();
  if ((Search.Sysroot.empty() || sys::path::is_absolute(Search.Sysroot)) &&
      all_of(Search.UserEntries, [](const HeaderSearchOptions::Entry &E) {
        return sys::path::is_absolute(E.Path);
      }))
    Copy.getFileSystemOpts().WorkingDir.clear();
  std::string Key;
  for (const std::string &A : Copy.getCC1CommandLine())
    (Key += A) += '\n';
  return Key;
}

torchtidy::driver::IncludePaths::IncludePaths(const Invocation &I) : FS(I.FS) {
  const HeaderSearchOptions &O = I.Clang->getHeaderSearchOpts();
  std::vector<Folder> After, Internal, System;
  for (const HeaderSearchOptions::Entry &E : O.UserEntries) {
    switch (E.Group) {
    case frontend::Quoted:
      Quoted.push_back({E.Path, false});
      break;
    case frontend::Angled:
      Angled.push_back({E.Path, false});
      break;
    case frontend::After:
      After.push_back({E.Path, true});
      break;
    case frontend::System:
      System.push_back({E.Path, true});
      break;
    default:
      Internal.push_back({E.Path, true});
      break;
    }
  }
  for (auto *L : {&System, &Internal, &After})
    Angled.insert(Angled.end(), L->begin(), L->end());
}

torchtidy::driver::IncludePaths::Found
torchtidy::driver::IncludePaths::resolve(StringRef Name, bool IsAngled,
                                         StringRef Includer) const {
  auto In = [&](StringRef Folder, bool System) -> Found {
    SmallString<256> P(Folder);
    sys::path::append(P, Name);
    if (!FS->exists(P))
      return {};
    (void)FS->makeAbsolute(P);
    return {std::string(P), System};
  };
  if (sys::path::is_absolute(Name))
    return In("", false);
  if (!IsAngled) {
    if (Found F = In(sys::path::parent_path(Includer), false); !F.Path.empty())
      return F;
    for (const Folder &Q : Quoted)
      if (Found F = In(Q.Path, Q.System); !F.Path.empty())
        return F;
  }
  // A folder that is both -I and system counts as system.
  for (const Folder &A : Angled)
    if (Found F = In(A.Path, A.System); !F.Path.empty()) {
      for (const Folder &B : Angled)
        if (B.System && B.Path == A.Path)
          F.System = true;
      return F;
    }
  return {};
}
