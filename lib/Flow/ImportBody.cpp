//===- ImportBody.cpp - Bodies of other files -----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ImportBody.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace torchtidy::flow;
using portable::Node;
using portable::NodeRef;

const Stmt *ImportBody::body(NodeRef Root, const FunctionDecl *F) {
  Current = F;
  Stmt *S = make(Root);
  Current = nullptr;
  return S;
}

const Expr *ImportBody::known(NodeRef N) const {
  return N && N <= Made.size() ? dyn_cast_or_null<Expr>(Made[N - 1]) : nullptr;
}

const Expr *ImportBody::expr(NodeRef N) {
  if (!N || N > Made.size())
    return nullptr;
  if (!Made[N - 1])
    Made[N - 1] = makeExpr(M.Nodes[N - 1]);
  return dyn_cast<Expr>(Made[N - 1]);
}

Expr *ImportBody::opaque(SourceLocation L, QualType T) const {
  return new (A.Context) OpaqueValueExpr(L, T, VK_PRValue);
}

Stmt *ImportBody::part(const Node &X, size_t I) {
  return I < X.Children.size() ? make(X.Children[I]) : nullptr;
}

Expr *ImportBody::condition(NodeRef N) {
  if (auto *E = dyn_cast_or_null<Expr>(make(N)))
    return E;
  return opaque({}, A.Context.BoolTy);
}

CompoundStmt *ImportBody::block(NodeRef N) {
  Stmt *S = make(N);
  if (auto *Block = dyn_cast_or_null<CompoundStmt>(S))
    return Block;
  llvm::SmallVector<Stmt *, 1> Only;
  if (S)
    Only.push_back(S);
  return CompoundStmt::Create(A.Context, Only, FPOptionsOverride(), {}, {});
}

/// Children stand before their parents, so this ends. A node has one parent; of
/// a file that gives it two, the second finds none.
Stmt *ImportBody::make(NodeRef N) {
  if (!N || N > Made.size() || Made[N - 1])
    return nullptr;
  const Node &X = M.Nodes[N - 1];
  Stmt *S = X.K < Node::Throw ? makeStatement(X) : makeExpr(X);
  Owner[N - 1] = Current;
  return Made[N - 1] = S;
}

Stmt *ImportBody::makeStatement(const Node &X) {
  ASTContext &C = A.Context;
  const SourceLocation L = Names.location(M, X.Where);
  const SourceLocation End = Names.location(M, X.End);
  auto Child = [&](size_t I) {
    return I < X.Children.size() ? X.Children[I] : 0;
  };
  switch (X.K) {
  case Node::If: {
    Stmt *Init = part(X, 0);
    Expr *Cond = condition(Child(1));
    Stmt *Then = block(Child(2));
    Stmt *Else = part(X, 3);
    return IfStmt::Create(C, L, IfStatementKind::Ordinary, Init, nullptr, Cond,
                          L, L, Then, L, Else);
  }
  case Node::For: {
    Stmt *Init = part(X, 0);
    Expr *Cond = condition(Child(1));
    Expr *Inc = condition(Child(2));
    auto *S =
        new (C) ForStmt(C, Init, Cond, nullptr, Inc, block(Child(3)), L, L, L);
    if (X.OverModules)
      A.ModuleLoops.insert(S);
    return S;
  }
  case Node::ForRange: {
    Expr *Range = condition(Child(0));
    DeclContext *In =
        Current ? const_cast<FunctionDecl *>(Current)
                : static_cast<DeclContext *>(C.getTranslationUnitDecl());
    auto Declared = [&](VarDecl *V) {
      return new (C) DeclStmt(DeclGroupRef(V), L, L);
    };
    auto *Over =
        VarDecl::Create(C, In, L, L, nullptr, C.IntTy, nullptr, SC_None);
    Over->setInit(Range);
    const auto *V = dyn_cast_or_null<VarDecl>(Names.decl(M, X.D));
    auto *Each =
        V ? const_cast<VarDecl *>(V)
          : VarDecl::Create(C, In, L, L, nullptr, C.IntTy, nullptr, SC_None);
    auto *S = new (C)
        CXXForRangeStmt(nullptr, Declared(Over), nullptr, nullptr, nullptr,
                        nullptr, Declared(Each), block(Child(1)), L, {}, L, L);
    if (X.OverModules)
      A.ModuleLoops.insert(S);
    return S;
  }
  case Node::While: {
    Expr *Cond = condition(Child(0));
    return WhileStmt::Create(C, nullptr, Cond, block(Child(1)), L, L, L);
  }
  case Node::Do: {
    Stmt *Body = block(Child(0));
    return new (C) DoStmt(Body, condition(Child(1)), L, L, L);
  }
  case Node::Switch: {
    auto *S =
        SwitchStmt::Create(C, nullptr, nullptr, condition(Child(0)), L, L);
    S->setBody(block(Child(1)), L);
    return S;
  }
  case Node::Try: {
    CompoundStmt *Tried = block(Child(0));
    llvm::SmallVector<Stmt *, 2> Handlers;
    for (size_t I = 1; I < X.Children.size(); ++I)
      if (auto *H = dyn_cast_or_null<CXXCatchStmt>(make(X.Children[I])))
        Handlers.push_back(H);
    return CXXTryStmt::Create(C, L, Tried, Handlers);
  }
  case Node::Handler:
    return new (C) CXXCatchStmt(L, nullptr, block(Child(0)));
  case Node::Return:
    return ReturnStmt::Create(C, L, dyn_cast_or_null<Expr>(part(X, 0)),
                              nullptr);
  case Node::Variable: {
    const auto *D = dyn_cast_or_null<VarDecl>(Names.decl(M, X.D));
    if (!D)
      break;
    auto *V = const_cast<VarDecl *>(D);
    llvm::SmallVector<Expr *, 2> Parts;
    for (NodeRef Each : X.Children)
      if (auto *E = dyn_cast_or_null<Expr>(make(Each)))
        Parts.push_back(E);
    // Of a function that this file defines as well, it may have one.
    if (!Parts.empty() && !V->hasInit())
      V->setInit(Parts.size() == 1
                     ? Parts.front()
                     : CallExpr::Create(C, opaque(L, V->getType()), Parts,
                                        V->getType(), VK_PRValue, L,
                                        FPOptionsOverride()));
    return new (C) DeclStmt(DeclGroupRef(V), L, End);
  }
  case Node::Break:
    return new (C) BreakStmt(L);
  case Node::Continue:
    return new (C) ContinueStmt(L);
  default:
    break;
  }
  llvm::SmallVector<Stmt *, 8> Parts;
  for (NodeRef Each : X.Children)
    if (Stmt *S = make(Each))
      Parts.push_back(S);
  return CompoundStmt::Create(C, Parts, FPOptionsOverride(), L, End);
}

Expr *ImportBody::makeExpr(const Node &X) {
  ASTContext &C = A.Context;
  const SourceLocation L = Names.location(M, X.Where);
  llvm::SmallVector<Expr *, 4> Parts;
  for (NodeRef Each : X.Children)
    if (auto *E = dyn_cast_or_null<Expr>(make(Each)))
      Parts.push_back(E);
  const auto *D = Names.decl(M, X.D);
  const QualType T = Names.type(X.Type);
  switch (X.K) {
  case Node::Throw:
    return new (C) CXXThrowExpr(nullptr, C.VoidTy, L, false);
  case Node::Binary:
    if (Parts.size() == 2 && X.Value >= BO_MulAssign && X.Value <= BO_OrAssign)
      return CompoundAssignOperator::Create(
          C, Parts[0], Parts[1], BinaryOperatorKind(X.Value), T, VK_PRValue,
          OK_Ordinary, L, FPOptionsOverride(), T, T);
    if (Parts.size() == 2 && X.Value >= 0 && X.Value <= BO_Comma)
      return BinaryOperator::Create(C, Parts[0], Parts[1],
                                    BinaryOperatorKind(X.Value), T, VK_PRValue,
                                    OK_Ordinary, L, FPOptionsOverride());
    break;
  case Node::Unary:
    if (Parts.size() == 1 && X.Value >= 0 && X.Value <= UO_LNot)
      return UnaryOperator::Create(C, Parts[0], UnaryOperatorKind(X.Value), T,
                                   VK_PRValue, OK_Ordinary, L, false,
                                   FPOptionsOverride());
    break;
  case Node::Integer:
    return IntegerLiteral::Create(
        C, llvm::APInt(32, uint64_t(X.Value), /*isSigned=*/true), C.IntTy, L);
  case Node::Reference:
    if (const auto *V = dyn_cast_or_null<VarDecl>(D))
      return DeclRefExpr::Create(C, NestedNameSpecifierLoc(), {},
                                 const_cast<VarDecl *>(V), false, L,
                                 V->getType().getNonReferenceType(), VK_LValue);
    break;
  case Node::Member:
    if (const auto *F = dyn_cast_or_null<FieldDecl>(D))
      return MemberExpr::CreateImplicit(
          C, Parts.empty() ? opaque(L, T) : Parts.front(), false,
          const_cast<FieldDecl *>(F), F->getType().getNonReferenceType(),
          VK_LValue, OK_Ordinary);
    break;
  default:
    break;
  }
  if (Parts.empty())
    return opaque(L, T);
  // An expression with parts, of which nothing else is said.
  return CallExpr::Create(C, opaque(L, T), Parts, T, VK_PRValue, L,
                          FPOptionsOverride());
}
