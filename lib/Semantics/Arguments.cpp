//===- Arguments.cpp - What arguments say ---------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Arguments.h"
#include "Semantics/Names.h"

using namespace clang;
using namespace torchtidy::semantics;

bool torchtidy::semantics::mentions(const Stmt *S,
                                    std::initializer_list<StringRef> Names,
                                    unsigned Depth) {
  if (!S || Depth > 24)
    return false;
  const NamedDecl *D = nullptr;
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    D = R->getDecl();
  else if (const auto *M = dyn_cast<MemberExpr>(S))
    D = M->getMemberDecl();
  if (D && D->getIdentifier() && llvm::is_contained(Names, D->getName()))
    return true;
  // Options are often built in a variable of their own.
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
      if (!isa<ParmVarDecl>(V) && V->getInit() &&
          mentions(V->getInit(), Names, Depth + 1))
        return true;
  for (const Stmt *Child : S->children())
    if (mentions(Child, Names, Depth + 1))
      return true;
  return false;
}

static const Expr *plain(const Expr *E) {
  while (E) {
    const Expr *Next = E->IgnoreUnlessSpelledInSource();
    if (const auto *D = dyn_cast<CXXDefaultArgExpr>(Next))
      return D;
    if (Next == E)
      return E;
    E = Next;
  }
  return E;
}

static std::optional<bool> flagArgument(const Call &C, StringRef Name,
                                        const ASTContext &Ctx) {
  for (unsigned I = 0, N = C.Callee->getNumParams(); I < N && I < C.Args.size();
       ++I) {
    const ParmVarDecl *P = C.Callee->getParamDecl(I);
    if (P->getIdentifier() && P->getName() == Name) {
      if (isAbsent(C.Args[I]))
        return false;
      return constantBool(C.Args[I], Ctx);
    }
  }
  return false;
}

std::optional<bool>
torchtidy::semantics::constantBool(const Expr *E, const ASTContext &Context) {
  if (!E || E->isValueDependent())
    return std::nullopt;
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    E = D->getExpr();
  bool Result = false;
  if (E->getType()->isBooleanType() ||
      E->getType()->isIntegralOrEnumerationType())
    if (E->EvaluateAsBooleanCondition(Result, Context))
      return Result;
  // optional<bool>(true)
  const Expr *Inner = E->IgnoreUnlessSpelledInSource();
  while (const auto *Ctor = dyn_cast<CXXConstructExpr>(Inner)) {
    if (Ctor->getNumArgs() != 1)
      return std::nullopt;
    Inner = Ctor->getArg(0)->IgnoreUnlessSpelledInSource();
  }
  if (Inner != E && Inner->getType()->isBooleanType() &&
      Inner->EvaluateAsBooleanCondition(Result, Context))
    return Result;
  return std::nullopt;
}

bool torchtidy::semantics::isAbsent(const Expr *A) {
  if (!A || isa<CXXDefaultArgExpr>(A))
    return true;
  A = plain(A);
  if (isa<CXXDefaultArgExpr, CXXNullPtrLiteralExpr>(A))
    return true;
  if (const auto *L = dyn_cast<InitListExpr>(A))
    return L->getNumInits() == 0;
  if (const auto *C = dyn_cast<CXXConstructExpr>(A))
    return C->getNumArgs() == 0 ||
           (C->getNumArgs() == 1 && isAbsent(C->getArg(0)));
  if (const auto *I = dyn_cast<CXXStdInitializerListExpr>(A))
    return isAbsent(I->getSubExpr());
  if (const auto *R = dyn_cast<DeclRefExpr>(A))
    return R->getDecl()->getIdentifier() &&
           R->getDecl()->getName() == "nullopt";
  return false;
}

std::optional<bool> torchtidy::semantics::retainsGraph(const Call &C,
                                                       const ASTContext &Ctx) {
  return flagArgument(C, "retain_graph", Ctx);
}

std::optional<bool> torchtidy::semantics::createsGraph(const Call &C,
                                                       const ASTContext &Ctx) {
  return flagArgument(C, "create_graph", Ctx);
}

bool torchtidy::semantics::limitsInputs(const Call &C) {
  for (unsigned I = 0, N = C.Callee->getNumParams(); I < N && I < C.Args.size();
       ++I) {
    const ParmVarDecl *P = C.Callee->getParamDecl(I);
    if (P->getIdentifier() && P->getName() == "inputs")
      return !isAbsent(C.Args[I]);
  }
  return false;
}

const Expr *torchtidy::semantics::gradientArgument(const Call &C) {
  const unsigned Index = C.Object ? 0 : 1; // backward(tensors, grad_tensors)
  if (Index >= C.Args.size() || isAbsent(C.Args[Index]))
    return nullptr;
  return C.Args[Index];
}

bool torchtidy::semantics::requiresGradOption(const Stmt *S, unsigned Depth) {
  if (!S || Depth > 24)
    return false;
  if (const auto *Call = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = Call->getDirectCallee())
      if (F->getIdentifier() && F->getName() == "requires_grad")
        return constantBool(Call->getNumArgs() ? Call->getArg(0) : nullptr,
                            F->getASTContext())
            .value_or(true);
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
      if (!isa<ParmVarDecl>(V) && V->getInit() &&
          requiresGradOption(V->getInit(), Depth + 1))
        return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return requiresGradOption(Child, Depth + 1);
  });
}

bool torchtidy::semantics::makesLeafByOptions(const Call &C) {
  return llvm::any_of(C.Args, [](const Expr *A) {
    return !isa<CXXDefaultArgExpr>(A) && requiresGradOption(A);
  });
}

bool torchtidy::semantics::convertsToInteger(const Call &C) {
  if (!isOneOf(C.Name, {"to", "toType", "type", "type_as", "_to_copy"}))
    return false;
  for (const Expr *A : C.Args)
    if (!isa<CXXDefaultArgExpr>(A) &&
        mentions(A, {"kLong", "kInt", "kInt64", "kInt32", "kByte", "kUInt8",
                     "kChar", "kInt8", "kShort", "kInt16", "kBool", "Long",
                     "Int", "Byte", "Char", "Short", "Bool"}))
      return true;
  return false;
}
