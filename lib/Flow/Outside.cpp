//===- Outside.cpp - What code outside of this file may do ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Outside.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace torchtidy::flow;

/// Does every call of the function that returns get there, loops of no rounds
/// apart?
static bool surelyRuns(const Expr *E, const FunctionFacts &X) {
  if (!X.Shape->conditions(E, nullptr).empty())
    return false;
  for (const Stmt *S = X.Shape->parent(E); S; S = X.Shape->parent(S))
    if (isa<SwitchStmt, CXXCatchStmt>(S))
      return false;
  return true;
}

void Outside::learn(const Event &E, const FunctionFacts &X, const Chain &C) {
  if (E.K != Event::Backward || !surelyRuns(E.E, X))
    return;
  Cell Loss{E.H, {}};
  for (const CallSite *S : C) {
    const FunctionFacts *Caller = A.known(S->Caller);
    if (S->K != CallSite::Direct || !Caller || !surelyRuns(S->E, *Caller))
      return;
    Loss = A.atCall(*S, Loss);
  }
  // What came from outside may have a history of its own.
  auto Under = [&](Mode::Bit B) {
    return Loss.H.substitute(
        Mode::of(B), [](const Storage &) { return History::unknown(); });
  };
  if (Under(Mode::On).has(Atom::Live) && Under(Mode::Off).onlyNone())
    ProvedOn.insert((C.empty() ? X.F : C.back()->Caller)->getCanonicalDecl());
}

bool Outside::inMainFile(const Decl *D) const {
  // An editor opens a header by itself.
  if (A.Context.getLangOpts().IsHeaderFile)
    return false;
  const SourceManager &SM = A.Context.getSourceManager();
  return llvm::all_of(D->redecls(), [&](const Decl *Each) {
    return SM.isInMainFile(SM.getExpansionLoc(Each->getLocation()));
  });
}

Mode Outside::entry(const FunctionDecl *Root) const {
  if (ProvedOn.contains(Root->getCanonicalDecl()))
    return Mode::of(Mode::On);
  const auto *M = dyn_cast<CXXMethodDecl>(Root);
  // A lambda that nobody visibly calls runs wherever it was taken.
  if (M && M->getParent()->isLambda())
    return Mode::of(Mode::Unknown);
  return Mode::of(inMainFile(Root) ? Mode::On : Mode::Unknown);
}

bool Outside::mayTouch(const Storage &S, const FunctionDecl *Root) const {
  const bool Result = mayBeTouched(S, Root);
  Asked |= Result;
  return Result;
}

bool Outside::mayBeTouched(const Storage &S, const FunctionDecl *Root) const {
  if (!S.IsThis) {
    const auto *V = dyn_cast_or_null<VarDecl>(S.Root);
    return !V || (!A.IsLinked && !V->isStaticLocal() && !inMainFile(V));
  }
  const auto *M = dyn_cast<CXXMethodDecl>(Root);
  if (!M || M->getParent()->isLambda())
    return false; // `this` of the function round it: its methods are seen
  // Who includes the class sees what is public, who derives what is protected.
  const FieldDecl *Field = S.firstField();
  if (!A.IsLinked && !inMainFile(M->getParent()) && Field &&
      Field->getAccess() != AS_private)
    return true;
  for (const CXXMethodDecl *Other : M->getParent()->methods())
    if (!Other->isImplicit() && !Other->isDefaulted() && !Other->isDeleted() &&
        !Other->isConst() && !A.Funcs.definition(Other) &&
        !A.DefinedElsewhere.contains(Other->getCanonicalDecl()))
      return true;
  return false;
}
