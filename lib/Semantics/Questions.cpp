//===- Questions.cpp - Named questions about calls ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Questions.h"
#include "Semantics/Names.h"

using namespace clang;
using namespace torchtidy::semantics;

static StringRef nameOf(const NamedDecl *D) {
  return D && D->getIdentifier() ? D->getName() : StringRef();
}

bool torchtidy::semantics::isAssignment(const Call &C) {
  return C.Object && C.Name == "operator=";
}

bool torchtidy::semantics::callsItsObject(const Call &C) {
  return C.Object && C.Name == "operator()";
}

bool torchtidy::semantics::asksForGradients(const Call &C) {
  return isOneOf(C.Name, {"retain_grad", "register_hook"});
}

bool torchtidy::semantics::listsParameters(const Call &C) {
  return isOneOf(C.Name, {"parameters", "named_parameters"});
}

bool torchtidy::semantics::isTie(const Call &C) {
  return C.Kind == CallKind::Tie || C.Name == "forward_as_tuple";
}

bool torchtidy::semantics::makesTuple(const Call &C) {
  const CXXRecordDecl *R = C.E->getType()->getAsCXXRecordDecl();
  return C.Args.size() > 1 && R && R->isInStdNamespace() &&
         isOneOf(C.Name,
                 {"make_tuple", "tuple", "make_pair", "forward_as_tuple"});
}

bool torchtidy::semantics::renewsArguments(const Call &C) {
  return isOneOf(C.Name, {"exchange", "swap"});
}

bool torchtidy::semantics::isMove(const Call &C) { return C.Name == "move"; }

bool torchtidy::semantics::swapsContents(const Call &C) {
  return C.Name == "swap" && !C.Args.empty();
}

bool torchtidy::semantics::leavesEmpty(const Call &C) {
  return isOneOf(C.Name, {"clear", "reset"});
}

std::optional<unsigned> torchtidy::semantics::tupleIndex(const Call &C) {
  if (C.Name != "get" || !C.Callee ||
      !C.Callee->getTemplateSpecializationArgs())
    return std::nullopt;
  const TemplateArgument &A = C.Callee->getTemplateSpecializationArgs()->get(0);
  if (A.getKind() != TemplateArgument::Integral)
    return std::nullopt;
  return unsigned(A.getAsIntegral().getExtValue());
}

const Expr *torchtidy::semantics::subscriptKey(const Call &C) {
  return isOneOf(C.Name, {"operator[]", "at"}) && C.Args.size() == 1 ? C.Args[0]
                                                                     : nullptr;
}

/// Looks through what clang adds: copies, temporaries, implicit casts.
static const Expr *bare(const Expr *E) {
  for (;;) {
    const Expr *X = E->IgnoreUnlessSpelledInSource();
    if (const auto *C = dyn_cast<CXXConstructExpr>(X))
      if (C->getNumArgs() >= 1 &&
          C->getConstructor()->isCopyOrMoveConstructor())
        X = C->getArg(0);
    if (const auto *L = dyn_cast<CXXStdInitializerListExpr>(X))
      X = L->getSubExpr();
    if (X == E)
      return E;
    E = X;
  }
}

const Expr *torchtidy::semantics::insertedKey(const Call &C) {
  const CXXRecordDecl *R =
      C.Object->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const StringRef Holder = nameOf(R);
  if (!(Holder.contains("map") || Holder.contains("Dict") ||
        Holder == "sherwood_v3_table") ||
      Holder.contains("multi") || C.Args.empty())
    return nullptr;
  if (C.Args.size() > 1 && !C.Args[0]->getType()->isPointerType())
    return C.Args[0];
  const Expr *Pair = bare(C.Args[0]);
  for (unsigned Depth = 0; Depth < 4; ++Depth) {
    if (const auto *L = dyn_cast<InitListExpr>(Pair); L && L->getNumInits())
      return L->getInit(0);
    if (const auto *X = dyn_cast<CXXConstructExpr>(Pair)) {
      if (X->getNumArgs() == 2)
        return X->getArg(0);
      if (X->getNumArgs() != 1)
        return nullptr;
      Pair = bare(X->getArg(0));
      continue;
    }
    if (const auto *X = dyn_cast<CallExpr>(Pair); X && X->getNumArgs() == 2)
      return X->getArg(0);
    return nullptr;
  }
  return nullptr;
}

bool torchtidy::semantics::scalesInPlace(const Call &C) {
  return isOneOf(C.Name, {"mul_", "div_", "multiply_", "divide_"});
}

bool torchtidy::semantics::overwritesWhole(const Call &C) {
  return isOneOf(C.Name, {"zero_", "fill_"});
}

bool torchtidy::semantics::writesInto(const Call &C) {
  return C.Name == "copy_" || C.Name.starts_with("index_") ||
         C.Name.starts_with("scatter") || C.Name.starts_with("masked_");
}

bool torchtidy::semantics::replacesData(const Call &C) {
  return C.Object && C.Name == "set_data";
}

bool torchtidy::semantics::isIndexed(const Call &C) {
  return C.Name == "index" && C.Object;
}

AlgorithmKind torchtidy::semantics::algorithmKind(const Call &C) {
  if (isOneOf(C.Name,
              {"accumulate", "reduce", "inner_product", "transform_reduce"}))
    return AlgorithmKind::Fold;
  if (C.Name == "transform")
    return AlgorithmKind::Map;
  if (isOneOf(C.Name, {"generate", "generate_n"}))
    return AlgorithmKind::Generate;
  return C.Name.starts_with("copy") ? AlgorithmKind::Copy : AlgorithmKind::Each;
}

bool torchtidy::semantics::isExecutionPolicy(QualType T) {
  return nameOf(T.getNonReferenceType()->getAsCXXRecordDecl())
      .contains("policy");
}

bool torchtidy::semantics::wrapsFirstArgument(const FunctionDecl *F) {
  return F->isInStdNamespace() &&
         (nameOf(F).starts_with("bind") || nameOf(F) == "mem_fn");
}

bool torchtidy::semantics::asksSize(const FunctionDecl *F) {
  return isOneOf(nameOf(F), {"size", "length"});
}

bool torchtidy::semantics::asksPresence(const FunctionDecl *F) {
  return isOneOf(nameOf(F), {"defined", "empty", "numel", "size", "has_value"});
}

bool torchtidy::semantics::asksIfDefined(const FunctionDecl *F) {
  return isOneOf(nameOf(F), {"defined", "has_value"});
}

bool torchtidy::semantics::setsLearningRate(const FunctionDecl *F) {
  return isOneOf(nameOf(F), {"lr", "set_lr"});
}

const FunctionDecl *torchtidy::semantics::forwardOf(const CXXRecordDecl *R) {
  for (unsigned Depth = 0; R && R->hasDefinition() && Depth < 8; ++Depth) {
    for (const CXXMethodDecl *M : R->getDefinition()->methods())
      if (nameOf(M) == "forward")
        return M;
    if (R->getDefinition()->getNumBases() == 0)
      return nullptr;
    R = R->getDefinition()->bases_begin()->getType()->getAsCXXRecordDecl();
  }
  return nullptr;
}

bool torchtidy::semantics::isNullopt(const Expr *E) {
  const auto *R = dyn_cast<DeclRefExpr>(E);
  return R && nameOf(R->getDecl()) == "nullopt";
}

bool torchtidy::semantics::isIgnored(const CXXOperatorCallExpr *E) {
  if (E->getOperator() != OO_Equal || E->getNumArgs() != 2)
    return false;
  const auto *R = dyn_cast<DeclRefExpr>(E->getArg(0)->IgnoreParenImpCasts());
  return R && R->getDecl()->isInStdNamespace() &&
         nameOf(R->getDecl()) == "ignore";
}

bool torchtidy::semantics::makesHandle(const CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  return F &&
         (F->isInStdNamespace() ||
          isLibTorchNamespace(Types::topNamespace(F))) &&
         isOneOf(nameOf(F), {"make_unique", "make_shared", "make_optional"});
}

bool torchtidy::semantics::asksForHistory(const Stmt *Condition) {
  return mentions(Condition,
                  {"requires_grad", "grad_fn", "is_enabled", "is_leaf"});
}
