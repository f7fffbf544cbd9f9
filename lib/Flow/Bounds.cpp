//===- Bounds.cpp - What empties a holder ---------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Bounds.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

/// Is something related to the holder cleared, popped or set anew?
static bool touches(const Storage &Bound, const Storage &Holder) {
  return Bound.valid() && Holder.valid() &&
         (Bound.startsWith(Holder) || Holder.startsWith(Bound)) &&
         (!Holder.IsThis || !Bound.Path.empty());
}

/// What the holder is called inside a callee.
static std::vector<Storage> namesIn(const CallSite &Site,
                                    const Storage &Holder) {
  std::vector<Storage> Names;
  for (const auto &[P, B] : Site.Parameters)
    if (B.Loc.valid() && Holder.startsWith(B.Loc))
      Names.push_back(Holder.rebase(B.Loc, Storage::of(P)));
  if (Site.SameThis || !Holder.IsThis)
    Names.push_back(Holder); // captured or global
  if (Site.This.valid() && Holder.startsWith(Site.This))
    Names.push_back(Holder.rebase(Site.This, Storage::ofThis()));
  return Names;
}

bool Bounds::dependsOnItself(const Event &E) const {
  if (!E.Stored)
    return false;
  const Expr *Stored = skipNoise(E.Stored);
  if (!A.Flow.defines(Stored)) {
    const auto From = nodeOf(E.Target);
    return From && A.Flow.connects(*From, FlowNode::of(Stored));
  }
  // By what reads it in the next round, before it is assigned again.
  const SourceManager &SM = A.Context.getSourceManager();
  auto IsEarlier = [&](const Expr *Read) {
    return !SM.isBeforeInTranslationUnit(
        SM.getExpansionLoc(E.E->getEndLoc()),
        SM.getExpansionLoc(Read->getBeginLoc()));
  };
  return A.Flow.connects(FlowNode::ofDefinition(Stored), FlowNode::of(Stored),
                         IsEarlier);
}

bool Bounds::isBound(const Event &E) const {
  return E.K == Event::Bound ||
         (E.K == Event::Store && E.How == Event::Rebind && !dependsOnItself(E));
}

/// Does the expression speak of the holder or a part of it? What is neither a
/// variable nor a member may.
bool Bounds::names(const Expr *E, const Storage &Holder) const {
  E = skipNoise(E);
  if (const auto *R = dyn_cast<DeclRefExpr>(E)) {
    const auto *D = cast<ValueDecl>(R->getDecl()->getCanonicalDecl());
    auto Alias = A.Aliases.find(D);
    return touches(Alias != A.Aliases.end() ? Alias->second : Storage::of(D),
                   Holder);
  }
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return M->getMemberDecl() == Holder.firstField() ||
           M->getMemberDecl() == Holder.lastField();
  return true;
}

/// `if (!total.defined()) total = loss`, `if (i == 0) ...`: a first time. That
/// something else is there or not says nothing.
bool Bounds::isFirstTime(const Expr *Condition, const Storage &Holder) const {
  const Stmt *S = skipNoise(Condition);
  if (const auto *B = dyn_cast<BinaryOperator>(S))
    if (B->getOpcode() == BO_EQ) {
      const auto *Zero = dyn_cast<IntegerLiteral>(skipNoise(B->getRHS()));
      const Expr *Left = skipNoise(B->getLHS());
      return Zero && Zero->getValue() == 0 &&
             (isa<DeclRefExpr, MemberExpr>(Left) || isFirstTime(Left, Holder));
    }
  if (const auto *U = dyn_cast<UnaryOperator>(S))
    return isFirstTime(U->getSubExpr(), Holder);
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(S))
    if (const CXXMethodDecl *D = M->getMethodDecl())
      if (D->getIdentifier())
        return semantics::asksPresence(D) &&
               names(M->getImplicitObjectArgument(), Holder);
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    return R->getDecl()->getIdentifier() &&
           R->getDecl()->getName().contains_insensitive("first");
  return false;
}

bool Bounds::renews(const Event &E, const FunctionFacts &X,
                    const Storage &Holder, const Stmt *Within) const {
  return touches(E.Target, Holder) &&
         llvm::none_of(X.Shape->conditions(E.E, Within),
                       [&](const Expr *Condition) {
                         return isFirstTime(Condition, Holder);
                       });
}

bool Bounds::emptied(const FunctionFacts &X, const Storage &Holder,
                     const Stmt *Within) const {
  return anyEvent(
      X, Holder, Within,
      [&](const Event &E, const FunctionFacts &Here, const Storage &Name) {
        return isBound(E) &&
               renews(E, Here, Name, &Here == &X ? Within : nullptr);
      });
}

bool Bounds::anyEvent(
    const FunctionFacts &X, const Storage &Holder, const Stmt *Within, Visit V,
    std::set<std::pair<const FunctionFacts *, Storage>> &Seen) const {
  for (const Event &E : X.Events)
    if ((!Within || X.Shape->contains(Within, E.E)) && V(E, X, Holder))
      return true;
  for (const auto &Site : X.Calls) {
    if (Within && !X.Shape->contains(Within, Site->E))
      continue;
    const FunctionFacts *Callee = A.known(Site->Callee);
    if (!Callee || Callee == &X)
      continue;
    for (const Storage &Name : namesIn(*Site, Holder))
      if (Seen.emplace(Callee, Name).second &&
          anyEvent(*Callee, Name, nullptr, V, Seen))
        return true;
  }
  return false;
}
