//===- PathWalk.h - Walks the paths of a custom function --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks the forward of a custom function path by path, through the functions
/// and lambdas that it calls. States are never joined, so that "the same
/// tensor" stays a certain answer; the number of paths has a limit.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_PATHWALK_H
#define TORCHTIDY_FLOW_PATHWALK_H

#include "Flow/Analysis.h"
#include "Flow/Path.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace torchtidy::flow {

class PathWalk {
public:
  explicit PathWalk(const Analysis &A) : A(A) {}

  enum class End {
    Complete, ///< all paths were seen
    Lost,     ///< something unknown may change what the context keeps
    TooMany   ///< more paths than the limit
  };
  /// Shows each path at its return.
  using Visit = llvm::function_ref<void(Path &, const clang::ReturnStmt *)>;
  End walk(const clang::FunctionDecl *Forward, Visit AtReturn);

private:
  // Blocks and statements (PathWalk.cpp).
  const clang::CFG *graph(const clang::FunctionDecl *F);
  bool enter(const clang::FunctionDecl *F, const clang::Expr *Call);
  void begin(const clang::FunctionDecl *Forward);
  void run();
  bool branch();
  void leave();
  void statement(const clang::Stmt *S);
  void declare(const clang::VarDecl *V);
  void assign(const clang::Expr *Left, const clang::Expr *Right);
  void assignTo(const Found &To, ThingId What, const clang::Expr *At);
  void store(SlotId Where, const clang::Expr *At);

  // Values (PathValues.cpp).
  Found value(const clang::Expr *E);
  Found evaluate(const clang::Expr *E);
  Found variable(const clang::ValueDecl *D);
  ThingId passed(const clang::Expr *E, clang::QualType To);
  ThingId typed(clang::QualType T, const clang::Expr *Made, bool MayBeInput);
  ThingId callable(const clang::LambdaExpr *L);
  ThingId group(llvm::ArrayRef<const clang::Expr *> Parts, bool ByPlace);

  // Calls (PathCalls.cpp).
  Found call(const clang::Expr *E);
  /// Goes into the callee, if its body is known.
  bool inlined(const semantics::Call &C);
  Found library(const semantics::Call &C);
  Found tensor(const semantics::Call &C);
  Found construct(const semantics::Call &C);
  void context(const semantics::Call &C);
  /// What an unknown callee may do with what it is given.
  void escapes(const semantics::Call &C);
  void smash(const Found &F, clang::QualType T, const clang::Expr *By);

  // Things with parts (PathContainers.cpp).
  Found container(const semantics::Call &C, const Found &Object);
  void insert(const semantics::Call &C, ThingId Group);
  PartKey keyOf(const clang::Expr *E) const;

  bool carries(const clang::Expr *E) const {
    return A.T.carriesTensor(E->getType());
  }

  const Analysis &A;
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<clang::CFG>>
      Graphs;
  std::vector<Path> Work;
  Path P;
  Visit *AtReturn = nullptr;
  unsigned Steps = 0, Paths = 0;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_PATHWALK_H
