//===- TransferGuards.cpp - Effects on grad mode --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::GuardKind;

void Transfer::enterRegion(const Stmt *At) {
  const Stmt *Region = Facts.Shape->parallelRegion(At);
  // Which thread a picked one is, and so what a guard outside means to it, is
  // not known.
  S->switchTo(Region, Mode::of(picksThread(Region) ? Mode::Unknown : Mode::On));
}

void Transfer::endOfLife(const VarDecl *V) {
  auto It = S->Saved.find(V);
  if (It == S->Saved.end())
    return;
  enterRegion(Facts.Shape->declaration(V));
  S->Grad = It->second;
  S->Saved.erase(It);
}

/// The bool that a guard's constructor gets.
static std::optional<bool> guardArgument(const Expr *Init, bool Default,
                                         const ASTContext &Context) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  const auto *C = dyn_cast_or_null<CXXConstructExpr>(E);
  if (!C || C->getNumArgs() == 0)
    return Default;
  if (isa<CXXDefaultArgExpr>(C->getArg(0)))
    return Default;
  return semantics::constantBool(C->getArg(0), Context);
}

std::optional<bool> torchtidy::flow::engaged(const Expr *Init) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  if (!E || isa<CXXNullPtrLiteralExpr>(E))
    return false;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0)
      return false;
    return engaged(C->getArg(0));
  }
  if (semantics::isNullopt(E))
    return false;
  if (isa<AbstractConditionalOperator>(E))
    return std::nullopt;
  return true;
}

Mode Transfer::handedOver(const Expr *Guard) {
  const auto *C =
      dyn_cast_or_null<CXXConstructExpr>(Guard ? skipNoise(Guard) : Guard);
  const std::optional<Mode> Taken =
      C && C->getNumArgs() == 1 ? value(C->getArg(0)).SavedMode : std::nullopt;
  return Taken.value_or(Mode::of(Mode::Unknown));
}

Mode Transfer::under(GuardKind K, std::optional<bool> Argument,
                     const Expr *By) const {
  if (K == GuardKind::State)
    return Mode::of(Mode::Unknown);
  if (K == GuardKind::NoGrad)
    Argument = false;
  else if (K == GuardKind::Inference && Argument)
    Argument = !*Argument;
  if (K == GuardKind::Inference)
    return !Argument    ? Mode::of(Mode::Unknown)
           : !*Argument ? Mode::of(Mode::Inference, By)
                        : Mode::of(Mode::On);
  if (!Argument)
    return Mode::of(Mode::Unknown).inside(S->Grad);
  if (!*Argument)
    return Mode::of(Mode::Off, By).inside(S->Grad);
  // Grad mode cannot be turned on inside inference mode, only by
  // InferenceMode(false).
  if (S->Grad.has(Mode::Inference))
    return S->Grad;
  return Mode::of(Mode::On).inside(S->Grad);
}

Mode Transfer::underHandle(QualType T, llvm::ArrayRef<const Expr *> Arguments,
                           const Expr *By) const {
  std::optional<bool> Argument = true;
  if (!Arguments.empty() && !isa<CXXDefaultArgExpr>(Arguments[0]))
    Argument = semantics::constantBool(Arguments[0], A.Context);
  return under(A.T.guardKind(T), Argument, By);
}

Mode Transfer::underHandle(QualType T, const Expr *Init) const {
  const Expr *E = skipNoise(Init);
  while (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0 || A.T.guardKind(T) == GuardKind::None)
      break;
    E = skipNoise(C->getArg(0)); // of the handle
  }
  if (const auto *N = dyn_cast<CXXNewExpr>(E))
    if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(N->getInitializer()))
      return underHandle(T, {C->getArgs(), C->getNumArgs()}, Init);
  if (const auto *C = dyn_cast<CallExpr>(E); C && semantics::makesHandle(C))
    return underHandle(T, {C->getArgs(), C->getNumArgs()}, Init);
  const GuardKind K = A.T.guardKind(T);
  return K == GuardKind::NoGrad ? under(K, false, Init)
                                : under(K, std::nullopt, Init);
}

void Transfer::declareGuard(const VarDecl *V) {
  const GuardKind K = A.T.guardKind(V->getType());
  const Mode Before = S->Grad;
  Mode After = Before;
  const CXXRecordDecl *R = A.T.pointee(V->getType());
  const bool Own = V->getType()->getAsCXXRecordDecl() &&
                   V->getType()->getAsCXXRecordDecl()->getCanonicalDecl() ==
                       R->getCanonicalDecl();
  const bool IsPlain = A.T.isLibrary(R) || K == GuardKind::NoGrad;
  if (!Own) {
    auto E = engaged(V->getInit());
    if (!E)
      After.join(underHandle(V->getType(), V->getInit()));
    else if (*E)
      After = underHandle(V->getType(), V->getInit());
  } else if (!A.T.alwaysGuards(R)) {
    After = under(K == GuardKind::NoGrad ? GuardKind::AutoGrad : K,
                  std::nullopt, V->getInit()); // while its member holds a guard
  } else if (!IsPlain) {
    After = K == GuardKind::Inference ? under(K, true, V->getInit())
                                      : under(K, std::nullopt, V->getInit());
    // What it tells its member is not seen.
    if (K == GuardKind::Inference && R->hasUserDeclaredConstructor())
      After.Makes = Birth::Unknown;
  } else {
    After = K == GuardKind::State
                ? handedOver(V->getInit())
                : under(K, guardArgument(V->getInit(), true, A.Context),
                        V->getInit());
    // A guard of the project may be of either kind.
    if (!A.T.isLibrary(R) && !A.Opts.GuardTypes.empty())
      After.Makes |= Birth::Unknown;
  }
  S->Saved[V] = Before;
  S->Grad = After;
}

void Transfer::setGradMode(const Call &C) {
  const Expr *P = C.Args.empty() ? nullptr : C.Args[0];
  if (!P)
    return;
  Value V = value(P);
  auto On = semantics::constantBool(P, A.Context);
  if (V.SavedMode)
    S->Grad = V.SavedMode->inside(S->Grad);
  else
    S->Grad = under(GuardKind::AutoGrad, On, C.E);
  record(Event::SetsGrad, C.E);
}

void Transfer::constructed(const CXXConstructExpr *E, Mode Before) {
  if (S->Grad == Before ||
      !A.T.restoresGradMode(E->getConstructor()->getParent()))
    return;
  const Stmt *P = Facts.Shape->parent(E);
  while (isa_and_nonnull<Expr>(P) && !isa<CXXNewExpr>(P))
    P = Facts.Shape->parent(P);
  if (const auto *D = dyn_cast_or_null<DeclStmt>(P)) {
    for (const Decl *Y : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Y))
        if (V->getInit() && V->getType()->getAsCXXRecordDecl() &&
            skipNoise(V->getInit()) == E) {
          S->Saved[V] = Before;
          if (S->Grad.By)
            S->Grad.By = E;
        }
    return;
  }
  // A temporary dies at once; of another object the end is not seen.
  S->Grad = isa_and_nonnull<CompoundStmt>(P)
                ? Before
                : Mode::of(Mode::Unknown).inside(Before);
}
