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
/// out, and files without LibTorch are clangd's alone. What clang says about
/// these bodies is dropped: clangd would not have seen them.
///
//===----------------------------------------------------------------------===//

#include "Semantics/Types.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/PrecompiledPreamble.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

/// clangd's callbacks with one answer changed.
class KeepsProjectBodies : public PreambleCallbacks {
public:
  explicit KeepsProjectBodies(PreambleCallbacks &Clangd) : Clangd(Clangd) {}

  void BeforeExecute(CompilerInstance &CI) override {
    Compiler = &CI;
    Clangd.BeforeExecute(CI);
  }
  void AfterExecute(CompilerInstance &CI) override {
    Compiler = nullptr;
    Clangd.AfterExecute(CI);
  }
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
    if (!Clangd.shouldSkipFunctionBody(D))
      return false;
    if (!isProjectCode(*D))
      return true;
    if (const FunctionDecl *F = D->getAsFunction())
      Kept.insert(F->getCanonicalDecl());
    return false;
  }

  /// Is one of our bodies being parsed or instantiated?
  bool inBody() const {
    if (!Compiler || !Compiler->hasSema())
      return false;
    const FunctionDecl *F = Compiler->getSema().getCurFunctionDecl();
    if (F && F->getTemplateInstantiationPattern())
      F = F->getTemplateInstantiationPattern();
    return F && Kept.contains(F->getCanonicalDecl());
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
  CompilerInstance *Compiler = nullptr;
  llvm::DenseSet<const FunctionDecl *> Kept;
  bool LibTorch = false; ///< its headers have begun
  std::optional<torchtidy::semantics::Types> Types;
};

/// Passes on what does not concern our bodies.
class OutsideOfBodies : public DiagnosticConsumer {
public:
  OutsideOfBodies(DiagnosticsEngine &Engine, KeepsProjectBodies &Bodies)
      : Engine(Engine), Bodies(Bodies), Owned(Engine.takeClient()),
        Clangd(*Engine.getClient()) {
    Engine.setClient(this, /*ShouldOwnClient=*/false);
  }
  ~OutsideOfBodies() override {
    const bool Owns = Owned != nullptr;
    Owned.release();
    Engine.setClient(&Clangd, Owns);
  }

  void BeginSourceFile(const LangOptions &Lang,
                       const Preprocessor *PP) override {
    Clangd.BeginSourceFile(Lang, PP);
  }
  void EndSourceFile() override { Clangd.EndSourceFile(); }
  void finish() override { Clangd.finish(); }
  void clear() override { Clangd.clear(); }
  /// Nor do they count towards the limit of errors.
  bool IncludeInDiagnosticCounts() const override {
    return !Bodies.inBody() && Clangd.IncludeInDiagnosticCounts();
  }
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    if (!Bodies.inBody())
      Clangd.HandleDiagnostic(Level, Info);
  }

private:
  DiagnosticsEngine &Engine;
  KeepsProjectBodies &Bodies;
  std::unique_ptr<DiagnosticConsumer> Owned;
  DiagnosticConsumer &Clangd;
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
  OutsideOfBodies Heard(Diagnostics, Ours);
  // What our bodies instantiate is made here, not with each edit.
  CompilerInvocation Changed(Invocation);
  Changed.getLangOpts().PCHInstantiateTemplates = true;
  return realBuild(Changed, Main, Bounds, Diagnostics, std::move(VFS),
                   std::move(Containers), InMemory, StoragePath, Ours);
}
