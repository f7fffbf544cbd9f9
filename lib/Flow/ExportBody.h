//===- ExportBody.h - Bodies for other files --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of a function's body that judging asks for from another file: its
/// control flow, the expressions that facts name, and its conditions.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_EXPORTBODY_H
#define TORCHTIDY_FLOW_EXPORTBODY_H

#include "Flow/Analysis.h"
#include "Flow/Portable.h"
#include "llvm/ADT/DenseSet.h"

namespace torchtidy::flow {

portable::TypeClass typeClass(clang::QualType T);

class BodyExporter {
public:
  using Declare = std::function<portable::DeclRef(const clang::ValueDecl *)>;
  using Locate = std::function<portable::Location(clang::SourceLocation)>;
  BodyExporter(const Analysis &A, portable::Module &M, Declare D, Locate L)
      : A(A), M(M), Decl(std::move(D)), Where(std::move(L)) {}

  /// Facts will name the expression: to be said before any body is added.
  void use(const clang::Expr *E) {
    if (E)
      Used.insert(E);
  }
  /// The root of the function's nodes. Numbers all that the body declares or
  /// names, in the order of the source.
  portable::NodeRef add(const FunctionFacts &X);

  void mention(const clang::Stmt *Body) { number(Body); }
  /// The fields and globals that bodies named since the last time.
  std::set<portable::DeclRef> takeMentions() {
    return std::exchange(Mentions, {});
  }

  /// The node of an expression; one that is in no body gets a node of its own.
  portable::NodeRef node(const clang::Expr *E);
  portable::NodeRef known(const clang::Stmt *S) const {
    return Nodes.lookup(S);
  }
  bool readsGradients(const FunctionFacts &X) const;

private:
  using List = std::vector<portable::NodeRef>;
  void number(const clang::Stmt *S);
  /// The nodes that stand for a statement: itself, or parts of it.
  List build(const clang::Stmt *S, bool Whole);
  List variables(const clang::DeclStmt &S);
  portable::NodeRef buildOne(const clang::Stmt *S, bool Whole);
  void expression(const clang::Expr *E, portable::Node &N) const;
  bool statement(const clang::Stmt *S, portable::Node &N);
  portable::NodeRef append(const clang::Stmt *S, portable::Node N);

  const Analysis &A;
  portable::Module &M;
  Declare Decl;
  Locate Where;
  llvm::DenseSet<const clang::Expr *> Used;
  std::set<portable::DeclRef> Mentions;
  llvm::DenseMap<const clang::Stmt *, portable::NodeRef> Nodes;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_EXPORTBODY_H
