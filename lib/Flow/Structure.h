//===- Structure.h - Loops and parents of a function ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parents and loops of one function body. Bodies of lambdas inside it are
/// functions of their own.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_STRUCTURE_H
#define TORCHTIDY_FLOW_STRUCTURE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace torchtidy::flow {

class Structure {
public:
  explicit Structure(const clang::FunctionDecl *F);
  /// Of a body that belongs to no function here.
  explicit Structure(const clang::Stmt *Body);

  const clang::Stmt *body() const { return Body; }
  const clang::Stmt *parent(const clang::Stmt *S) const {
    return Parents.lookup(S);
  }
  /// After an error clang may drop a whole statement without a trace in the
  /// tree: then what is left may look like a mistake that is none. Tokens that
  /// belong to no statement give it away.
  bool hasErrors(const clang::ASTContext &Context) const;
  bool contains(const clang::Stmt *Outer, const clang::Stmt *Inner) const;

  /// Loops that repeat \p S, innermost first. What a loop runs once (its
  /// initialisation, the range of a range-for) is not repeated by it.
  llvm::SmallVector<const clang::Stmt *, 4>
  loopsAround(const clang::Stmt *S) const;
  bool repeats(const clang::Stmt *Loop, const clang::Stmt *S) const;

  /// Does the round of \p Loop that runs \p S end the loop right after it?
  bool leavesAfter(const clang::Stmt *S, const clang::Stmt *Loop) const;

  /// The statement that declares \p V here, or null (parameters, captures).
  const clang::Stmt *declaration(const clang::VarDecl *V) const {
    return Declarations.lookup(V);
  }

  /// Is the local variable known where \p At stands?
  bool isInScope(const clang::VarDecl *V, const clang::Stmt *At) const {
    const clang::Stmt *D = declaration(V);
    return D && contains(parent(D), At) && D->getBeginLoc() < At->getBeginLoc();
  }

  /// May a lambda or a thread of OpenMP use the local variable?
  bool isShared(const clang::VarDecl *V) const {
    return HasRegions || Captured.contains(V);
  }

  /// The directive of OpenMP whose threads run \p S, or null: one that starts
  /// a team, or one inside that picks a thread of it.
  const clang::Stmt *parallelRegion(const clang::Stmt *S) const;

  /// The whole statement round an expression.
  const clang::Stmt *statement(const clang::Stmt *S) const;

  /// Is the variable changed by each round of \p Loop: its own counter, a
  /// variable declared or written inside it?
  bool variesIn(const clang::Expr *E, const clang::Stmt *Loop) const;

  /// `for (int i = 0; i < 3; ++i)`: the constant number of rounds, or 0.
  static unsigned constantTrips(const clang::Stmt *Loop,
                                const clang::ASTContext &Context);

  /// Conditions between \p Loop and \p S that decide whether S runs: of if
  /// statements round it, and of earlier siblings that leave the round.
  llvm::SmallVector<const clang::Expr *, 4>
  conditions(const clang::Stmt *S, const clang::Stmt *Loop) const;

private:
  void visit(const clang::Stmt *S);
  bool hasHoles(const clang::Stmt *S, const clang::ASTContext &Context) const;

  const clang::Stmt *Body;
  bool Errors = false;
  bool HasRegions = false;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> Declarations;
  llvm::DenseSet<const clang::ValueDecl *> Captured;
};

bool isLoop(const clang::Stmt *S);
/// `omp master`, `single` and kin: who runs it is not the whole team.
bool picksThread(const clang::Stmt *Region);
const clang::Stmt *loopBody(const clang::Stmt *Loop);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_STRUCTURE_H
