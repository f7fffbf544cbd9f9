//===- Structure.cpp - Loops and parents of a function --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Structure.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy::flow;

bool torchtidy::flow::isLoop(const Stmt *S) {
  return isa_and_nonnull<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

const Stmt *torchtidy::flow::loopBody(const Stmt *L) {
  if (const auto *F = dyn_cast<ForStmt>(L))
    return F->getBody();
  if (const auto *F = dyn_cast<CXXForRangeStmt>(L))
    return F->getBody();
  if (const auto *W = dyn_cast<WhileStmt>(L))
    return W->getBody();
  if (const auto *D = dyn_cast<DoStmt>(L))
    return D->getBody();
  return nullptr;
}

Structure::Structure(const FunctionDecl *F) : Body(F->getBody()) {
  if (const auto *C = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer *I : C->inits())
      if (I->getInit())
        visit(I->getInit());
  if (Body)
    visit(Body);
}

Structure::Structure(const Stmt *Body) : Body(Body) { visit(Body); }

void Structure::visit(const Stmt *S) {
  if (const auto *E = dyn_cast<Expr>(S))
    Errors |= E->containsErrors();
  if (const auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *X : D->decls()) {
      Errors |= X->isInvalidDecl();
      if (const auto *V = dyn_cast<VarDecl>(X))
        Declarations[V] = S;
    }
  if (const auto *D = dyn_cast<OMPExecutableDirective>(S))
    HasRegions |= isOpenMPParallelDirective(D->getDirectiveKind());
  auto Child = [&](const Stmt *C) {
    if (!C)
      return;
    Parents[C] = S;
    visit(C);
  };
  if (const auto *L = dyn_cast<LambdaExpr>(S)) {
    for (const LambdaCapture &C : L->captures()) {
      if (!C.capturesVariable())
        continue;
      Captured.insert(cast<ValueDecl>(C.getCapturedVar()->getCanonicalDecl()));
      if (L->isInitCapture(&C))
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          Declarations[V] = S;
    }
    for (const Expr *Init : L->capture_inits())
      Child(Init);
    return;
  }
  if (const auto *C = dyn_cast<CapturedStmt>(S))
    Child(C->getCapturedStmt()); // none of its children
  for (const Stmt *C : S->children())
    Child(C);
}

bool Structure::hasErrors(const ASTContext &Context) const {
  return Errors || (Context.getDiagnostics().hasUncompilableErrorOccurred() &&
                    Body && hasHoles(Body, Context));
}

bool Structure::hasHoles(const Stmt *S, const ASTContext &Context) const {
  const SourceManager &SM = Context.getSourceManager();
  const LangOptions &Lang = Context.getLangOpts();
  if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
    SourceLocation From = Block->getLBracLoc();
    auto OnlySemicolons = [&](SourceLocation To) {
      while (From.isFileID() && To.isFileID()) {
        std::optional<Token> Next = Lexer::findNextToken(From, SM, Lang);
        if (!Next || !SM.isBeforeInTranslationUnit(Next->getLocation(), To))
          return true;
        if (Next->isNot(tok::semi))
          return false;
        From = Next->getLocation();
      }
      return true;
    };
    for (const Stmt *Child : Block->body()) {
      if (!OnlySemicolons(Child->getBeginLoc()))
        return true;
      From = SM.getExpansionRange(Child->getEndLoc()).getEnd();
    }
    if (!OnlySemicolons(Block->getRBracLoc()))
      return true;
  }
  if (isa<LambdaExpr>(S))
    return false; // a function of its own
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return Child && hasHoles(Child, Context);
  });
}

bool torchtidy::flow::picksThread(const Stmt *Region) {
  return isa_and_nonnull<OMPMasterDirective, OMPMaskedDirective,
                         OMPSingleDirective>(Region);
}

const Stmt *Structure::parallelRegion(const Stmt *S) const {
  if (!HasRegions)
    return nullptr;
  const Stmt *Picked = nullptr;
  for (const Stmt *X = S; X; X = parent(X)) {
    const auto *D = dyn_cast<OMPExecutableDirective>(X);
    if (!D || D == S)
      continue;
    if (isOpenMPParallelDirective(D->getDirectiveKind()))
      return Picked ? Picked : D;
    if (picksThread(D) && !Picked)
      Picked = D;
  }
  return nullptr;
}

bool Structure::contains(const Stmt *Outer, const Stmt *Inner) const {
  for (const Stmt *S = Inner; S; S = parent(S))
    if (S == Outer)
      return true;
  return false;
}

bool Structure::repeats(const Stmt *Loop, const Stmt *S) const {
  const Stmt *Below = nullptr;
  for (const Stmt *X = S; X && X != Loop; X = parent(X))
    Below = X;
  if (!Below || parent(Below) != Loop)
    return false;
  if (const auto *F = dyn_cast<ForStmt>(Loop))
    return Below != F->getInit();
  if (const auto *R = dyn_cast<CXXForRangeStmt>(Loop))
    return Below == R->getBody() || Below == R->getLoopVarStmt();
  return true;
}

llvm::SmallVector<const Stmt *, 4> Structure::loopsAround(const Stmt *S) const {
  llvm::SmallVector<const Stmt *, 4> Loops;
  for (const Stmt *X = S ? parent(S) : nullptr; X; X = parent(X))
    if (isLoop(X) && repeats(X, S))
      Loops.push_back(X);
  return Loops;
}

const Stmt *Structure::statement(const Stmt *S) const {
  while (const Stmt *P = parent(S)) {
    if (isa<CompoundStmt, IfStmt, SwitchStmt, CaseStmt, DefaultStmt, LabelStmt,
            CXXTryStmt, CXXCatchStmt>(P) ||
        isLoop(P))
      return S;
    S = P;
  }
  return S;
}

namespace {

/// Does the tree write V?
bool writes(const Stmt *S, const VarDecl *V) {
  if (!S)
    return false;
  auto Names = [&](const Expr *E) {
    const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return R && R->getDecl() == V;
  };
  if (const auto *B = dyn_cast<BinaryOperator>(S))
    if (B->isAssignmentOp() && Names(B->getLHS()))
      return true;
  if (const auto *U = dyn_cast<UnaryOperator>(S))
    if (U->isIncrementDecrementOp() && Names(U->getSubExpr()))
      return true;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S))
    if ((O->isAssignmentOp() || O->getOperator() == OO_PlusPlus) &&
        Names(O->getArg(0)))
      return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return writes(C, V); });
}

/// Leaves this round of a loop: its last statement is continue, break, return.
bool leavesRound(const Stmt *S) {
  if (const auto *C = dyn_cast_or_null<CompoundStmt>(S))
    S = C->body_empty() ? nullptr : C->body_back();
  return isa_and_nonnull<ContinueStmt, BreakStmt, ReturnStmt>(S);
}

} // namespace

bool Structure::variesIn(const Expr *E, const Stmt *Loop) const {
  if (!E)
    return false;
  if (!isLoop(Loop))
    return true; // an algorithm: its callable is called with other values
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl())) {
      if (V->getType().isConstQualified() && !declaration(V))
        return false;
      if (const Stmt *D = declaration(V))
        if (contains(Loop, D))
          return true;
      return writes(Loop, V);
    }
  // What a call yields may differ each time, unless it is a plain observer.
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    if (isa<BindingDecl>(R->getDecl()))
      return true;
  for (const Stmt *C : E->children())
    if (const auto *X = dyn_cast_or_null<Expr>(C))
      if (variesIn(X, Loop))
        return true;
  return false;
}

bool Structure::leavesAfter(const Stmt *S, const Stmt *Loop) const {
  const Stmt *Breakable = nullptr; // what a break here would leave
  for (const Stmt *X = S; X && X != Loop; X = parent(X)) {
    if (isLoop(X) || isa<SwitchStmt>(X))
      Breakable = X;
    const auto *Block = dyn_cast_or_null<CompoundStmt>(parent(X));
    if (!Block || Block->body_empty())
      continue;
    const Stmt *Last = Block->body_back();
    if (isa<ReturnStmt, CXXThrowExpr>(Last) ||
        (isa<BreakStmt>(Last) && !Breakable))
      return true;
  }
  return false;
}

unsigned Structure::constantTrips(const Stmt *Loop, const ASTContext &Context) {
  const auto *F = dyn_cast_or_null<ForStmt>(Loop);
  if (!F || !F->getCond() || !F->getInit())
    return 0;
  const auto *B = dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts());
  if (!B || (B->getOpcode() != BO_LT && B->getOpcode() != BO_LE))
    return 0;
  Expr::EvalResult R;
  if (B->getRHS()->isValueDependent() ||
      !B->getRHS()->EvaluateAsInt(R, Context))
    return 0;
  int64_t N = R.Val.getInt().getExtValue() + (B->getOpcode() == BO_LE);
  return N > 0 && N < (1 << 30) ? unsigned(N) : 0;
}

llvm::SmallVector<const Expr *, 4>
Structure::conditions(const Stmt *S, const Stmt *Loop) const {
  llvm::SmallVector<const Expr *, 4> Result;
  for (const Stmt *X = S; X && X != Loop; X = parent(X)) {
    const Stmt *P = parent(X);
    if (const auto *If = dyn_cast_or_null<IfStmt>(P))
      if (X == If->getThen() || X == If->getElse())
        Result.push_back(If->getCond());
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(P))
      if (B->isLogicalOp() && X == B->getRHS())
        Result.push_back(B->getLHS());
    if (const auto *C = dyn_cast_or_null<ConditionalOperator>(P))
      if (X != C->getCond())
        Result.push_back(C->getCond());
    if (const auto *Block = dyn_cast_or_null<CompoundStmt>(P))
      for (const Stmt *Sibling : Block->body()) {
        if (Sibling == X)
          break;
        if (const auto *If = dyn_cast<IfStmt>(Sibling))
          if (leavesRound(If->getThen()))
            Result.push_back(If->getCond());
      }
  }
  return Result;
}
