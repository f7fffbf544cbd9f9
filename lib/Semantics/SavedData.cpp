//===- SavedData.cpp - Custom functions and their contexts ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/SavedData.h"
#include "Semantics/Arguments.h"
#include "Semantics/Names.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy::semantics;

static StringRef nameOf(const NamedDecl *D) {
  return D && D->getIdentifier() ? D->getName() : StringRef();
}

static bool isOfAutograd(const CXXRecordDecl *R, StringRef Name) {
  if (nameOf(R) != Name || Types::topNamespace(R) != "torch")
    return false;
  const auto *N = dyn_cast<NamespaceDecl>(R->getDeclContext());
  return nameOf(N) == "autograd";
}

bool torchtidy::semantics::isAutogradContext(QualType T) {
  if (T.isNull())
    return false;
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  return isOfAutograd(T->getAsCXXRecordDecl(), "AutogradContext");
}

static bool derivesFromFunction(const CXXRecordDecl *R, unsigned Depth = 0) {
  if (!R || !R->hasDefinition() || Depth > 8)
    return false;
  return llvm::any_of(R->getDefinition()->bases(), [&](const auto &B) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    return Base && (isOfAutograd(Base, "Function") ||
                    derivesFromFunction(Base, Depth + 1));
  });
}

bool torchtidy::semantics::isCustomForward(const FunctionDecl *F) {
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  return M && M->isStatic() && nameOf(M) == "forward" &&
         M->getNumParams() > 0 &&
         isAutogradContext(M->getParamDecl(0)->getType()) &&
         derivesFromFunction(M->getParent());
}

const FunctionDecl *
torchtidy::semantics::backwardOf(const FunctionDecl *Forward) {
  const CXXRecordDecl *R = cast<CXXMethodDecl>(Forward)->getParent();
  for (unsigned Depth = 0; R && R->hasDefinition() && Depth < 8; ++Depth) {
    for (const CXXMethodDecl *M : R->getDefinition()->methods())
      if (nameOf(M) == "backward")
        return M;
    if (R->getDefinition()->getNumBases() == 0)
      return nullptr;
    R = R->getDefinition()->bases_begin()->getType()->getAsCXXRecordDecl();
  }
  return nullptr;
}

bool torchtidy::semantics::isSavedData(const MemberExpr *E) {
  const auto *F = dyn_cast<FieldDecl>(E->getMemberDecl());
  return nameOf(F) == "saved_data" &&
         isOfAutograd(dyn_cast<CXXRecordDecl>(F->getParent()),
                      "AutogradContext");
}

ContextCall torchtidy::semantics::contextCallOf(const Call &C) {
  return C.Name == "mark_dirty" ? ContextCall::MarkDirty
         : C.Name == "mark_non_differentiable"
             ? ContextCall::MarkNonDifferentiable
             : ContextCall::Other;
}

//===-- What backward does ------------------------------------------------===//

namespace {

/// Looks at every use of saved data; `Empties` once one is not known to read.
class UsesOfSavedData {
public:
  explicit UsesOfSavedData(Definition Find) : Find(Find) {}

  void function(const FunctionDecl *F) {
    if (!F || Seen.size() > 8)
      Empties = true;
    else if (Seen.insert(F).second)
      visit(F->getBody());
  }
  bool Empties = false;

private:
  void visit(const Stmt *S) {
    if (!S || Empties)
      return;
    if (const auto *M = dyn_cast<MemberExpr>(S))
      Empties |=
          isSavedData(M) ? !isRead() : nameOf(M->getMemberDecl()) == "detach_";
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      if (isAutogradContext(D->getType()))
        context();
    Above.push_back(S);
    for (const Stmt *C : S->children())
      visit(C);
    Above.pop_back();
  }

  /// The context itself is used: a member of it, or an argument of a call.
  void context() {
    for (const Stmt *P : llvm::reverse(Above)) {
      if (isa<CastExpr, ParenExpr, FullExpr>(P))
        continue;
      if (isa<MemberExpr, LambdaExpr>(P)) // captured: its body says more
        return;
      const auto *C = dyn_cast<CallExpr>(P);
      return function(C ? Find(C->getDirectCallee()) : nullptr);
    }
  }

  /// Are the expressions above this use of saved data such that it stays?
  bool isRead() const {
    const Stmt *Child = nullptr;
    for (auto I = Above.rbegin(); I != Above.rend(); Child = *I++) {
      const Stmt *P = *I;
      if (const auto *C = dyn_cast<ImplicitCastExpr>(P)) {
        if (C->getType().isConstQualified() ||
            C->getCastKind() == CK_LValueToRValue)
          return true;
        continue;
      }
      if (const auto *M = dyn_cast<MemberExpr>(P)) {
        if (const auto *F = dyn_cast<CXXMethodDecl>(M->getMemberDecl());
            F && !F->isConst() && !handsOut(F))
          return false;
        continue;
      }
      if (const auto *M = dyn_cast<CXXMemberCallExpr>(P);
          M && M->getCallee() == Child) {
        if (!M->getType()->isReferenceType() && M->isPRValue())
          return true; // a value of its own, or an iterator
        continue;
      }
      if (const auto *C = dyn_cast<CallExpr>(P)) {
        if (handsOut(C->getDirectCallee()))
          continue;
        return takesConst(C, Child);
      }
      if (const auto *C = dyn_cast<CXXConstructExpr>(P))
        return C->getNumArgs() > 0 && C->getConstructor()->getNumParams() > 0 &&
               isConst(C->getConstructor()->getParamDecl(0)->getType());
      if (const auto *D = dyn_cast<DeclStmt>(P))
        return llvm::all_of(D->decls(), [](const Decl *X) {
          const auto *V = dyn_cast<VarDecl>(X);
          return !V || isConst(V->getType());
        });
      if (isa<ParenExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr,
              FullExpr, AbstractConditionalOperator>(P))
        continue;
      return isa<CompoundStmt>(P);
    }
    return false;
  }

  static bool isConst(QualType T) {
    return !T->isReferenceType() || (T->isLValueReferenceType() &&
                                     T->getPointeeType().isConstQualified());
  }

  /// A part of its object, by reference or iterator.
  static bool handsOut(const FunctionDecl *F) {
    if (!F || !isa<CXXMethodDecl>(F))
      return false;
    switch (F->getOverloadedOperator()) {
    case OO_Subscript:
    case OO_Arrow:
    case OO_Star:
      return true;
    default:
      return isOneOf(nameOf(F),
                     {"at", "find", "begin", "end", "toTensor", "value"});
    }
  }

  static bool takesConst(const CallExpr *C, const Stmt *Arg) {
    const FunctionDecl *F = C->getDirectCallee();
    const unsigned Skip =
        isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(F);
    for (unsigned I = 0; F && I < C->getNumArgs(); ++I)
      if (C->getArg(I) == Arg)
        return I >= Skip && I - Skip < F->getNumParams() &&
               isConst(F->getParamDecl(I - Skip)->getType());
    return false;
  }

  Definition Find;
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
  std::vector<const Stmt *> Above;
};

bool subscripts(const Stmt *S, const ValueDecl *Of, uint64_t Index) {
  if (!S)
    return false;
  const Expr *Object = nullptr, *Key = nullptr;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S);
      O && O->getOperator() == OO_Subscript) {
    Object = O->getArg(0);
    Key = O->getArg(1);
  } else if (const auto *M = dyn_cast<CXXMemberCallExpr>(S)) {
    if (nameOf(M->getMethodDecl()) == "at" && M->getNumArgs() == 1)
      Key = M->getArg(0);
    if (Key || (nameOf(M->getMethodDecl()) == "front" && Index == 0))
      Object = M->getImplicitObjectArgument();
  }
  const auto *R =
      Object ? dyn_cast<DeclRefExpr>(Object->IgnoreParenImpCasts()) : nullptr;
  if (R && R->getDecl() == Of) {
    Expr::EvalResult Value;
    if (!Key || (!Key->isValueDependent() &&
                 Key->EvaluateAsInt(Value, Of->getASTContext()) &&
                 Value.Val.getInt() == Index))
      return true;
  }
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return subscripts(C, Of, Index); });
}

} // namespace

bool torchtidy::semantics::mayEmptySavedData(const FunctionDecl *Backward,
                                             Definition Find) {
  UsesOfSavedData Uses(Find);
  Uses.function(Backward ? Find(Backward) : nullptr);
  return Uses.Empties;
}

bool torchtidy::semantics::readsGradientOf(const FunctionDecl *Backward,
                                           unsigned Output) {
  return Backward->getNumParams() > 1 &&
         subscripts(Backward->getBody(), Backward->getParamDecl(1), Output);
}

//===-- Tensors -----------------------------------------------------------===//

bool torchtidy::semantics::changesType(const Call &C) {
  return isOneOf(C.Name, {"to", "toType", "type", "type_as", "_to_copy",
                          "view_as_real", "view_as_complex"});
}

Identity torchtidy::semantics::identityOf(const Call &C) {
  switch (C.Kind) {
  case CallKind::Detach: // under another type it may be what it was
    return convertsToInteger(C) ? Identity::MayBeSame : Identity::New;
  case CallKind::DetachInPlace:
  case CallKind::MakeLeaf:
  case CallKind::StopGrad:
    return Identity::Same;
  case CallKind::Operator:
    break;
  default:
    return Identity::New;
  }
  if (C.InPlace || C.Name.ends_with("_out"))
    return Identity::Same;
  if (!C.Op) // cpu(), cuda(), apply(): not in the table
    return Identity::MayBeSame;
  return C.Op->Aliases == View::Yes   ? Identity::View
         : C.Op->Aliases == View::May ? Identity::MayBeSame
                                      : Identity::New;
}

bool torchtidy::semantics::givesIntegers(const Call &C) {
  if (C.Kind == CallKind::Detach)
    return convertsToInteger(C);
  if (!C.Op || C.Op->mayHaveHistory(0))
    return false;
  const bool Makes = C.Name.ends_with("_like") || C.Name.starts_with("new_") ||
                     C.Name.starts_with("empty") ||
                     C.Name.starts_with("zeros") ||
                     C.Name.starts_with("ones") || C.Name.starts_with("full") ||
                     isOneOf(C.Name, {"rand", "randn", "normal", "bernoulli",
                                      "eye", "linspace", "poisson"});
  return !Makes || llvm::any_of(C.Args, [](const Expr *A) {
    return !isa<CXXDefaultArgExpr>(A) &&
           mentions(A, {"kLong", "kInt", "kInt64", "kInt32", "kByte", "kUInt8",
                        "kChar", "kInt8", "kShort", "kInt16", "kBool", "Long",
                        "Int", "Byte", "Char", "Short", "Bool"});
  });
}

//===-- Containers --------------------------------------------------------===//

bool torchtidy::semantics::isWrapper(QualType T, const Types &Known) {
  return Known.isIValue(T) || Known.isCallableWrapper(T) ||
         nameOf(T.getNonReferenceType()->getAsCXXRecordDecl()) == "optional";
}

bool torchtidy::semantics::sharesContents(QualType T) {
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return isOneOf(nameOf(R), {"List", "Dict"}) &&
         isLibTorchNamespace(Types::topNamespace(R));
}

bool torchtidy::semantics::keepsArgumentsInOrder(const Call &C) {
  return makesTuple(C) || C.Kind == CallKind::Tie ||
         (C.Args.size() == 2 && C.Name == "pair");
}

std::optional<uint64_t> torchtidy::semantics::partOf(const Call &C,
                                                     uint64_t Size) {
  if (C.Name == "front")
    return 0;
  if (C.Name == "back" && Size > 0)
    return Size - 1;
  const Expr *Key =
      isOneOf(C.Name, {"operator[]", "at", "get"}) && C.Args.size() == 1
          ? C.Args[0]
          : nullptr;
  Expr::EvalResult Value;
  if (!Key || Key->isValueDependent() || !C.Callee ||
      !Key->EvaluateAsInt(Value, C.Callee->getASTContext()) ||
      Value.Val.getInt().isNegative())
    return std::nullopt;
  return Value.Val.getInt().getLimitedValue();
}

bool torchtidy::semantics::appends(const Call &C) {
  return isOneOf(C.Name, {"push_back", "emplace_back"});
}

bool torchtidy::semantics::dropsLast(const Call &C) {
  return C.Name == "pop_back";
}

bool torchtidy::semantics::replacesPart(const Call &C) {
  return C.Object && C.Name == "set";
}

bool torchtidy::semantics::erasesByKey(const Call &C) {
  return C.Name == "erase" && C.Args.size() == 1;
}

bool torchtidy::semantics::keepsContents(const Call &C) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
  return M && (M->isConst() ||
               isOneOf(nameOf(M), {"begin", "end", "find", "reserve", "data",
                                   "count", "size", "empty"}));
}
