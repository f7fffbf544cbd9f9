//===- TransferValues.cpp - Values of expressions -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

const Expr *torchtidy::flow::skipNoise(const Expr *E) {
  while (E) {
    const Expr *X = E->IgnoreParens();
    if (const auto *C = dyn_cast<CastExpr>(X))
      X = C->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(X))
      X = M->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(X))
      X = B->getSubExpr();
    else if (const auto *F = dyn_cast<FullExpr>(X))
      X = F->getSubExpr();
    else if (const auto *I = dyn_cast<CXXStdInitializerListExpr>(X))
      X = I->getSubExpr();
    else if (const auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(X))
      X = S->getReplacement();
    else if (const auto *D = dyn_cast<CXXDefaultInitExpr>(X))
      X = D->getExpr();
    else if (const auto *C = dyn_cast<CXXConstructExpr>(X)) {
      // A copy or move has the value of its source.
      if (C->getNumArgs() >= 1 &&
          C->getConstructor()->isCopyOrMoveConstructor())
        X = C->getArg(0);
    } else if (const auto *L = dyn_cast<InitListExpr>(X)) {
      if (L->isTransparent() && L->getNumInits() == 1)
        X = L->getInit(0);
    }
    if (X == E)
      return E;
    E = X;
  }
  return E;
}

//===-- Recording ---------------------------------------------------------===//

Event *Transfer::record(Event::Kind K, const Expr *E) {
  if (!Recording)
    return nullptr;
  Event X;
  X.K = K;
  X.E = E;
  X.Grad = S->Grad;
  Facts.Events.push_back(std::move(X));
  return &Facts.Events.back();
}

void Transfer::flow(FlowNode From, FlowEdge E) {
  if (!Recording)
    return;
  for (FlowNode N : {From, E.To})
    if (N.K == FlowNode::Expression)
      A.Flow.own(static_cast<const Expr *>(N.P), Facts.F);
  A.Flow.add(From, E);
}

void Transfer::flow(FlowNode From, FlowNode To, bool Cut) {
  FlowEdge E{To};
  E.Cut = Cut;
  flow(From, E);
}

void Transfer::flow(const Expr *From, const Expr *To, bool Cut) {
  From = skipNoise(From);
  if (From && Recording && carries(From))
    flow(FlowNode::of(From), FlowNode::of(skipNoise(To)), Cut);
}

const VarDecl *Transfer::tracked(const Storage &Loc) const {
  const auto *V = dyn_cast_or_null<VarDecl>(Loc.Root);
  if (!V || !Loc.Path.empty() || !V->hasLocalStorage() ||
      V->getType()->isReferenceType() || !A.T.isTensor(V->getType()) ||
      Facts.Shape->isShared(V))
    return nullptr;
  const bool Own = isa<ParmVarDecl>(V)
                       ? llvm::is_contained(Facts.F->parameters(), V)
                       : Facts.isLocal(Loc);
  return Own ? V : nullptr;
}

void Transfer::flowInto(const Expr *From, const Storage &To, bool Whole) {
  From = skipNoise(From);
  if (!From || !To.valid())
    return;
  if (const VarDecl *V = tracked(To)) {
    auto &Known = S->Definitions[V];
    if (Whole)
      Known.clear();
    Known.insert(From);
    return flow(FlowNode::of(From), FlowNode::ofDefinition(From));
  }
  if (!Recording)
    return;
  if (auto N = nodeOf(To))
    flow(FlowNode::of(From), *N);
  if (To.Root && !To.Path.empty())
    flow(FlowNode::of(From), FlowNode::of(To.Root));
}

void Transfer::flowOut(const Storage &From, const Expr *To, bool Cut) {
  if (!Recording || !From.valid())
    return;
  if (const VarDecl *V = tracked(From))
    if (auto Known = S->Definitions.find(V); Known != S->Definitions.end())
      for (const Expr *Assigned : Known->second)
        flow(FlowNode::ofDefinition(Assigned), FlowNode::of(skipNoise(To)),
             Cut);
  if (auto N = nodeOf(From))
    flow(*N, FlowNode::of(skipNoise(To)), Cut);
  if (From.Root && !From.Path.empty())
    flow(FlowNode::of(From.Root), FlowNode::of(skipNoise(To)), Cut);
}

void Transfer::leaks(const Expr *E) {
  E = skipNoise(E);
  if (!Recording || !E || !carries(E))
    return;
  FlowEdge Out{FlowNode::escape()};
  Out.UnlessSeen = UnseenCallee;
  flow(FlowNode::of(E), Out);
}

//===-- Cells -------------------------------------------------------------===//

Cell Transfer::read(const Storage &Loc) const {
  return S->read(Loc, Facts.isLocal(Loc));
}

Cell Transfer::read(const Value &V) const {
  if (!V.H.empty())
    return {V.H, V.Shape, V.B};
  if (V.Loc.valid()) {
    Cell C = read(V.Loc);
    if (V.IsLeaf)
      C.H = History::leaf();
    return C;
  }
  return {History::none(), V.Shape, V.B};
}

void Transfer::write(const Storage &Loc, Cell C, bool Weak) {
  if (!Loc.valid())
    return;
  const bool Local = Facts.isLocal(Loc);
  if (const auto *V = dyn_cast_or_null<VarDecl>(Loc.Root))
    S->Needs.erase(V);
  if (const FieldDecl *F = Recording && Local ? Loc.lastField() : nullptr)
    A.LocalFields[F].emplace_back(Facts.F, C);
  S->write(Loc, std::move(C), Weak, Local);
}

//===-- Expressions -------------------------------------------------------===//

Value Transfer::value(const Expr *E) {
  E = skipNoise(E);
  if (!E)
    return {};
  auto It = Values.find(E);
  return It != Values.end() ? It->second : evaluate(E);
}

Value Transfer::reference(const ValueDecl *D, const Expr *E) {
  Value V;
  D = cast<ValueDecl>(D->getCanonicalDecl());
  auto Alias = A.Aliases.find(D);
  V.Loc = Alias != A.Aliases.end() ? Alias->second : Storage::of(D);
  V.IsGradient = A.Gradients.contains(D);
  V.IsParameter = A.Parameters.contains(D);
  V.IsLeaf = V.IsParameter && A.T.isTensor(E->getType());
  if (const auto *Var = dyn_cast<VarDecl>(D)) {
    auto Flag = S->Flags.find(Var);
    if (Flag != S->Flags.end())
      V.SavedMode = Flag->second;
    V.Needs = Alias == A.Aliases.end() && S->Needs.count(Var);
  }
  if (carries(E)) {
    flowOut(V.Loc, E);
    if (Alias != A.Aliases.end())
      flowOut(Storage::of(D), E);
  }
  return V;
}

Value Transfer::joinOf(llvm::ArrayRef<const Expr *> Parts, const Expr *To,
                       FlowEdge Like) {
  Like.To = FlowNode::of(skipNoise(To));
  Value R;
  R.H = History::none();
  R.B = Birth::nothing();
  bool First = true;
  for (const Expr *P : Parts) {
    if (!P || isa<CXXDefaultArgExpr>(P) || !carries(P))
      continue;
    Value V = value(P);
    const Cell C = read(V);
    R.H.join(C.H);
    R.B.join(C.B);
    R.View = V.View.valid() ? V.View : V.Loc;
    if (First)
      R.Shape = C.Shape;
    else
      R.Shape.join(C.Shape);
    First = false;
    flow(FlowNode::of(skipNoise(P)), Like);
  }
  return R;
}

static void appendChildren(const Expr *E,
                           llvm::SmallVectorImpl<const Expr *> &Out) {
  for (const Stmt *C : E->children())
    if (const auto *X = dyn_cast_or_null<Expr>(C))
      Out.push_back(X);
}

Value Transfer::evaluate(const Expr *E) {
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    return isa<FunctionDecl>(R->getDecl()) ? Value()
                                           : reference(R->getDecl(), E);
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!F)
      return isa<VarDecl>(M->getMemberDecl()) ? reference(M->getMemberDecl(), E)
                                              : value(M->getBase());
    Value Base = value(M->getBase());
    Value V;
    if (Base.Loc.valid())
      V.Loc = Base.Loc.field(F);
    else {
      const unsigned I = F->getFieldIndex();
      const Cell C = Base.Elements.size() > I ? Base.Elements[I] : read(Base);
      V.H = C.H;
      V.B = C.B;
    }
    if (A.T.isParameter(F) && !S->Cells.count(V.Loc))
      V.H = History::leaf();
    if (carries(E)) {
      flowOut(V.Loc, E);
      flow(M->getBase(), E);
    }
    return V;
  }
  if (isa<CXXThisExpr>(E)) {
    // What a method is called on enters it as its arguments do.
    if (carries(E))
      flow(FlowNode::of(cast<ValueDecl>(Facts.F)), FlowNode::of(E));
    Value V;
    V.Loc = Storage::ofThis();
    return V;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf) {
      flow(U->getSubExpr(), E);
      return value(U->getSubExpr());
    }
    return {};
  }
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E)) {
    flow(X->getBase(), E);
    return value(X->getBase());
  }
  if (const auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
    Value L = value(C->getTrueExpr()), R = value(C->getFalseExpr());
    flow(C->getTrueExpr(), E);
    // `h.defined() ? h.detach() : h`: what is not there has no history.
    const auto *Test = dyn_cast<CXXMemberCallExpr>(skipNoise(C->getCond()));
    const Storage Tested =
        Test && Test->getMethodDecl() &&
                semantics::asksIfDefined(Test->getMethodDecl())
            ? value(Test->getImplicitObjectArgument()).Loc
            : Storage();
    if (Tested.valid() && R.Loc == Tested)
      return L;
    flow(C->getFalseExpr(), E);
    Value V;
    Cell Left = read(L), Right = read(R);
    V.H = Left.H;
    V.H.join(Right.H);
    V.Shape = Left.Shape;
    V.Shape.join(Right.Shape);
    V.B = Left.B;
    V.B.join(Right.B);
    if (L.Loc == R.Loc)
      V.Loc = L.Loc;
    return V;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->getOpcode() == BO_Comma)
      return value(B->getRHS());
    if (B->isAssignmentOp())
      return value(B->getLHS());
    return {};
  }
  if (const auto *N = dyn_cast<CXXNewExpr>(E))
    return N->getInitializer() ? value(N->getInitializer()) : Value();
  if (isa<InitListExpr, ParenListExpr, CXXParenListInitExpr>(E)) {
    llvm::SmallVector<const Expr *, 4> Parts;
    appendChildren(E, Parts);
    Value R = joinOf(Parts, E);
    if (A.T.partsOf(E->getType()).size() == Parts.size())
      R.Elements = partsFrom(Parts);
    return R;
  }
  return {};
}
