//===- ImportBody.h - Bodies of other files ---------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_IMPORTBODY_H
#define TORCHTIDY_FLOW_IMPORTBODY_H

#include "Flow/ImportNames.h"

namespace torchtidy::flow {

/// Placeholders for the statements of one other file.
class ImportBody {
public:
  ImportBody(Analysis &A, const portable::Module &M, ImportNames &Names)
      : A(A), M(M), Names(Names), Made(M.Nodes.size()), Owner(M.Nodes.size()) {}

  /// The statements below a function's root, which are \p F's from now on.
  const clang::Stmt *body(portable::NodeRef Root, const clang::FunctionDecl *F);

  /// An expression that facts name; made on its own if it is in no body.
  const clang::Expr *expr(portable::NodeRef N);
  /// Only if it is in a body that was made.
  const clang::Expr *known(portable::NodeRef N) const;
  const clang::FunctionDecl *owner(portable::NodeRef N) const {
    return N && N <= Owner.size() ? Owner[N - 1] : nullptr;
  }

private:
  clang::Stmt *make(portable::NodeRef N);
  clang::Stmt *makeStatement(const portable::Node &X);
  clang::Expr *makeExpr(const portable::Node &X);
  clang::Expr *opaque(clang::SourceLocation L, clang::QualType T) const;
  clang::Expr *condition(portable::NodeRef N);
  clang::CompoundStmt *block(portable::NodeRef N);
  clang::Stmt *part(const portable::Node &X, size_t I);

  Analysis &A;
  const portable::Module &M;
  ImportNames &Names;
  std::vector<clang::Stmt *> Made;
  std::vector<const clang::FunctionDecl *> Owner;
  const clang::FunctionDecl *Current = nullptr;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_IMPORTBODY_H
