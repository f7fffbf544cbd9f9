//===- ExportBody.cpp - Bodies for other files ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ExportBody.h"
#include "Flow/Transfer.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using portable::Node;
using portable::NodeRef;

portable::TypeClass torchtidy::flow::typeClass(QualType T) {
  if (T.isNull())
    return portable::TypeClass::Other;
  T = T.getNonReferenceType();
  return T->isBooleanType()        ? portable::TypeClass::Boolean
         : T->isIntegerType()      ? portable::TypeClass::Integer
         : T->isRealFloatingType() ? portable::TypeClass::Floating
                                   : portable::TypeClass::Other;
}

void BodyExporter::number(const Stmt *S) {
  if (!S)
    return;
  auto Name = [&](const ValueDecl *D) {
    if (!isa<VarDecl, FieldDecl, BindingDecl>(D) || A.T.isLibrary(D))
      return;
    const portable::DeclRef Number = Decl(D);
    if (const auto *V = dyn_cast<VarDecl>(D);
        isa<FieldDecl>(D) || (V && V->hasGlobalStorage()))
      Mentions.insert(Number);
  };
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    Name(R->getDecl());
  if (const auto *X = dyn_cast<MemberExpr>(S))
    Name(X->getMemberDecl());
  if (const auto *D = dyn_cast<DeclStmt>(S))
    for (const auto *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X)) {
        Name(V);
        if (const auto *Parts = dyn_cast<DecompositionDecl>(V))
          for (const BindingDecl *B : Parts->bindings())
            Name(B);
      }
  for (const Stmt *Child : S->children())
    number(Child);
}

NodeRef BodyExporter::add(const FunctionFacts &X) {
  (void)Decl(X.F);
  for (const ParmVarDecl *P : X.F->parameters())
    (void)Decl(P);
  const auto *C = dyn_cast<CXXConstructorDecl>(X.F);
  Node Root;
  Root.K = Node::Block;
  Root.Where = Where(X.F->getLocation());
  if (C)
    for (const CXXCtorInitializer *I : C->inits())
      if (I->getInit()) {
        if (const FieldDecl *F = I->getAnyMember())
          Mentions.insert(Decl(F));
        number(I->getInit());
        llvm::append_range(Root.Children, build(I->getInit(), false));
      }
  if (const Stmt *Body = X.Shape->body()) {
    number(Body);
    llvm::append_range(Root.Children, build(Body, false));
  }
  return append(nullptr, std::move(Root));
}

NodeRef BodyExporter::append(const Stmt *S, Node N) {
  M.Nodes.push_back(std::move(N));
  if (S)
    Nodes[S] = M.Nodes.size();
  return M.Nodes.size();
}

NodeRef BodyExporter::buildOne(const Stmt *S, bool Whole) {
  List L = S ? build(S, Whole) : List();
  if (L.size() == 1)
    return L.front();
  if (L.empty())
    return 0;
  Node N; // several parts of one expression, or a statement's
  N.K = isa<Expr>(S) ? Node::Opaque : Node::Block;
  N.Where = Where(S->getBeginLoc());
  N.Children = std::move(L);
  return append(S, std::move(N));
}

/// Control flow, which is always kept.
bool BodyExporter::statement(const Stmt *S, Node &N) {
  auto Part = [&](const Stmt *P, bool Whole = false) {
    N.Children.push_back(buildOne(P, Whole));
  };
  if (const auto *X = dyn_cast<CompoundStmt>(S)) {
    N.K = Node::Block;
    for (const Stmt *Child : X->body())
      llvm::append_range(N.Children, build(Child, false));
  } else if (const auto *X = dyn_cast<IfStmt>(S)) {
    N.K = Node::If;
    Part(X->getInit() ? X->getInit() : X->getConditionVariableDeclStmt());
    Part(X->getCond(), true);
    Part(X->getThen());
    Part(X->getElse());
  } else if (const auto *X = dyn_cast<ForStmt>(S)) {
    N.K = Node::For;
    Part(X->getInit(), true);
    Part(X->getCond(), true);
    Part(X->getInc(), true);
    Part(X->getBody());
  } else if (const auto *X = dyn_cast<CXXForRangeStmt>(S)) {
    N.K = Node::ForRange;
    N.D = Decl(X->getLoopVariable());
    Part(X->getRangeInit());
    Part(X->getBody());
  } else if (const auto *X = dyn_cast<WhileStmt>(S)) {
    N.K = Node::While;
    Part(X->getCond(), true);
    Part(X->getBody());
  } else if (const auto *X = dyn_cast<DoStmt>(S)) {
    N.K = Node::Do;
    Part(X->getBody());
    Part(X->getCond(), true);
  } else if (const auto *X = dyn_cast<SwitchStmt>(S)) {
    N.K = Node::Switch;
    Part(X->getCond(), true);
    Part(X->getBody());
  } else if (const auto *X = dyn_cast<CXXTryStmt>(S)) {
    N.K = Node::Try;
    Part(X->getTryBlock());
    for (unsigned I = 0; I < X->getNumHandlers(); ++I)
      Part(X->getHandler(I));
  } else if (const auto *X = dyn_cast<CXXCatchStmt>(S)) {
    N.K = Node::Handler;
    Part(X->getHandlerBlock());
  } else if (const auto *X = dyn_cast<ReturnStmt>(S)) {
    N.K = Node::Return;
    Part(X->getRetValue());
  } else if (isa<BreakStmt>(S)) {
    N.K = Node::Break;
  } else if (isa<ContinueStmt>(S)) {
    N.K = Node::Continue;
  } else {
    return false;
  }
  N.OverModules = isLoop(S) && A.loopsOverModules(S);
  return true;
}

void BodyExporter::expression(const Expr *E, Node &N) const {
  N.K = Node::Opaque;
  N.Type = typeClass(E->getType());
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    N.K = Node::Binary;
    N.Value = B->getOpcode();
  } else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    N.K = Node::Unary;
    N.Value = U->getOpcode();
  } else if (const auto *I = dyn_cast<IntegerLiteral>(E)) {
    if (I->getValue().getSignificantBits() <= 32) {
      N.K = Node::Integer;
      N.Value = I->getValue().getSExtValue();
    }
  } else if (const auto *R = dyn_cast<DeclRefExpr>(E)) {
    if (isa<VarDecl, BindingDecl>(R->getDecl()) &&
        !A.T.isLibrary(R->getDecl())) {
      N.K = Node::Reference;
      N.D = Decl(R->getDecl());
    }
  } else if (const auto *X = dyn_cast<MemberExpr>(E)) {
    if (isa<FieldDecl>(X->getMemberDecl()) &&
        !A.T.isLibrary(X->getMemberDecl())) {
      N.K = Node::Member;
      N.D = Decl(X->getMemberDecl());
    }
  }
}

BodyExporter::List BodyExporter::variables(const DeclStmt &S) {
  List All;
  for (const auto *D : S.decls())
    if (const auto *V = dyn_cast<VarDecl>(D)) {
      Node N;
      N.K = Node::Variable;
      N.Where = Where(V->getBeginLoc());
      N.End = Where(V->getEndLoc());
      N.D = Decl(V);
      if (V->getInit())
        N.Children = build(V->getInit(), true);
      All.push_back(append(S.isSingleDecl() ? &S : nullptr, std::move(N)));
    }
  return All;
}

BodyExporter::List BodyExporter::build(const Stmt *S, bool Whole) {
  if (!S)
    return {};
  Node N;
  N.Where = Where(S->getBeginLoc());
  N.End = Where(S->getEndLoc());
  const auto *E = dyn_cast<Expr>(S);
  if (const auto *D = dyn_cast<DeclStmt>(S))
    return variables(*D);
  if (!E) {
    if (statement(S, N))
      return {append(S, std::move(N))};
    List All;
    for (const Stmt *Child : S->children())
      llvm::append_range(All, build(Child, Whole));
    return All;
  }
  if (isa<CXXThrowExpr>(E)) {
    N.K = Node::Throw;
    return {append(S, std::move(N))};
  }
  const bool IsNoise = skipNoise(E) != E && !Used.contains(E);
  List Parts;
  if (const auto *L = dyn_cast<LambdaExpr>(E)) {
    for (const Expr *Init : L->capture_inits())
      llvm::append_range(Parts, build(Init, false));
  } else {
    for (const Stmt *Child : E->children())
      llvm::append_range(Parts, build(Child, Whole));
  }
  if (IsNoise || (!Whole && !Used.contains(E)))
    return Parts;
  expression(E, N);
  const bool Fits = N.K == Node::Binary   ? Parts.size() == 2
                    : N.K == Node::Unary  ? Parts.size() == 1
                    : N.K == Node::Opaque ? true
                    : N.K == Node::Member ? Parts.size() <= 1
                                          : Parts.empty();
  if (!Fits) {
    N.K = Node::Opaque;
    N.D = 0;
    N.Value = 0;
  }
  N.Children = std::move(Parts);
  return {append(S, std::move(N))};
}

NodeRef BodyExporter::node(const Expr *E) {
  if (!E)
    return 0;
  if (NodeRef Known = Nodes.lookup(E))
    return Known;
  Node N;
  expression(E, N);
  if (N.K != Node::Reference && N.K != Node::Integer)
    N = Node();
  N.Where = Where(E->getBeginLoc());
  N.End = Where(E->getEndLoc());
  return append(E, std::move(N));
}

bool BodyExporter::readsGradients(const FunctionFacts &X) const {
  std::function<bool(const Stmt *)> Reads = [&](const Stmt *S) {
    if (!S)
      return false;
    const auto *Call = dyn_cast<CXXMemberCallExpr>(S);
    return (Call && semantics::classify(Call, A.T, A.Names).Kind ==
                        semantics::CallKind::Gradient) ||
           llvm::any_of(S->children(), Reads);
  };
  return Reads(X.Shape->body());
}
