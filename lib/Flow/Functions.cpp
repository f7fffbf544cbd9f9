//===- Functions.cpp - Functions and callables of a file ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Functions.h"
#include "Semantics/Questions.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

static const Expr *bare(const Expr *E) {
  while (E) {
    const Expr *X = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(X))
      X = M->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(X))
      X = B->getSubExpr();
    else if (const auto *C = dyn_cast<ExprWithCleanups>(X))
      X = C->getSubExpr();
    else if (const auto *C = dyn_cast<ExplicitCastExpr>(X))
      X = C->getSubExpr();
    if (X == E)
      return E;
    E = X;
  }
  return E;
}

const LambdaExpr *torchtidy::flow::lambdaOf(const Expr *E) {
  for (unsigned Depth = 0; E && Depth < 8; ++Depth) {
    E = bare(E);
    if (const auto *L = dyn_cast_or_null<LambdaExpr>(E))
      return L;
    if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(E)) {
      if (C->getNumArgs() == 0)
        return nullptr;
      E = C->getArg(0);
      continue;
    }
    if (const auto *C = dyn_cast_or_null<CallExpr>(E)) {
      const FunctionDecl *F = C->getDirectCallee();
      if (F && F->isInStdNamespace() && F->getIdentifier() &&
          C->getNumArgs() == 1) {
        E = C->getArg(0); // move, forward, ref
        continue;
      }
    }
    return nullptr;
  }
  return nullptr;
}

/// What a callable comes out of: the queue in `tasks.front()`, the handle in
/// `*task`, the entry in `found->second`, the function in `std::bind(f, x)`; or
/// null.
static const Expr *sourceOfCallable(const Expr *E, const semantics::Types &T) {
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref ? U->getSubExpr() : nullptr;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(E))
    return O->getOperator() == OO_Star || O->getOperator() == OO_Arrow ||
                   O->getOperator() == OO_Subscript
               ? O->getArg(0)
               : nullptr;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return T.isLibrary(M->getMemberDecl()) ? M->getBase() : nullptr;
  const auto *C = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  if (!F || !T.isLibrary(F))
    return nullptr;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
    return M->getImplicitObjectArgument();
  return C->getNumArgs() > 0 && semantics::wrapsFirstArgument(F) ? C->getArg(0)
                                                                 : nullptr;
}

namespace torchtidy::flow {

class Collector : public RecursiveASTVisitor<Collector> {
public:
  Collector(Functions &Out, const semantics::Types &T) : Out(Out), T(T) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  /// Classes that what was seen completes or derives from.
  llvm::SmallSetVector<CXXRecordDecl *, 8> Classes;
  bool Grew = false; ///< a variable was found to hold another callable

  bool VisitCXXRecordDecl(CXXRecordDecl *R) {
    if (R->isThisDeclarationADefinition())
      for (const CXXBaseSpecifier &B : R->bases())
        addClass(B.getType()->getAsCXXRecordDecl());
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->isThisDeclarationADefinition())
      add(F);
    if (auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isOutOfLine())
      addClass(M->getParent());
    if (const auto *M = dyn_cast<CXXMethodDecl>(F))
      for (const CXXMethodDecl *O : M->overridden_methods())
        Out.Overriders[O->getCanonicalDecl()].push_back(M);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    addLambda(L);
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (V->getInit())
      holdEach(V, V->getInit());
    return true;
  }

  /// `Route{"/predict", [](Request r) { ... }}`
  bool VisitInitListExpr(InitListExpr *L) {
    if (!L->isSemanticForm())
      L = L->getSemanticForm();
    const RecordDecl *R = L ? L->getType()->getAsRecordDecl() : nullptr;
    if (!R || T.isLibrary(R))
      return true;
    unsigned I = 0;
    if (const auto *C = dyn_cast<CXXRecordDecl>(R))
      I = C->getNumBases(); // their initialisers come first
    for (const FieldDecl *F : R->fields())
      if (I < L->getNumInits())
        hold(F, L->getInit(I++));
    return true;
  }

  /// The iterators between them are not visited.
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    holdEach(S->getLoopVariable(), S->getRangeInit());
    return true;
  }

  bool VisitFieldDecl(FieldDecl *F) {
    if (F->hasInClassInitializer() && F->getInClassInitializer())
      hold(F, F->getInClassInitializer());
    return true;
  }

  bool TraverseConstructorInitializer(CXXCtorInitializer *I) {
    if (const FieldDecl *F = I->getAnyMember())
      if (I->getInit())
        hold(F, I->getInit());
    return RecursiveASTVisitor::TraverseConstructorInitializer(I);
  }

  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *C) {
    if (C->getOperator() == OO_Equal)
      assign(C->getArg(0), C->getArg(1));
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->getOpcode() == BO_Assign)
      assign(B->getLHS(), B->getRHS());
    return true;
  }

  bool VisitCallExpr(CallExpr *C) {
    unsigned Skip = 0;
    const FunctionDecl *F = C->getDirectCallee();
    if (isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(F))
      Skip = 1;
    pass(F, C->arguments(), Skip);
    // v.push_back(lambda): whatever the container hands out later.
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
      if (F && T.isLibrary(F) && M->getImplicitObjectArgument())
        for (const Expr *A : C->arguments())
          assign(M->getImplicitObjectArgument(), A);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *C) {
    pass(C->getConstructor(), C->arguments(), 0);
    return true;
  }

private:
  void addClass(CXXRecordDecl *R) {
    if (R && (R = R->getDefinition()))
      Classes.insert(R);
  }

  void add(const FunctionDecl *F) {
    if (!F->isDependentContext() && !F->isTemplated() && F->hasBody() &&
        !T.isLibrary(F))
      Out.List.insert(F);
  }

  void addLambda(const LambdaExpr *L) {
    const CXXMethodDecl *Op = L->getCallOperator();
    if (const FunctionTemplateDecl *Generic =
            Op->getDescribedFunctionTemplate()) {
      for (const FunctionDecl *S : Generic->specializations())
        add(S);
      return;
    }
    add(Op);
  }

  template <class Range>
  void pass(const FunctionDecl *F, Range Arguments, unsigned Skip) {
    if (!F || T.isLibrary(F))
      return;
    if (const FunctionDecl *Definition = F->getDefinition())
      F = Definition;
    unsigned I = 0;
    for (const Expr *A : Arguments) {
      if (I >= Skip && I - Skip < F->getNumParams())
        hold(F->getParamDecl(I - Skip), A);
      ++I;
    }
  }

  void assign(const Expr *To, const Expr *From) {
    To = bare(To);
    if (const auto *R = dyn_cast<DeclRefExpr>(To))
      hold(R->getDecl(), From);
    else if (const auto *M = dyn_cast<MemberExpr>(To))
      hold(M->getMemberDecl(), From);
    else if (const auto *O = dyn_cast<CXXOperatorCallExpr>(To))
      if (O->getOperator() == OO_Subscript)
        assign(O->getArg(0), From);
  }

  void holdEach(const VarDecl *V, const Expr *E) {
    hold(V, E);
    if (const auto *D = dyn_cast<DecompositionDecl>(V))
      for (const BindingDecl *B : D->bindings())
        hold(B, E);
  }

  void hold(const ValueDecl *D, const Expr *E) {
    for (const FunctionDecl *F : Out.callables(E)) {
      auto &L = Out.Held[cast<ValueDecl>(D->getCanonicalDecl())];
      if (!llvm::is_contained(L, F)) {
        L.push_back(F);
        Grew = true;
      }
    }
  }

  Functions &Out;
  const semantics::Types &T;
};

} // namespace torchtidy::flow

Functions::Functions(ASTContext &Context, const semantics::Types &T) : T(T) {
  Collector C(*this, T);
  bool WholeFile = false;
  for (Decl *D : Context.getTraversalScope()) {
    if (auto *TU = dyn_cast<TranslationUnitDecl>(D)) {
      WholeFile = true;
      for (Decl *X : TU->decls())
        if (!T.isLibrary(X))
          Scope.push_back(X);
    } else if (!T.isLibrary(D)) {
      Scope.push_back(D);
    }
  }
  // A callable may pass through variables, parameters and queues.
  constexpr int MaxRounds = 4;
  C.Grew = true;
  for (int Round = 0; Round < MaxRounds && C.Grew; ++Round) {
    C.Grew = false;
    for (Decl *D : Scope)
      C.TraverseDecl(D);
    if (WholeFile || Round)
      continue;
    // The scope of an editor is one file; what the other methods of its classes
    // do stands in headers.
    const SourceManager &SM = Context.getSourceManager();
    for (unsigned I = 0; I < C.Classes.size(); ++I) {
      CXXRecordDecl *R = C.Classes[I];
      if (SM.isInMainFile(SM.getExpansionLoc(R->getLocation())) ||
          T.isLibrary(R))
        continue;
      Scope.push_back(R);
      C.TraverseDecl(R); // may find further bases
    }
  }
}

Functions::Targets Functions::callables(const Expr *E) const {
  Targets R;
  if (!E)
    return R;
  if (const LambdaExpr *L = lambdaOf(E)) {
    const CXXMethodDecl *Op = L->getCallOperator();
    if (const FunctionTemplateDecl *G = Op->getDescribedFunctionTemplate())
      R.append(G->spec_begin(), G->spec_end());
    else
      R.push_back(Op);
    return R;
  }
  E = bare(E);
  for (unsigned Depth = 0; Depth < 6; ++Depth) {
    if (const auto *C = dyn_cast<CXXConstructExpr>(E);
        C && C->getNumArgs() >= 1)
      E = bare(C->getArg(0));
    else if (const auto *C = dyn_cast<CallExpr>(E);
             C && C->getNumArgs() == 1 && C->getDirectCallee() &&
             C->getDirectCallee()->isInStdNamespace())
      E = bare(C->getArg(0));
    else
      break;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    E = bare(U->getSubExpr());
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl()))
      R.push_back(F);
    else
      R = callables(D->getDecl());
  } else if (const Expr *Source = sourceOfCallable(E, T)) {
    return callables(Source);
  } else if (const auto *M = dyn_cast<MemberExpr>(E)) {
    R = callables(M->getMemberDecl());
  }
  return R;
}

const FunctionDecl *Functions::definition(const FunctionDecl *F) const {
  if (!F)
    return nullptr;
  const FunctionDecl *D = nullptr;
  if (Foreign.contains(F->getCanonicalDecl()))
    return F->getCanonicalDecl();
  if (!F->hasBody(D) || !D || D->isDependentContext() || D->isTemplated() ||
      T.isLibrary(D))
    return nullptr;
  return D;
}

void Functions::addOverrider(const FunctionDecl *Base, const FunctionDecl *F) {
  if (const auto *M = dyn_cast<CXXMethodDecl>(Base))
    if (auto &Known = Overriders[M->getCanonicalDecl()];
        !llvm::is_contained(Known, F))
      Known.push_back(F);
}

Functions::Targets Functions::overriders(const CXXMethodDecl *M) const {
  Targets R;
  for (const FunctionDecl *O : Overriders.lookup(M->getCanonicalDecl())) {
    if (const FunctionDecl *D = definition(O))
      if (!llvm::is_contained(R, D))
        R.push_back(D);
    const auto *Method = dyn_cast<CXXMethodDecl>(O);
    for (const FunctionDecl *Deeper : Method ? overriders(Method) : Targets())
      if (!llvm::is_contained(R, Deeper))
        R.push_back(Deeper);
  }
  return R;
}
