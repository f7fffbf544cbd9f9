//===- ClangVersions.h - Where LLVM's versions differ -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a parse is set up, for LLVM 19 to 23.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_CLANGVERSIONS_H
#define TORCHTIDY_DRIVER_CLANGVERSIONS_H

#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <memory>
#if CLANG_VERSION_MAJOR >= 22
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Options/Options.h"
#else
#include "clang/Driver/Options.h"
#include "clang/Frontend/Utils.h"
#endif

namespace torchtidy::driver {

#if CLANG_VERSION_MAJOR >= 22
namespace options = clang::options;
inline const llvm::opt::OptTable &optionTable() {
  return clang::getDriverOptTable();
}
#else
namespace options = clang::driver::options;
inline const llvm::opt::OptTable &optionTable() {
  return clang::driver::getDriverOptTable();
}
#endif

inline std::string &stackUsageFile(clang::CodeGenOptions &Options) {
#if CLANG_VERSION_MAJOR >= 23
  return Options.StackUsageFile;
#else
  return Options.StackUsageOutput;
#endif
}

using FileSystemPtr = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// An instance that parses what \p Clang says and reads through \p Files.
inline std::unique_ptr<clang::CompilerInstance>
makeInstance(std::shared_ptr<clang::CompilerInvocation> Clang,
             clang::DiagnosticConsumer &Errors, FileSystemPtr Files) {
#if CLANG_VERSION_MAJOR >= 21
  auto CI = std::make_unique<clang::CompilerInstance>(std::move(Clang));
#else
  auto CI = std::make_unique<clang::CompilerInstance>();
  CI->setInvocation(std::move(Clang));
#endif
#if CLANG_VERSION_MAJOR >= 22
  CI->setVirtualFileSystem(std::move(Files));
  CI->createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  CI->createFileManager();
#else
#if CLANG_VERSION_MAJOR >= 20
  CI->createDiagnostics(*Files, &Errors, /*ShouldOwnClient=*/false);
#else
  CI->createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
#endif
  CI->createFileManager(std::move(Files));
#endif
  return CI;
}

/// Diagnostics outside of an instance.
class Diagnostics {
#if CLANG_VERSION_MAJOR >= 21
  clang::DiagnosticOptions Options;
#endif

public:
  Diagnostics([[maybe_unused]] llvm::vfs::FileSystem &Files,
              clang::DiagnosticConsumer &Errors) {
#if CLANG_VERSION_MAJOR >= 21
    Engine = clang::CompilerInstance::createDiagnostics(Files, Options, &Errors,
                                                        false);
#elif CLANG_VERSION_MAJOR == 20
    Engine = clang::CompilerInstance::createDiagnostics(
        Files, new clang::DiagnosticOptions, &Errors, false);
#else
    Engine = clang::CompilerInstance::createDiagnostics(
        new clang::DiagnosticOptions, &Errors, false);
#endif
  }

  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> Engine;
};

/// Reports what is wrong with a target.
inline void tryTarget(const clang::TargetOptions &Options,
                      clang::DiagnosticsEngine &Errors) {
  auto Copy = std::make_shared<clang::TargetOptions>(Options);
#if CLANG_VERSION_MAJOR >= 21
  (void)clang::TargetInfo::CreateTargetInfo(Errors, *Copy);
#else
  (void)clang::TargetInfo::CreateTargetInfo(Errors, Copy);
#endif
}

/// The engine through which the checks of \p Context report to \p Reports.
inline std::unique_ptr<clang::DiagnosticsEngine>
makeEngine(clang::tidy::ClangTidyContext &Context,
           clang::DiagnosticConsumer &Reports) {
  auto IDs = llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>();
#if CLANG_VERSION_MAJOR >= 21
  auto Options = std::make_unique<clang::DiagnosticOptions>();
  auto Engine = std::make_unique<clang::DiagnosticsEngine>(
      IDs, *Options, &Reports, /*ShouldOwnClient=*/false);
  Context.setDiagnosticsEngine(std::move(Options), Engine.get());
#else
  auto Engine = std::make_unique<clang::DiagnosticsEngine>(
      IDs, new clang::DiagnosticOptions, &Reports, /*ShouldOwnClient=*/false);
  Context.setDiagnosticsEngine(Engine.get());
#endif
  return Engine;
}

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_CLANGVERSIONS_H
