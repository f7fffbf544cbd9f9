//===- Transfer.cpp - Effects of statements -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::GuardKind;

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

void Transfer::flow(FlowNode From, FlowNode To, bool Cut, bool Forward) {
  if (!Recording)
    return;
  FlowEdge E{To};
  E.Cut = Cut;
  E.Forward = Forward;
  for (FlowNode N : {From, To})
    if (N.K == FlowNode::Expression)
      A.Flow.own(static_cast<const Expr *>(N.P), Facts.F);
  A.Flow.add(From, E);
}

void Transfer::flow(const Expr *From, const Expr *To, bool Cut, bool Forward) {
  From = skipNoise(From);
  if (From && Recording && carries(From))
    flow(FlowNode::of(From), FlowNode::of(skipNoise(To)), Cut, Forward);
}

void Transfer::flowInto(const Expr *From, const Storage &To) {
  From = skipNoise(From);
  if (!Recording || !From || !To.valid())
    return;
  if (auto N = nodeOf(To))
    flow(FlowNode::of(From), *N);
  if (To.Root && !To.Path.empty())
    flow(FlowNode::of(From), FlowNode::of(To.Root));
}

void Transfer::flowOut(const Storage &From, const Expr *To, bool Cut) {
  if (!Recording || !From.valid())
    return;
  if (auto N = nodeOf(From))
    flow(*N, FlowNode::of(skipNoise(To)), Cut);
  if (From.Root && !From.Path.empty())
    flow(FlowNode::of(From.Root), FlowNode::of(skipNoise(To)), Cut);
}

void Transfer::leaks(const Expr *E) {
  E = skipNoise(E);
  if (Recording && E && carries(E))
    flow(FlowNode::of(E), FlowNode::escape());
}

//===-- Cells -------------------------------------------------------------===//

Cell Transfer::read(const Storage &Loc) const {
  return S->read(Loc, Facts.isLocal(Loc));
}

Cell Transfer::read(const Value &V) const {
  if (!V.H.empty())
    return {V.H, V.Shape};
  if (V.Loc.valid())
    return read(V.Loc);
  return {History::none(), V.Shape};
}

void Transfer::write(const Storage &Loc, Cell C, bool Weak) {
  if (Loc.valid())
    S->write(Loc, std::move(C), Weak, Facts.isLocal(Loc));
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
  if (const auto *Var = dyn_cast<VarDecl>(D)) {
    auto Flag = S->Flags.find(Var);
    if (Flag != S->Flags.end())
      V.SavedMode = Flag->second;
  }
  if (carries(E)) {
    flowOut(V.Loc, E);
    if (Alias != A.Aliases.end())
      flowOut(Storage::of(D), E);
  }
  return V;
}

Value Transfer::joinOf(llvm::ArrayRef<const Expr *> Parts, const Expr *To,
                       bool Forward) {
  Value R;
  R.H = History::none();
  bool First = true;
  for (const Expr *P : Parts) {
    if (!P || isa<CXXDefaultArgExpr>(P) || !carries(P))
      continue;
    Value V = value(P);
    R.H.join(read(V).H);
    R.View = V.View.valid() ? V.View : V.Loc;
    if (First)
      R.Shape = read(V).Shape;
    else
      R.Shape.join(read(V).Shape);
    First = false;
    flow(P, To, /*Cut=*/false, Forward);
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
    else
      V.H = read(Base).H;
    if (carries(E)) {
      flowOut(V.Loc, E);
      flow(M->getBase(), E);
    }
    return V;
  }
  if (isa<CXXThisExpr>(E)) {
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
    flow(C->getFalseExpr(), E);
    Value V;
    Cell Left = read(L), Right = read(R);
    V.H = Left.H;
    V.H.join(Right.H);
    V.Shape = Left.Shape;
    V.Shape.join(Right.Shape);
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
    return joinOf(Parts, E);
  }
  return {};
}

//===-- Statements --------------------------------------------------------===//

void Transfer::element(const CFGElement &E) {
  if (auto D = E.getAs<CFGAutomaticObjDtor>())
    return endOfLife(D->getVarDecl());
  if (auto L = E.getAs<CFGLifetimeEnds>())
    return endOfLife(L->getVarDecl());
  if (auto I = E.getAs<CFGInitializer>())
    return initializer(I->getInitializer());
  if (auto X = E.getAs<CFGStmt>()) {
    enterRegion(X->getStmt());
    statement(X->getStmt());
  }
}

void Transfer::enterRegion(const Stmt *At) {
  const Stmt *Region = Facts.Shape->parallelRegion(At);
  // Which thread a picked one is, and so what a guard outside means to it, is
  // not known.
  S->switchTo(Region, Mode::of(picksThread(Region) ? Mode::Unknown : Mode::On));
}

void Transfer::statement(const Stmt *X) {
  if (const auto *D = dyn_cast<DeclStmt>(X)) {
    for (const Decl *Y : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Y))
        declare(V);
    return;
  }
  if (const auto *R = dyn_cast<ReturnStmt>(X))
    return returns(R);
  if (const auto *B = dyn_cast<BinaryOperator>(X)) {
    if (B->isAssignmentOp())
      assign(B, B->getLHS(), B->getRHS());
    return;
  }
  if (const auto *L = dyn_cast<LambdaExpr>(X)) {
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && L->isInitCapture(&C))
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          declare(V);
    return;
  }
  const auto *E = dyn_cast<Expr>(X);
  if (!E || !isa<CallExpr, CXXConstructExpr>(E))
    return;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    if (C->getNumArgs() >= 1 && C->getConstructor()->isCopyOrMoveConstructor())
      return; // skipNoise looks through it
  Value V = call(E);
  Values[E] = std::move(V);
}

void Transfer::initializer(const CXXCtorInitializer *I) {
  const FieldDecl *F = I->getAnyMember();
  if (!F || !I->getInit())
    return;
  Value V = value(I->getInit());
  const Storage Field = Storage::ofThis().field(F);
  if (A.T.carriesTensor(F->getType())) {
    flowInto(I->getInit(), Field);
    write(Field, read(V), /*Weak=*/false);
  }
}

void Transfer::endOfLife(const VarDecl *V) {
  auto It = S->Saved.find(V);
  if (It == S->Saved.end())
    return;
  enterRegion(Facts.Shape->declaration(V));
  S->Grad = It->second;
  S->Saved.erase(It);
}

/// The bool that a guard's constructor gets.
static std::optional<bool> guardArgument(const Expr *Init, bool Default,
                                         const ASTContext &Context) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  const auto *C = dyn_cast_or_null<CXXConstructExpr>(E);
  if (!C || C->getNumArgs() == 0)
    return Default;
  if (isa<CXXDefaultArgExpr>(C->getArg(0)))
    return Default;
  return semantics::constantBool(C->getArg(0), Context);
}

/// Does a handle start out holding something? `nullptr`, `{}`: no.
static std::optional<bool> engaged(const Expr *Init) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  if (!E || isa<CXXNullPtrLiteralExpr>(E))
    return false;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0)
      return false;
    return engaged(C->getArg(0));
  }
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    if (R->getDecl()->getIdentifier() && R->getDecl()->getName() == "nullopt")
      return false;
  if (isa<AbstractConditionalOperator>(E))
    return std::nullopt;
  return true;
}

void Transfer::declareGuard(const VarDecl *V) {
  const GuardKind K = A.T.guardKind(V->getType());
  const Mode Before = S->Grad;
  Mode After = Before;
  const CXXRecordDecl *R = A.T.pointee(V->getType());
  const bool Own = V->getType()->getAsCXXRecordDecl() &&
                   V->getType()->getAsCXXRecordDecl()->getCanonicalDecl() ==
                       R->getCanonicalDecl();
  const bool IsPlain = A.T.isLibrary(R) || K == GuardKind::NoGrad;
  auto Under = [&](std::optional<bool> Enabled) {
    if (!Enabled)
      return Mode::of(Mode::Unknown);
    if (!*Enabled)
      return Mode::of(K == GuardKind::Inference ? Mode::Inference : Mode::Off);
    // Grad mode cannot be turned on inside inference mode, only by
    // InferenceMode(false).
    if (Before.has(Mode::Inference) && K == GuardKind::AutoGrad)
      return Before;
    return Mode::of(Mode::On);
  };
  if (!Own) {
    auto E = engaged(V->getInit());
    if (!E)
      After.join(Under(false));
    else if (*E)
      After = Under(false);
  } else if (!IsPlain) {
    After = Under(K == GuardKind::Inference ? std::optional<bool>(false)
                                            : std::nullopt);
  } else if (K == GuardKind::NoGrad) {
    After = Under(false);
  } else if (K == GuardKind::AutoGrad) {
    After = Under(guardArgument(V->getInit(), true, A.Context));
  } else {
    auto On = guardArgument(V->getInit(), true, A.Context);
    After = Under(On ? std::optional<bool>(!*On) : std::nullopt);
  }
  S->Saved[V] = Before;
  S->Grad = After;
}

void Transfer::declare(const VarDecl *V) {
  if (A.T.guardKind(V->getType()) != GuardKind::None)
    return declareGuard(V);
  const Expr *Init = V->getInit();
  const Storage Own = Storage::of(V);
  if (!Init) {
    if (V->hasLocalStorage() && A.T.carriesTensor(V->getType()))
      write(Own, {History::none(), LossShape::other()}, false);
    return;
  }
  Value X = value(Init);
  const bool Carries = A.T.carriesTensor(V->getType());
  if (X.IsGradient)
    A.Gradients.insert(cast<ValueDecl>(V->getCanonicalDecl()));
  if (X.SavedMode && V->getType()->isBooleanType())
    S->Flags[V] = *X.SavedMode;
  if (Carries)
    flowInto(Init, Own);
  Storage Base = Own;
  const bool Names = A.T.isHandle(V->getType()) || X.NamesOnly || X.Inserter;
  if (Names && X.Loc.valid()) {
    A.Aliases[cast<ValueDecl>(V->getCanonicalDecl())] = X.Loc;
    Base = X.Loc;
  } else if (Carries && V->hasLocalStorage()) {
    write(Own, read(X), /*Weak=*/false);
    for (unsigned I = 0; I < X.Elements.size(); ++I)
      write(Own.element(I), {X.Elements[I], LossShape::other()}, false);
  }
  const auto *D = dyn_cast<DecompositionDecl>(V);
  if (!D)
    return;
  unsigned I = 0;
  for (const BindingDecl *B : D->bindings()) {
    Storage Part = Base.element(I++);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(
            B->getBinding() ? B->getBinding()->IgnoreParenImpCasts() : nullptr))
      if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
        Part = Base.field(F);
    A.Aliases[cast<ValueDecl>(B->getCanonicalDecl())] = Part;
  }
}

void Transfer::returns(const ReturnStmt *R) {
  const Expr *E = R->getRetValue();
  if (!E)
    return;
  Value V = value(E);
  if (A.T.isHandle(Facts.F->getReturnType()) && V.Loc.valid() &&
      !Facts.isLocal(V.Loc))
    Facts.ReturnedLoc = V.Loc;
  if (!carries(E) && !A.T.carriesTensor(Facts.F->getReturnType()))
    return;
  Cell C = read(V);
  Facts.Returned.H.join(C.H);
  Facts.Returned.Shape.join(C.Shape);
  if (!V.Elements.empty()) {
    Facts.ReturnedElements.resize(
        std::max(Facts.ReturnedElements.size(), V.Elements.size()));
    for (unsigned I = 0; I < V.Elements.size(); ++I)
      Facts.ReturnedElements[I].join(V.Elements[I]);
  }
  flow(FlowNode::of(skipNoise(E)), FlowNode::ofReturn(Facts.F));
}

/// A handful of slots is no history.
static bool isSmallArray(QualType T, const ASTContext &Context) {
  constexpr uint64_t FewSlots = 8;
  T = T.getNonReferenceType();
  if (const auto *Array = Context.getAsConstantArrayType(T))
    return Array->getSize().getLimitedValue() <= FewSlots;
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  return R && R->isInStdNamespace() && R->getIdentifier() &&
         R->getName() == "array" &&
         R->getTemplateArgs()[1].getAsIntegral().getLimitedValue() <= FewSlots;
}

/// Does the left side name one element of a container? Then other elements
/// stay. \p Key gets the index.
static bool isElement(const Expr *Left, const semantics::Types &T,
                      const ASTContext &Context, const Expr *&Key,
                      bool &Fixed) {
  Left = skipNoise(Left);
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(Left)) {
    Key = X->getIdx();
    Fixed = isSmallArray(skipNoise(X->getBase())->getType(), Context);
    return true;
  }
  const Expr *Object = nullptr;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(Left)) {
    if (O->getOperator() != OO_Subscript)
      return false;
    Object = O->getArg(0);
    Key = O->getArg(1);
  } else if (const auto *M = dyn_cast<CXXMemberCallExpr>(Left)) {
    Object = M->getImplicitObjectArgument();
    Key = M->getNumArgs() ? M->getArg(0) : nullptr;
  } else if (const auto *M = dyn_cast<MemberExpr>(Left)) {
    // v[i].loss = t
    return isElement(M->getBase(), T, Context, Key, Fixed);
  }
  if (!Object || T.isTensor(Object->getType()))
    return false;
  Fixed = isSmallArray(Object->getType(), Context);
  return T.isFixedArray(Object->getType()) || T.isContainer(Object->getType());
}

bool Transfer::assignTie(const Expr *E, const Expr *Left, Value From,
                         const Expr *Right) {
  const auto *C = dyn_cast<CallExpr>(skipNoise(Left));
  if (!C)
    return false;
  const semantics::Call Tie = semantics::classify(C, A.T, A.Names);
  if (Tie.Kind != semantics::CallKind::Tie && Tie.Name != "forward_as_tuple")
    return false;
  for (unsigned I = 0; I < C->getNumArgs(); ++I) {
    const Expr *Arg = C->getArg(I);
    Value Element;
    Element.H = From.Elements.size() > I ? From.Elements[I] : read(From).H;
    if (From.Elements.size() <= I && From.Loc.valid())
      Element.H = read(From.Loc.element(I)).H;
    if (assignTie(E, Arg, Element, Right) || !carries(Arg))
      continue;
    Value Part = value(Arg);
    if (!Part.Loc.valid())
      continue;
    flowInto(Right, Part.Loc);
    write(Part.Loc, {Element.H, Element.Shape}, /*Weak=*/false);
    if (Event *X = record(Event::Store, E)) {
      X->How = Event::Rebind;
      X->Stored = Right;
      X->Target = Part.Loc;
      X->H = Element.H;
    }
  }
  return true;
}

void Transfer::assign(const Expr *E, const Expr *Left, const Expr *Right) {
  const Expr *Target = skipNoise(Left);
  Value To = value(Left), From = value(Right);
  if (assignTie(E, Left, From, Right))
    return;
  // A guard in a smart pointer, made later.
  if (A.T.guardKind(Left->getType()) != GuardKind::None) {
    if (const auto *V = dyn_cast_or_null<VarDecl>(To.Loc.Root)) {
      if (auto On = engaged(Right); On && *On) {
        S->Saved.try_emplace(V, S->Grad);
        S->Grad = Mode::of(Mode::Off);
      } else {
        endOfLife(V);
      }
    }
    return;
  }
  if (From.SavedMode && To.Loc.valid())
    if (const auto *V = dyn_cast_or_null<VarDecl>(To.Loc.Root))
      S->Flags[V] = *From.SavedMode;
  if (To.IsGradient) {
    record(semantics::isAbsent(Right) ? Event::ZeroGrad : Event::ScaleGrad, E);
    return;
  }
  if (!carries(Left))
    return;
  if (A.T.isTensor(Left->getType()) && readsGradient(Right) &&
      !isa<DeclRefExpr>(skipNoise(Right)))
    record(Event::Step, E); // w = w - lr * w.grad()
  Cell C = read(From);
  // buf[i] = t on a tensor writes into the buffer.
  if (A.T.isTensor(Left->getType()) && Target->isPRValue()) {
    const Storage Buffer = To.View;
    if (!Buffer.valid())
      return leaks(Right);
    flowInto(Right, Buffer);
    if (Event *X = record(Event::Store, E)) {
      X->How = Event::InPlace;
      X->Stored = Right;
      X->Target = Buffer;
      X->H = C.H.through(S->Grad, E);
    }
    write(Buffer, {C.H.through(S->Grad, E), LossShape::other()}, /*Weak=*/true);
    return;
  }
  if (!To.Loc.valid())
    return leaks(Right); // wherever that goes
  flowInto(Right, To.Loc);
  const Expr *Key = nullptr;
  bool Fixed = false;
  const bool Element = isElement(Left, A.T, A.Context, Key, Fixed);
  const bool Iterator =
      isa<CXXOperatorCallExpr>(Target) &&
      cast<CXXOperatorCallExpr>(Target)->getOperator() == OO_Star;
  if (!Element && !Iterator && C.H.onlyNone()) {
    if (Event *X = record(Event::Bound, E))
      X->Target = To.Loc;
  } else if (!Iterator) {
    if (Event *X = record(Event::Store, E)) {
      X->How = Element ? Event::Indexed : Event::Rebind;
      X->Stored = Right;
      X->Key = Key;
      X->FixedHolder = Fixed;
      X->Target = To.Loc;
      X->H = C.H;
    }
  }
  write(To.Loc, std::move(C), Element || Iterator);
  if (!Element)
    for (unsigned I = 0; I < From.Elements.size(); ++I)
      write(To.Loc.element(I), {From.Elements[I], LossShape::other()}, false);
}
