//===- ImportNames.h - Declarations of other files --------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_IMPORTNAMES_H
#define TORCHTIDY_FLOW_IMPORTNAMES_H

#include "Flow/Import.h"
#include "llvm/ADT/StringMap.h"

namespace torchtidy::flow {

/// What the declarations of other files are in this one: the same, if this file
/// declares it, else a placeholder.
class ImportNames {
public:
  ImportNames(Analysis &A, const LinkedFiles &Files);

  /// For functions the definition here, if there is one. Never null for a
  /// declaration that \p M has.
  const clang::ValueDecl *decl(const portable::Module &M, portable::DeclRef D);
  const clang::FunctionDecl *function(const portable::Module &M,
                                      portable::DeclRef D) {
    if (!D || D > M.Decls.size() ||
        M.Decls[D - 1].K != portable::Declaration::Function)
      return nullptr;
    return llvm::dyn_cast_or_null<clang::FunctionDecl>(decl(M, D));
  }
  /// A declared function with this USR, or null.
  const clang::FunctionDecl *functionById(llvm::StringRef Id) const;

  clang::QualType type(portable::TypeClass T) const;
  clang::SourceLocation location(const portable::Module &M,
                                 const portable::Location &L);

private:
  void findDeclared(const LinkedFiles &Files);
  const clang::ValueDecl *make(const portable::Module &M, portable::DeclRef D);
  clang::FunctionDecl *makeFunction(const portable::Declaration &X,
                                    const std::vector<bool> &Writable,
                                    clang::SourceLocation Loc);

  Analysis &A;
  llvm::StringMap<const clang::ValueDecl *> Declared; ///< by USR
  llvm::StringMap<const clang::ValueDecl *> MadeById; ///< placeholders
  std::map<std::pair<const portable::Module *, portable::DeclRef>,
           const clang::ValueDecl *>
      Made;
  /// Per function, whether each parameter can be written through.
  std::map<std::pair<const portable::Module *, portable::DeclRef>,
           std::vector<bool>>
      Parameters;
  llvm::StringMap<std::vector<bool>> ParametersById;
  std::map<std::string, clang::FileID> Files;
  clang::CXXRecordDecl *Fields = nullptr; ///< holds placeholders of fields
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_IMPORTNAMES_H
