//===- Types.h - What LibTorch types mean -----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Classifies C++ types by their canonical declaration, so aliases, macros and
/// inline namespaces make no difference.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_TYPES_H
#define TORCHTIDY_SEMANTICS_TYPES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>
#include <vector>

namespace torchtidy::semantics {

/// Types that change grad mode while an object of them lives.
enum class GuardKind {
  None,
  NoGrad,
  AutoGrad,
  Inference,
  State ///< ThreadLocalStateGuard: whatever mode the state was taken under
};

/// The guard that a fix puts in.
inline constexpr llvm::StringLiteral GuardToInsert = "torch::NoGradGuard";

/// What the library module does to history.
enum class ModuleKind {
  None,         ///< no module
  User,         ///< derived from nn::Module in user code
  Parametric,   ///< library module that owns parameters, or may
  Parameterless ///< activation, pooling, dropout, loss
};

/// Below an include root of LibTorch: in a folder that only LibTorch has.
bool isLibTorchFile(llvm::StringRef Path);

/// Memory of one translation unit's answers.
class Types {
public:
  Types(const clang::ASTContext &Context, std::vector<std::string> GuardTypes);

  bool isTensor(clang::QualType T) const;
  bool isTensor(const clang::CXXRecordDecl *R) const;
  bool isIValue(clang::QualType T) const;
  bool isJitModule(clang::QualType T) const;
  bool isOptimizer(clang::QualType T) const;
  bool isCallableWrapper(clang::QualType T) const; ///< std::function and kin
  /// A callable wrapper that hands its result to a future.
  bool isPackagedTask(clang::QualType T) const;
  /// ThreadLocalState: the grad mode of the place where it was made.
  bool isThreadState(clang::QualType T) const;
  /// c10's pools of threads, by value, pointer or handle.
  bool isThreadPool(clang::QualType T) const;
  /// torch::jit::Method, as `get_method` returns it.
  bool isJitMethod(clang::QualType T) const;

  /// Looks through references, pointers, smart pointers, optional, holders.
  ModuleKind moduleKind(clang::QualType T) const;
  bool isModule(clang::QualType T) const {
    return moduleKind(T) != ModuleKind::None;
  }

  /// A module of the project without parameters: a loss, an activation.
  bool isParameterless(clang::QualType T) const;

  /// A tensor that a library module trains: `linear->weight`.
  bool isParameter(const clang::FieldDecl *F) const;

  /// A guard, a class with a guard member, or a handle to one.
  GuardKind guardKind(clang::QualType T) const;
  /// An object whose only use is to live to the end of its scope: LibTorch's
  /// guards of every kind, the project's own, and handles to them.
  bool isScopeGuard(clang::QualType T) const;
  /// A guard for as long as it lives, not only while a member holds one.
  bool alwaysGuards(const clang::CXXRecordDecl *R, unsigned Depth = 0) const;
  /// A guard by hand: its destructor sets grad mode.
  bool restoresGradMode(const clang::CXXRecordDecl *R) const;

  /// Can an object of this type keep a tensor alive? Containers, tuples,
  /// aggregates and handles of such count; modules and optimizers do not.
  bool carriesTensor(clang::QualType T) const;

  /// What std::get, structured bindings and initialiser lists call the parts of
  /// a pair, tuple or class without bases: its fields; null for each of a
  /// tuple.
  llvm::SmallVector<const clang::FieldDecl *, 4>
  partsOf(clang::QualType T) const;

  /// A container that grows by insertion.
  bool isContainer(clang::QualType T) const;
  /// std::array and C arrays: how many elements; empty for all else.
  std::optional<uint64_t> fixedSize(clang::QualType T) const;
  bool isFixedArray(clang::QualType T) const {
    return fixedSize(T).has_value();
  }
  /// Copies of it name the same object: references, pointers, smart pointers,
  /// module holders, iterators.
  bool isHandle(clang::QualType T) const;

  /// Declared in a system header or below LibTorch's include root, which may be
  /// given by -I: its body is never analysed.
  bool isLibrary(const clang::Decl *D) const;
  bool isLibrary(clang::SourceLocation Loc) const;

  /// The class behind references, pointers and handles.
  const clang::CXXRecordDecl *pointee(clang::QualType T) const;

  /// The outermost named namespace, or empty.
  static llvm::StringRef topNamespace(const clang::Decl *D);

private:
  bool ownsParameters(const clang::CXXRecordDecl *R, unsigned Depth) const;
  GuardKind recordGuard(const clang::CXXRecordDecl *R, unsigned Depth) const;
  bool recordScopeGuard(const clang::CXXRecordDecl *R, unsigned Depth) const;
  bool recordCarries(const clang::CXXRecordDecl *R, unsigned Depth) const;
  bool mayBeDerived(const clang::CXXRecordDecl *R, unsigned Depth) const;
  bool carries(clang::QualType T, unsigned Depth) const;
  ModuleKind recordModule(const clang::CXXRecordDecl *R) const;
  bool derivesFrom(const clang::CXXRecordDecl *R, llvm::StringRef Namespace,
                   llvm::StringRef Name) const;

  const clang::ASTContext &Context;
  const std::vector<std::string> GuardTypes;
  mutable llvm::DenseMap<const clang::CXXRecordDecl *, bool> Carries;
  mutable llvm::DenseMap<const clang::CXXRecordDecl *, GuardKind> Guards;
  mutable llvm::DenseMap<const clang::CXXRecordDecl *, bool> Parameterless;
  mutable llvm::DenseMap<const clang::CXXRecordDecl *, ModuleKind> Modules;
  mutable llvm::DenseMap<clang::FileID, bool> LibraryFiles;
};

/// Does a qualified name match an entry of a user's list: all of it, or its
/// last parts?
bool nameInList(const clang::NamedDecl *D,
                const std::vector<std::string> &List);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_TYPES_H
