//===- ModuleUses.cpp - What a file does with a module --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ModuleUses.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::CallKind;

const ValueDecl *torchtidy::flow::moduleOf(const Storage &S,
                                           const semantics::Types &T) {
  if (S.Root && T.isModule(S.Root->getType()))
    return S.Root;
  const FieldDecl *F = S.firstField();
  return F && T.isModule(F->getType()) ? F : nullptr;
}

/// Walks all bodies once, and looks at each name of a module together with what
/// stands round it.
class ModuleUses::Visitor {
public:
  Visitor(const Analysis &A, ModuleUses &Uses) : A(A), Uses(Uses) {}

  void function(const FunctionDecl *F) {
    X = A.known(F);
    if (const auto *C = dyn_cast<CXXConstructorDecl>(F))
      for (const CXXCtorInitializer *I : C->inits())
        visit(I->getInit());
    visit(F->getBody());
  }
  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *R = dyn_cast<DeclRefExpr>(S))
      name(R, R->getDecl());
    else if (const auto *M = dyn_cast<MemberExpr>(S))
      name(M, M->getMemberDecl());
    Around.push_back(S);
    if (const auto *L = dyn_cast<LambdaExpr>(S))
      for (const Expr *Init : L->capture_inits())
        visit(Init); // the body is a function of its own
    else
      for (const Stmt *Child : S->children())
        visit(Child);
    Around.pop_back();
  }

private:
  void name(const Expr *E, const ValueDecl *D) {
    if (!isa<VarDecl, FieldDecl>(D) || !A.T.isModule(D->getType()))
      return;
    D = cast<ValueDecl>(D->getCanonicalDecl());
    if (!isHarmless(E, D))
      Uses.Touched.insert(D);
  }

  bool isHarmless(const Expr *E, const ValueDecl *D) {
    for (size_t I = Around.size(); I-- > 0;) {
      const Stmt *P = Around[I];
      if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(P);
          Op && Op->getNumArgs() && Op->getArg(0) == E) {
        if (Op->getOperator() == OO_Call)
          return kindOf(Op) == CallKind::Forward;
        if (Op->getOperator() != OO_Arrow && Op->getOperator() != OO_Star)
          return false;
      } else if (const auto *M = dyn_cast<MemberExpr>(P)) {
        if (!isa<CXXMethodDecl>(M->getMemberDecl()))
          return false; // a part of the module
      } else if (const auto *Call = dyn_cast<CXXMemberCallExpr>(P);
                 Call && Call->getCallee() == E) {
        return isHarmlessMethod(Call);
      } else if (const auto *Call = dyn_cast<CallExpr>(P)) {
        return isHarmlessArgument(Call, D);
      } else if (const auto *Made = dyn_cast<CXXConstructExpr>(P)) {
        if (!Made->getConstructor()->isCopyOrMoveConstructor() ||
            !A.T.isHandle(Made->getType()))
          return isHarmlessArgument(Made, D);
      } else if (const auto *S = dyn_cast<DeclStmt>(P)) {
        return isHarmlessAlias(S, D);
      } else if (isa<LambdaExpr>(P)) {
        return true;
      } else if (const auto *U = dyn_cast<UnaryOperator>(P)) {
        if (U->getOpcode() != UO_Deref && U->getOpcode() != UO_AddrOf)
          return false;
      } else if (!isa<ParenExpr, CastExpr, MaterializeTemporaryExpr,
                      CXXBindTemporaryExpr, FullExpr>(P)) {
        return false;
      }
      E = cast<Expr>(P);
    }
    return false;
  }

  CallKind kindOf(const Expr *Call) const {
    return semantics::classify(Call, A.T, A.Names).Kind;
  }

  bool isHarmlessMethod(const CXXMemberCallExpr *Call) const {
    // A callback may do anything.
    if (llvm::any_of(Call->arguments(),
                     [](const Expr *Arg) { return lambdaOf(Arg) != nullptr; }))
      return false;
    switch (kindOf(Call)) {
    case CallKind::Forward:
    case CallKind::Eval:
    case CallKind::Train:
    case CallKind::Look:
      return true;
    default: // a method of the user's that acts like forward
      return X && llvm::any_of(X->Events, [&](const Event &Y) {
               return Y.K == Event::Forward && Y.E == Call;
             });
    }
  }

  /// Of a library function that only looks, or one whose body is seen: then its
  /// parameter is another name.
  bool isHarmlessArgument(const Expr *Call, const ValueDecl *D) {
    bool Followed = false;
    if (X)
      for (const auto &Site : X->Calls)
        if (Site->E == Call && A.Funcs.body(Site->Callee))
          for (const auto &[P, B] : Site->Parameters)
            if (B.Loc.valid() && moduleOf(B.Loc, A.T) == D &&
                A.T.isModule(P->getType())) {
              Uses.GivenTo[D].push_back(P);
              Followed = true;
            }
    if (Followed)
      return true;
    const semantics::Call C = semantics::classify(Call, A.T, A.Names);
    return C.Kind == CallKind::Look && C.Callee && A.T.isLibrary(C.Callee) &&
           !semantics::renewsArguments(C);
  }

  /// `auto &m = net;`
  bool isHarmlessAlias(const DeclStmt *S, const ValueDecl *D) {
    bool Any = false;
    for (const Decl *Y : S->decls()) {
      const auto *V = dyn_cast<VarDecl>(Y);
      auto Alias = V ? A.Aliases.find(V->getCanonicalDecl()) : A.Aliases.end();
      if (Alias == A.Aliases.end() || moduleOf(Alias->second, A.T) != D ||
          !A.T.isModule(V->getType()))
        return false;
      Uses.GivenTo[D].push_back(V->getCanonicalDecl());
      Any = true;
    }
    return Any;
  }

  const Analysis &A;
  ModuleUses &Uses;
  const FunctionFacts *X = nullptr;
  std::vector<const Stmt *> Around;
};

ModuleUses::ModuleUses(const Analysis &A) : A(A) {
  Visitor V(A, *this);
  llvm::SmallPtrSet<const CXXRecordDecl *, 16> Classes;
  for (const FunctionDecl *F : A.Funcs.all()) {
    V.function(F);
    if (const auto *M = dyn_cast<CXXMethodDecl>(F))
      Classes.insert(M->getParent());
  }
  // `SGD optimizer{net->parameters(), 0.1};` in the class.
  for (const CXXRecordDecl *R : Classes)
    for (const FieldDecl *F : R->fields())
      if (F->hasInClassInitializer())
        V.visit(F->getInClassInitializer());
}

bool ModuleUses::isOnlyRun(const ValueDecl *D) const {
  llvm::SmallPtrSet<const ValueDecl *, 8> Seen{D};
  llvm::SmallVector<const ValueDecl *, 8> Work{D};
  while (!Work.empty()) {
    const ValueDecl *Next = Work.pop_back_val();
    if (Touched.contains(Next))
      return false;
    auto It = GivenTo.find(Next);
    if (It == GivenTo.end())
      continue;
    for (const ValueDecl *P : It->second)
      if (Seen.insert(P).second)
        Work.push_back(P);
  }
  return true;
}

bool ModuleUses::isTouched(QualType T) const {
  const CXXRecordDecl *R = A.T.pointee(T);
  return llvm::any_of(Touched, [&](const ValueDecl *D) {
    return A.T.pointee(D->getType()) == R;
  });
}

bool ModuleUses::touchesParameters(const Stmt *S) const {
  if (!S)
    return false;
  if (const auto *E = dyn_cast<Expr>(S)) {
    if (isa<CallExpr, CXXConstructExpr>(E))
      switch (semantics::classify(E, A.T, A.Names).Kind) {
      case CallKind::Parameters:
      case CallKind::Gradient:
      case CallKind::StopGrad:
      case CallKind::ZeroGrad:
      case CallKind::Step:
      case CallKind::Opaque:
        // `layer->forward(x)`: the arrow names the module only.
        if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E);
            !Op ||
            (Op->getOperator() != OO_Arrow && Op->getOperator() != OO_Star))
          return true;
        break;
      default:
        break;
      }
    if (A.T.isOptimizer(E->getType()))
      return true;
    // `freeze(backbone)`
    if (const auto *Call = dyn_cast<CallExpr>(E);
        Call && Call->getDirectCallee() &&
        !A.T.isLibrary(Call->getDirectCallee()) &&
        llvm::any_of(Call->arguments(), [&](const Expr *Arg) {
          return A.T.isModule(Arg->getType());
        }))
      return true;
  }
  // `init(*this)`: who gets all of it may do anything.
  const bool HandsOn =
      isa<CallExpr, CXXConstructExpr, InitListExpr, BinaryOperator, ReturnStmt>(
          S);
  for (const Stmt *Child : S->children()) {
    if (const auto *E = HandsOn ? dyn_cast_or_null<Expr>(Child) : nullptr) {
      const auto *Whole = dyn_cast<UnaryOperator>(skipNoise(E));
      if (isa<CXXThisExpr>(skipNoise(Whole ? Whole->getSubExpr() : E)))
        return true;
    }
    if (touchesParameters(Child))
      return true;
  }
  return false;
}

bool ModuleUses::isPlain(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R || !R->hasDefinition() || Depth > 4)
    return false;
  R = R->getDefinition();
  bool Owns = false;
  for (const CXXBaseSpecifier &B : R->bases()) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    if (!Base)
      return false;
    if (A.T.isLibrary(Base))
      continue;
    if (!isPlain(Base, Depth + 1))
      return false;
    Owns = true;
  }
  for (const FieldDecl *F : R->fields()) {
    if (A.T.isOptimizer(F->getType()))
      return false;
    switch (A.T.moduleKind(F->getType())) {
    case semantics::ModuleKind::Parametric:
      Owns = true;
      break;
    case semantics::ModuleKind::User:
      if (!isPlain(F->getType()))
        return false;
      Owns = true;
      break;
    default:
      break;
    }
  }
  if (!A.allMethodsAreSeen(R))
    return false;
  for (const CXXMethodDecl *M : R->methods()) {
    const FunctionDecl *Body = M->isImplicit() ? nullptr : A.Funcs.body(M);
    if (!Body)
      continue;
    if (touchesParameters(Body->getBody()))
      return false;
    if (const auto *C = dyn_cast<CXXConstructorDecl>(Body))
      for (const CXXCtorInitializer *I : C->inits())
        if (touchesParameters(I->getInit()))
          return false;
  }
  return Owns;
}

bool ModuleUses::isPlain(QualType T) const {
  const semantics::ModuleKind K = A.T.moduleKind(T);
  return K == semantics::ModuleKind::Parametric ||
         (K == semantics::ModuleKind::User && isPlain(A.T.pointee(T), 0));
}

/// Does it hold no name of a module and no call that might give a known one?
bool ModuleUses::makesNew(const Stmt *Init) const {
  if (!Init)
    return true;
  const ValueDecl *D = nullptr;
  if (const auto *R = dyn_cast<DeclRefExpr>(Init))
    D = R->getDecl();
  else if (const auto *M = dyn_cast<MemberExpr>(Init))
    D = M->getMemberDecl();
  if (D && !isa<FunctionDecl>(D) &&
      (A.T.isModule(D->getType()) || A.T.carriesTensor(D->getType())))
    return false;
  if (isa<CXXThisExpr, LambdaExpr, CXXDefaultInitExpr>(Init))
    return false;
  if (const auto *Call = dyn_cast<CallExpr>(Init))
    if (!Call->getDirectCallee() ||
        (A.T.isModule(Call->getType()) && !semantics::makesHandle(Call)))
      return false;
  return llvm::all_of(Init->children(),
                      [&](const Stmt *Child) { return makesNew(Child); });
}

bool ModuleUses::isMadeHere(const ValueDecl *D) const {
  const QualType T = D->getType();
  if (T->isReferenceType() || T->isPointerType())
    return false;
  if (const auto *V = dyn_cast<VarDecl>(D))
    return V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
           makesNew(V->getInit());
  const auto *F = dyn_cast<FieldDecl>(D);
  const auto *R = F ? dyn_cast<CXXRecordDecl>(F->getParent()) : nullptr;
  if (!R)
    return false;
  if (F->hasInClassInitializer() && !makesNew(F->getInClassInitializer()))
    return false;
  for (const CXXConstructorDecl *C : R->ctors()) {
    const FunctionDecl *Body = A.Funcs.body(C);
    if (!Body && !C->isImplicit() && !C->isDefaulted() && !C->isDeleted())
      return false;
    if (Body)
      for (const CXXCtorInitializer *I :
           cast<CXXConstructorDecl>(Body)->inits())
        if (I->getAnyMember() == F && I->getInit() &&
            !isa<CXXDefaultInitExpr>(I->getInit()) && !makesNew(I->getInit()))
          return false;
  }
  return true;
}
