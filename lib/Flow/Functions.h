//===- Functions.h - Functions and callables of a file ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the functions of the user's code that have a body, and which callables
/// a variable, parameter or field may hold.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_FUNCTIONS_H
#define TORCHTIDY_FLOW_FUNCTIONS_H

#include "Semantics/Types.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace torchtidy::flow {

class Functions {
public:
  /// Reads Context.getTraversalScope().
  Functions(clang::ASTContext &Context, const semantics::Types &T);

  /// In source order; instantiations instead of templates.
  llvm::ArrayRef<const clang::FunctionDecl *> all() const {
    return List.getArrayRef();
  }

  using Targets = llvm::SmallVector<const clang::FunctionDecl *, 2>;
  /// The functions that a callable expression may run; empty: unknown.
  Targets callables(const clang::Expr *E) const;
  Targets callables(const clang::ValueDecl *D) const {
    return Held.lookup(llvm::cast<clang::ValueDecl>(D->getCanonicalDecl()));
  }

  /// The definition whose body may be analysed, or null. With linked files it
  /// may be a declaration: see addForeign.
  const clang::FunctionDecl *definition(const clang::FunctionDecl *F) const;
  /// The definition, if its body is in this file.
  const clang::FunctionDecl *body(const clang::FunctionDecl *F) const {
    const clang::FunctionDecl *D = definition(F);
    return D && D->hasBody() ? D : nullptr;
  }

  /// Overriders of a virtual function in the user's code.
  Targets overriders(const clang::CXXMethodDecl *M) const;

  /// Another file defines \p F, which has no body here.
  void addForeign(const clang::FunctionDecl *F) {
    Foreign.insert(F->getCanonicalDecl());
  }
  void addOverrider(const clang::FunctionDecl *Base,
                    const clang::FunctionDecl *F);
  /// Declarations of the user's code that are analysed or looked into.
  llvm::ArrayRef<clang::Decl *> scope() const { return Scope; }

private:
  friend class Collector;
  std::vector<clang::Decl *> Scope;
  llvm::DenseSet<const clang::FunctionDecl *> Foreign;
  llvm::SetVector<const clang::FunctionDecl *> List;
  llvm::DenseMap<const clang::ValueDecl *, Targets> Held;
  llvm::DenseMap<const clang::CXXMethodDecl *, Targets> Overriders;
  const semantics::Types &T;
};

/// The lambda behind casts, copies and temporaries, or null.
const clang::LambdaExpr *lambdaOf(const clang::Expr *E);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_FUNCTIONS_H
