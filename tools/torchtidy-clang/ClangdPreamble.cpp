//===- ClangdPreamble.cpp - Bodies in the project's headers ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// clangd parses what a file includes once and leaves the bodies of functions
/// out. A guard, a detach or a clear in a header of the project would then be
/// unseen, and the editor would report what `torchtidy check` does not. So
/// these bodies are parsed where LibTorch is in use; those of libraries stay
/// out, and files without LibTorch are clangd's alone.
///
//===----------------------------------------------------------------------===//

#include "Semantics/Types.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/PrecompiledPreamble.h"
#include "clang/Lex/PPCallbacks.h"

using namespace clang;

namespace {

/// clangd's callbacks with one answer changed.
class KeepsProjectBodies : public PreambleCallbacks {
public:
  explicit KeepsProjectBodies(PreambleCallbacks &Clangd) : Clangd(Clangd) {}

  void BeforeExecute(CompilerInstance &CI) override {
    Clangd.BeforeExecute(CI);
  }
  void AfterExecute(CompilerInstance &CI) override { Clangd.AfterExecute(CI); }
  void AfterPCHEmitted(ASTWriter &Writer) override {
    Clangd.AfterPCHEmitted(Writer);
  }
  void HandleTopLevelDecl(DeclGroupRef DG) override {
    Clangd.HandleTopLevelDecl(DG);
  }
  std::unique_ptr<PPCallbacks> createPPCallbacks() override {
    return Clangd.createPPCallbacks();
  }
  CommentHandler *getCommentHandler() override {
    return Clangd.getCommentHandler();
  }

  bool shouldSkipFunctionBody(Decl *D) override {
    return Clangd.shouldSkipFunctionBody(D) && !isProjectCode(*D);
  }

private:
  bool isProjectCode(const Decl &D) {
    ASTContext &Context = D.getASTContext();
    if (!LibTorch)
      LibTorch = !Context.getTranslationUnitDecl()
                      ->lookup(&Context.Idents.get("c10"))
                      .empty();
    if (!LibTorch)
      return false;
    if (!Types)
      Types.emplace(Context, std::vector<std::string>());
    return !Types->isLibrary(&D);
  }

  PreambleCallbacks &Clangd;
  bool LibTorch = false; ///< its headers have begun
  std::optional<torchtidy::semantics::Types> Types;
};

} // namespace

#define TORCHTIDY_SYMBOL                                                       \
  "_ZN5clang19PrecompiledPreamble5BuildERKNS_18CompilerInvocationEPKN4llvm12"  \
  "MemoryBufferENS_14PreambleBoundsERNS_17DiagnosticsEngineENS4_"              \
  "18IntrusiveRefCntPtrINS4_3vfs10FileSystemEEESt10shared_ptrINS_"             \
  "22PCHContainerOperationsEEbNS4_9StringRefERNS_17PreambleCallbacksE"
#define TORCHTIDY_BUILD(Name, Prefix)                                          \
  llvm::ErrorOr<PrecompiledPreamble> Name(                                     \
      const CompilerInvocation &Invocation, const llvm::MemoryBuffer *Main,    \
      PreambleBounds Bounds, DiagnosticsEngine &Diagnostics,                   \
      IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS,                           \
      std::shared_ptr<PCHContainerOperations> Containers, bool InMemory,       \
      StringRef StoragePath,                                                   \
      PreambleCallbacks &Callbacks) asm(Prefix TORCHTIDY_SYMBOL);
TORCHTIDY_BUILD(realBuild, "__real_")
TORCHTIDY_BUILD(wrappedBuild, "__wrap_")

llvm::ErrorOr<PrecompiledPreamble>
wrappedBuild(const CompilerInvocation &Invocation,
             const llvm::MemoryBuffer *Main, PreambleBounds Bounds,
             DiagnosticsEngine &Diagnostics,
             IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS,
             std::shared_ptr<PCHContainerOperations> Containers, bool InMemory,
             StringRef StoragePath, PreambleCallbacks &Callbacks) {
  KeepsProjectBodies Ours(Callbacks);
  return realBuild(Invocation, Main, Bounds, Diagnostics, std::move(VFS),
                   std::move(Containers), InMemory, StoragePath, Ours);
}
