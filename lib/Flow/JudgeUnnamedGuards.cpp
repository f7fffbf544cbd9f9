//===- JudgeUnnamedGuards.cpp - Guards that die at once -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/FreeNames.h"
#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::GuardKind;

namespace {

class Judge {
public:
  Judge(const Analysis &A, const FunctionFacts &X,
        std::vector<UnnamedGuard> &Result)
      : A(A), X(X), Result(Result), Free(X.Shape->body()) {
    collect(X.Shape->body());
  }

  void visit(const Stmt *S) {
    if (!S || isa<LambdaExpr>(S)) // its body is a function of its own
      return;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Y : D->decls())
        if (const auto *F = dyn_cast<FunctionDecl>(Y))
          declared(F, D);
    if (const auto *E = dyn_cast<Expr>(S))
      if (isMade(E))
        if (const Stmt *Discarded = discarded(E))
          lost(E, Discarded);
    for (const Stmt *C : S->children())
      visit(C);
  }

private:
  /// Functions that are used.
  void collect(const Stmt *S) {
    if (!S)
      return;
    if (const auto *R = dyn_cast<DeclRefExpr>(S))
      Used.insert(R->getDecl()->getCanonicalDecl());
    for (const Stmt *C : S->children())
      collect(C);
  }

  /// Does the expression make a guard? Not what wraps, copies or moves one.
  bool isMade(const Expr *E) const {
    if (!E->isPRValue() || !A.T.isScopeGuard(E->getType()))
      return false;
    if (const auto *C = dyn_cast<CXXConstructExpr>(E))
      return !C->getConstructor()->isCopyOrMoveConstructor() ||
             !isMade(skipNoise(C->getArg(0)));
    if (isa<InitListExpr>(E)) // of an aggregate
      return true;
    const auto *C = dyn_cast<CallExpr>(E);
    if (!C || isa<CXXOperatorCallExpr>(C))
      return false;
    // What hands out a handle may let go of a guard that was held: dropping
    // that ends it.
    const bool IsHandle =
        E->getType()->getAsCXXRecordDecl() != A.T.pointee(E->getType());
    return !IsHandle || semantics::makesHandle(C) ||
           (!isa<CXXMemberCallExpr>(C) && C->getNumArgs() == 0);
  }

  /// Does anything run while the guard of an earlier operand still lives?
  bool works(const Stmt *S) const {
    if (!S)
      return false;
    if (const auto *E = dyn_cast<Expr>(S)) {
      const bool Runs = isa<CallExpr, CXXConstructExpr, CXXNewExpr,
                            CXXDeleteExpr, CoroutineSuspendExpr>(E);
      if (Runs && !A.T.isScopeGuard(E->getType()))
        return true;
    }
    return llvm::any_of(S->children(), [&](const Stmt *C) { return works(C); });
  }

  /// The statement at whose end the guard dies unused, or null.
  const Stmt *discarded(const Expr *E) const {
    const Stmt *Child = E;
    for (const Stmt *P = X.Shape->parent(E); P;
         Child = P, P = X.Shape->parent(P)) {
      if (isa<FullExpr, ParenExpr, CXXBindTemporaryExpr,
              MaterializeTemporaryExpr, CastExpr, AbstractConditionalOperator,
              InitListExpr>(P)) {
        if (const auto *C = dyn_cast<AbstractConditionalOperator>(P))
          if (C->getCond() == Child)
            return nullptr;
        continue;
      }
      if (const auto *C = dyn_cast<CXXConstructExpr>(P)) {
        if (!C->getConstructor()->isCopyOrMoveConstructor())
          return nullptr;
        continue;
      }
      if (const auto *B = dyn_cast<BinaryOperator>(P)) {
        if (B->getOpcode() != BO_Comma ||
            (B->getLHS() == Child && works(B->getRHS())))
          return nullptr;
        continue;
      }
      if (const auto *O = dyn_cast<CXXOperatorCallExpr>(P)) {
        if (!semantics::isIgnored(O))
          return nullptr;
        continue;
      }
      return isStatementOf(P, Child) ? Child : nullptr;
    }
    return nullptr;
  }

  bool isStatementOf(const Stmt *P, const Stmt *Child) const {
    if (const auto *C = dyn_cast<CompoundStmt>(P))
      return !isa_and_nonnull<StmtExpr>(X.Shape->parent(P)) ||
             C->body_back() != Child; // else the value of ({ ... })
    if (const auto *I = dyn_cast<IfStmt>(P))
      return I->getCond() != Child;
    if (const auto *I = dyn_cast<SwitchStmt>(P))
      return I->getCond() != Child;
    if (const auto *F = dyn_cast<ForStmt>(P))
      return F->getCond() != Child;
    if (const auto *R = dyn_cast<CXXForRangeStmt>(P))
      return R->getBody() == Child || R->getInit() == Child;
    if (const auto *W = dyn_cast<WhileStmt>(P))
      return W->getBody() == Child;
    if (const auto *D = dyn_cast<DoStmt>(P))
      return D->getBody() == Child;
    return isa<LabelStmt, SwitchCase, AttributedStmt>(P);
  }

  /// `torch::NoGradGuard guard();`
  void declared(const FunctionDecl *F, const DeclStmt *D) {
    if (F->getStorageClass() != SC_None || F->isDefined() ||
        !A.T.isScopeGuard(F->getReturnType()) ||
        Used.count(F->getCanonicalDecl()))
      return;
    // A function of that name elsewhere: this may be its declaration.
    for (const NamedDecl *Other :
         A.Context.getTranslationUnitDecl()->lookup(F->getDeclName()))
      if (isa<FunctionDecl>(Other) &&
          Other->getCanonicalDecl() != F->getCanonicalDecl())
        return;
    UnnamedGuard R = at(D, F->getReturnType());
    R.How = UnnamedGuard::Declaration;
    R.Function = F;
    const CXXRecordDecl *Class = A.T.pointee(F->getReturnType());
    R.NamingIsEnough = Class && takesNothing(Class) && F->param_empty();
    add(std::move(R), F->getLocation());
  }

  static bool takesNothing(const CXXRecordDecl *R) {
    return llvm::any_of(R->ctors(),
                        [](const CXXConstructorDecl *C) {
                          return C->getMinRequiredArguments() == 0 &&
                                 !C->isDeleted();
                        }) ||
           R->needsImplicitDefaultConstructor();
  }

  void lost(const Expr *E, const Stmt *Statement) {
    const SourceManager &SM = A.Context.getSourceManager();
    // Whoever wrote the macro decided what becomes of its argument.
    if (SM.isMacroArgExpansion(E->getBeginLoc()))
      return;
    UnnamedGuard R = at(Statement, E->getType());
    R.Made = E;
    R.How = isa<CallExpr>(E) ? UnnamedGuard::Result : UnnamedGuard::Temporary;
    // Alone in its statement, in a block that goes on.
    R.NamingIsEnough =
        isa_and_nonnull<CompoundStmt>(X.Shape->parent(Statement)) &&
        isAlone(Statement, E);
    if (const auto *Block =
            dyn_cast_or_null<CompoundStmt>(X.Shape->parent(Statement)))
      R.StockCheckSees = R.How == UnnamedGuard::Temporary &&
                         Block->body_back() != Statement &&
                         !E->getBeginLoc().isMacroID() &&
                         isBare(Statement, E) && !isInstantiated();
    add(std::move(R), E->getBeginLoc());
  }

  bool isInstantiated() const {
    return X.F->isTemplateInstantiation() ||
           X.F->getTemplateInstantiationPattern();
  }

  /// Only casts, also to void, between the statement and the guard.
  bool isAlone(const Stmt *Statement, const Expr *E) const {
    for (const Stmt *S = E; S != Statement; S = X.Shape->parent(S))
      if (isa<BinaryOperator, AbstractConditionalOperator, CXXOperatorCallExpr>(
              X.Shape->parent(S)))
        return false;
    return true;
  }

  bool isBare(const Stmt *Statement, const Expr *E) const {
    for (const Stmt *S = E; S != Statement;) {
      S = X.Shape->parent(S);
      if (!isa<ExprWithCleanups, CXXBindTemporaryExpr, CXXFunctionalCastExpr>(
              S))
        return false;
    }
    return true;
  }

  UnnamedGuard at(const Stmt *Statement, QualType T) const {
    UnnamedGuard R;
    R.Type = T;
    R.In = X.F;
    R.Statement = Statement;
    R.Kind = A.T.guardKind(T);
    const Stmt *P = X.Shape->parent(Statement);
    while (P && !isa<CompoundStmt>(P))
      P = X.Shape->parent(P);
    R.Block = cast_or_null<CompoundStmt>(P);
    return R;
  }

  void add(UnnamedGuard R, SourceLocation Loc) {
    R.Loc = Loc;
    R.TurnsOff = R.Kind == GuardKind::NoGrad ||
                 R.Kind == GuardKind::Inference ||
                 (R.Kind == GuardKind::AutoGrad && R.Made &&
                  constantArgument(R.Made) == false);
    R.CoversTraining =
        R.Kind != GuardKind::None && R.Block && needsGrad(A, X, R.Block);
    const char *Base = R.Kind == GuardKind::NoGrad      ? "no_grad"
                       : R.Kind == GuardKind::Inference ? "inference_mode"
                       : R.Kind == GuardKind::AutoGrad  ? "grad_mode"
                                                        : "guard";
    R.FreeName = Free.take(Base);
    Result.push_back(std::move(R));
  }

  std::optional<bool> constantArgument(const Expr *E) const {
    const auto *C = dyn_cast<CXXConstructExpr>(E);
    bool Value = false;
    if (!C || C->getNumArgs() != 1 || C->getArg(0)->isValueDependent() ||
        !C->getArg(0)->EvaluateAsBooleanCondition(Value, A.Context))
      return std::nullopt;
    return Value;
  }

  const Analysis &A;
  const FunctionFacts &X;
  std::vector<UnnamedGuard> &Result;
  llvm::SmallPtrSet<const Decl *, 16> Used;
  FreeNames Free;
};

} // namespace

std::vector<UnnamedGuard> torchtidy::flow::judgeUnnamedGuards(const Analysis &A,
                                                              const Chains &C) {
  std::vector<UnnamedGuard> Result;
  for (const FunctionFacts *X : C.functions())
    if (X->Shape->body())
      Judge(A, *X, Result).visit(X->Shape->body());
  // One report for all instantiations; a fix only if all agree.
  std::map<SourceLocation, UnnamedGuard> ByPlace;
  for (UnnamedGuard &R : Result) {
    auto [It, New] = ByPlace.try_emplace(R.Loc, R);
    if (New)
      continue;
    It->second.CoversTraining |= R.CoversTraining;
    It->second.NamingIsEnough &= R.NamingIsEnough;
    if (It->second.FreeName.size() < R.FreeName.size())
      It->second.FreeName = R.FreeName;
  }
  Result.clear();
  for (auto &[Loc, R] : ByPlace)
    Result.push_back(std::move(R));
  return Result;
}
