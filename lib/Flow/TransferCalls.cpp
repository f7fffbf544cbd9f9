//===- TransferCalls.cpp - Effects of calls -------------------------------===//
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
using semantics::Call;
using semantics::CallKind;
using semantics::GuardKind;
using semantics::LossKind;
using semantics::ModuleKind;

/// std::get<1>(t): 1.
static std::optional<unsigned> tupleIndex(const Call &C) {
  if (C.Name != "get" || !C.Callee ||
      !C.Callee->getTemplateSpecializationArgs())
    return std::nullopt;
  const TemplateArgument &A = C.Callee->getTemplateSpecializationArgs()->get(0);
  if (A.getKind() != TemplateArgument::Integral)
    return std::nullopt;
  return unsigned(A.getAsIntegral().getExtValue());
}

/// The string in `curves["loss"]`.
static std::optional<StringRef> literalKey(const Call &C) {
  if ((C.Name != "operator[]" && C.Name != "at") || C.Args.size() != 1)
    return std::nullopt;
  const Expr *Key = skipNoise(C.Args[0]);
  while (const auto *X = dyn_cast<CXXConstructExpr>(Key)) {
    if (X->getNumArgs() == 0)
      return std::nullopt;
    Key = skipNoise(X->getArg(0));
  }
  const auto *S = dyn_cast<StringLiteral>(Key);
  if (!S || S->getCharByteWidth() != 1)
    return std::nullopt;
  return S->getString();
}

Value Transfer::call(const Expr *E) {
  const Call C = semantics::classify(E, A.T, A.Names);
  // `torch::NoGradGuard();` guards nothing.
  if (isa<CXXConstructExpr>(E)) {
    if (A.T.guardKind(E->getType()) != GuardKind::None) {
      const Stmt *P = E;
      while (P && isa<Expr>(P))
        P = Facts.Shape->parent(P);
      if (isa_and_nonnull<CompoundStmt>(P))
        record(Event::LostGuard, E);
      return {};
    }
  }
  // std::function, function pointers and what else holds a callable.
  const bool Wrapper = C.Object && C.Name == "operator()" &&
                       A.T.isCallableWrapper(C.Object->getType());
  if (Wrapper || !C.Callee) {
    const Expr *Called = Wrapper            ? C.Object
                         : isa<CallExpr>(E) ? cast<CallExpr>(E)->getCallee()
                                            : nullptr;
    Value R;
    bool Any = false;
    for (const FunctionDecl *F : A.Funcs.callables(Called))
      if (const FunctionDecl *D = A.Funcs.definition(F)) {
        Value X = enter(D, E, nullptr, C.Args, CallSite::Direct);
        if (Any) {
          R.H.join(X.H);
          R.Shape.join(X.Shape);
        } else {
          R = X;
        }
        Any = true;
      }
    return Any ? R : opaque(C);
  }

  switch (C.Kind) {
  case CallKind::Opaque:
    return opaque(C);
  case CallKind::User:
    return user(C);
  case CallKind::Look:
    if (C.Name == "retain_grad" || C.Name == "register_hook")
      record(Event::NeedsGrad, E);
    return {};
  case CallKind::Through: {
    if (C.Name == "operator=" && C.Object) {
      assign(E, C.Object, C.Args[0]);
      return value(C.Object);
    }
    if (!carries(E))
      return {};
    llvm::SmallVector<const Expr *, 4> Parts(C.Args.begin(), C.Args.end());
    if (C.Object)
      Parts.push_back(C.Object);
    if (C.Name == "exchange" || C.Name == "swap")
      for (const Expr *P : C.Args)
        if (Storage Loc = value(P).Loc; Loc.valid())
          if (Event *X = record(Event::Bound, E))
            X->Target = Loc;
    Value R = joinOf(Parts, E);
    if (C.Args.size() > 1 && E->getType()->getAsCXXRecordDecl() &&
        E->getType()->getAsCXXRecordDecl()->isInStdNamespace() &&
        (C.Name == "make_tuple" || C.Name == "tuple" || C.Name == "make_pair" ||
         C.Name == "forward_as_tuple"))
      for (const Expr *P : C.Args)
        R.Elements.push_back(carries(P) ? read(value(P)).H : History::none());
    return R;
  }
  case CallKind::Access: {
    Value O = value(C.Object);
    if (carries(E))
      flow(C.Object, E);
    if (O.Loc.valid()) {
      Value R;
      R.Loc = O.Loc;
      R.NamesOnly = O.NamesOnly;
      // curves["loss"] and curves["accuracy"] are two things.
      if (auto Key = literalKey(C))
        R.Loc = O.Loc.key(*Key);
      return R;
    }
    O.View = {};
    return O;
  }
  case CallKind::Same: {
    Value R = value(C.Args[0]);
    // A container that is moved from starts anew.
    if (C.Name == "move" && A.T.isContainer(C.Args[0]->getType()))
      if (Event *X = record(Event::Bound, E))
        X->Target = R.Loc;
    if (carries(E))
      flow(C.Args[0], E);
    if (auto I = tupleIndex(C)) {
      if (*I < R.Elements.size()) {
        R.H = R.Elements[*I];
        R.Elements.clear();
      } else if (R.Loc.valid()) {
        R.Loc = R.Loc.element(*I);
      }
    }
    return R;
  }
  case CallKind::Operator:
    if (C.Name == "operator=" && C.Object) {
      assign(E, C.Object, C.Args[0]);
      return value(C.Object);
    }
    return tensorOperator(C);
  case CallKind::Detach: {
    Value R;
    R.H = History::none();
    const Expr *From = C.Object         ? C.Object
                       : C.Args.empty() ? nullptr
                                        : C.Args[0];
    if (From) {
      R.Shape = read(value(From)).Shape;
      flow(From, E, /*Cut=*/true);
    }
    return R;
  }
  case CallKind::DetachInPlace: {
    Value O = value(C.Object);
    Cell Old = read(O);
    if (Event *X = record(Event::Bound, E))
      X->Target = O.Loc;
    write(O.Loc, {History::none(), Old.Shape}, /*Weak=*/false);
    flow(C.Object, E, /*Cut=*/true);
    O.H = History::none();
    return O;
  }
  case CallKind::Gradient: {
    Value R;
    R.H = History::none();
    R.IsGradient = true;
    return R;
  }
  case CallKind::MakeLeaf: {
    record(Event::NeedsGrad, E);
    Value R = C.Object && A.T.isTensor(C.Object->getType()) ? value(C.Object)
                                                            : Value();
    if (R.Loc.valid()) {
      Cell Old = read(R.Loc);
      if (Old.H.onlyNone() || !Old.H.has(Atom::Live))
        Old.H = History::leaf();
      write(R.Loc, Old, /*Weak=*/false);
    } else {
      R.H = History::leaf();
    }
    flow(C.Object, E);
    return R;
  }
  case CallKind::StopGrad: {
    Value O = value(C.Object);
    if (Event *X = record(Event::Freeze, E))
      X->Target = O.Loc;
    flow(C.Object, E);
    return O;
  }
  case CallKind::Backward:
    return backward(C);
  case CallKind::AutogradGrad: {
    record(Event::NeedsGrad, E);
    Value R;
    if (!C.Args.empty()) {
      flow(FlowNode::of(skipNoise(C.Args[0])), FlowNode::backward());
      value(C.Args[0]); // records the edges below
    }
    auto Creates = semantics::createsGraph(C, A.Context);
    R.H = !Creates   ? History::unknown()
          : *Creates ? History::leaf().through(S->Grad, E)
                     : History::none();
    return R;
  }
  case CallKind::Forward:
    return forward(C);
  case CallKind::Step:
  case CallKind::ZeroGrad: {
    if (Event *X =
            record(C.Kind == CallKind::Step ? Event::Step : Event::ZeroGrad, E))
      X->Target = C.Object ? value(C.Object).Loc : Storage();
    for (const Expr *Arg : C.Args)
      for (const FunctionDecl *F : A.Funcs.callables(Arg))
        if (const FunctionDecl *D = A.Funcs.definition(F))
          enter(D, E, nullptr, {}, CallSite::Direct);
    return {};
  }
  case CallKind::Train:
  case CallKind::Eval:
    if (Event *X =
            record(C.Kind == CallKind::Eval ? Event::Eval : Event::Train, E))
      X->Target = value(C.Object).Loc;
    return value(C.Object);
  case CallKind::Parameters: {
    Value R = value(C.Object);
    R.H = History();
    R.NamesOnly = true;
    return R;
  }
  case CallKind::SetGradMode:
    setGradMode(C);
    return {};
  case CallKind::GetGradMode: {
    Value R;
    R.SavedMode = S->Grad;
    return R;
  }
  case CallKind::Insert:
    return insert(C);
  case CallKind::Bound: {
    Value O = value(C.Object);
    if (O.IsGradient) {
      record(Event::ZeroGrad, E);
      return {};
    }
    if (A.T.guardKind(C.Object->getType()) != GuardKind::None) {
      if (const auto *V = dyn_cast_or_null<VarDecl>(O.Loc.Root))
        endOfLife(V);
      return {};
    }
    if (Event *X = record(Event::Bound, E))
      X->Target = O.Loc;
    if (C.Name == "swap" && !C.Args.empty())
      if (Storage Other = value(C.Args[0]).Loc; Other.valid())
        if (Event *X = record(Event::Bound, E))
          X->Target = Other;
    if (C.Name == "clear" || C.Name == "reset")
      write(O.Loc, {History::none(), LossShape::other()}, /*Weak=*/false);
    return {};
  }
  case CallKind::Assign: {
    Value O = value(C.Object);
    if (A.T.guardKind(C.Object->getType()) != GuardKind::None) {
      if (const auto *V = dyn_cast_or_null<VarDecl>(O.Loc.Root)) {
        S->Saved.try_emplace(V, S->Grad);
        S->Grad = Mode::of(Mode::Off);
      }
      return {};
    }
    for (const Expr *Arg : C.Args)
      if (carries(Arg)) {
        flowInto(Arg, O.Loc);
        write(O.Loc, read(value(Arg)), /*Weak=*/false);
      }
    return {};
  }
  case CallKind::Launch:
    return launch(C);
  case CallKind::Algorithm:
    return algorithm(C);
  case CallKind::BackInserter: {
    Value R = value(C.Args[0]);
    R.Inserter = true;
    return R;
  }
  case CallKind::Tie:
    return {};
  }
  return {};
}

//===-- Tensors -----------------------------------------------------------===//

LossShape Transfer::shapeOf(const Call &C) {
  llvm::SmallVector<LossShape, 2> Operands;
  auto Add = [&](const Expr *P) {
    if (P && A.T.isTensor(P->getType()))
      Operands.push_back(read(value(P)).Shape);
  };
  Add(C.Object);
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P))
      Add(P);
  // The terms that are mean losses, or may be one for the caller.
  LossShape Losses;
  bool Any = false;
  for (const LossShape &O : Operands)
    if (O.Of || O.Bits & LossShape::Mean) {
      Losses.join(O);
      Any = true;
    }
  StringRef N = C.Name;
  N.consume_back("_");
  if (N == "add" || N == "sub") {
    // Weighted terms are no scaling: that would divide all of them.
    for (const LossShape &O : Operands)
      if (O.isUnscaledMean())
        return O;
    if (Any)
      return Losses;
    return Operands.empty() ? LossShape::other() : Operands.front();
  }
  if (N == "mul" || N == "div" || N == "true_divide" || N == "multiply" ||
      N == "divide") {
    LossShape R = Any ? Losses : LossShape::other();
    R.Bits = (R.Bits & ~LossShape::Unscaled) | LossShape::Scaled;
    return R;
  }
  switch (semantics::lossKindOf(C, A.T)) {
  case LossKind::Mean: {
    const bool Pool = N == "mean" || N == "nanmean";
    const bool Scaled = Pool && !Operands.empty() &&
                        (Operands.front().Bits & LossShape::Scaled);
    return {uint8_t(LossShape::Mean |
                    (Scaled ? LossShape::Scaled : LossShape::Unscaled))};
  }
  case LossKind::Sum:
    return {LossShape::Sum | LossShape::Unscaled};
  case LossKind::Unreduced:
    return LossShape::other();
  case LossKind::Unknown:
    break;
  }
  const bool Keeps = N == "neg" || N == "clone" || N == "to" ||
                     N == "squeeze" || N == "unsqueeze" || N == "view" ||
                     N == "reshape" || N == "contiguous" || N == "cpu" ||
                     N == "cuda" || N == "flatten" || N == "expand" ||
                     N == "toType" || N == "negative" || N == "alias";
  return Keeps && !Operands.empty() ? Operands.front() : LossShape::other();
}

/// An operand of a product or quotient that is a gradient: `p.grad().div_(k)`.
static bool scalesOperand(StringRef Name) {
  return Name == "mul_" || Name == "div_" || Name == "multiply_" ||
         Name == "divide_";
}

bool Transfer::readsGradient(const Stmt *X) const {
  if (!X)
    return false;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(X))
    if (semantics::classify(M, A.T, A.Names).Kind == CallKind::Gradient)
      return true;
  if (const auto *R = dyn_cast<DeclRefExpr>(X))
    return A.Gradients.contains(R->getDecl());
  return llvm::any_of(X->children(),
                      [&](const Stmt *Y) { return readsGradient(Y); });
}

Value Transfer::tensorOperator(const Call &C) {
  llvm::SmallVector<const Expr *, 4> Parts;
  if (C.Object)
    Parts.push_back(C.Object);
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P))
      Parts.push_back(P);
  const Expr *Self = Parts.empty() ? nullptr : Parts.front();
  const LossShape Shape = shapeOf(C);

  if (C.InPlace && Self) {
    Value To = value(Self);
    if (To.IsGradient) {
      if (scalesOperand(C.Name))
        record(Event::ScaleGrad, C.E);
      else if (C.Name == "zero_" || C.Name == "fill_")
        record(Event::ZeroGrad, C.E);
      return To;
    }
    // A step by hand: `w -= lr * w.grad()`.
    if (llvm::any_of(llvm::drop_begin(Parts),
                     [&](const Expr *P) { return readsGradient(P); }))
      record(Event::Step, C.E);
    const bool Part = !To.Loc.valid() && To.View.valid();
    const Storage Target = To.Loc.valid() ? To.Loc : To.View;
    History Given = History::none();
    const Expr *Stored = nullptr;
    for (const Expr *P : llvm::drop_begin(Parts)) {
      if (!carries(P))
        continue;
      History H = read(value(P)).H;
      if (!H.onlyNone() || !Stored)
        Stored = P;
      Given.join(H);
      flow(P, C.E);
      if (Target.valid())
        flowInto(P, Target);
    }
    const bool Records = !C.Op || C.Op->mayHaveHistory(0);
    Given = Records ? Given.through(S->Grad, C.E) : History::none();
    flow(Self, C.E);
    if (!Target.valid()) {
      Value R = To;
      R.H = read(To).H;
      R.H.join(Given);
      R.Shape = Shape;
      return R;
    }
    if (Stored && !Given.onlyNone())
      if (Event *X = record(Event::Store, C.E)) {
        X->How = Part || C.Name == "copy_" || C.Name.starts_with("index_") ||
                         C.Name.starts_with("scatter") ||
                         C.Name.starts_with("masked_")
                     ? Event::InPlace
                     : Event::Accumulate;
        X->Stored = Stored;
        X->Target = Target;
        X->H = Given;
        // sums[i] += t
        if (const auto *Sub = dyn_cast<CXXOperatorCallExpr>(skipNoise(Self)))
          if (Sub->getOperator() == OO_Subscript && !Part)
            X->Key = Sub->getArg(1);
      }
    Cell New = read(Target);
    New.H.join(Given);
    New.Shape = Part ? LossShape::other() : Shape;
    write(Target, New, /*Weak=*/Part);
    Value R;
    R.Loc = To.Loc;
    R.View = To.View;
    return R;
  }

  Value R;
  History In = History::none();
  for (const Expr *P : Parts)
    if (carries(P))
      In.join(read(value(P)).H);
  if (semantics::makesLeafByOptions(C))
    In.join(History::leaf());
  // A leaf made by options stays a leaf.
  const bool Factory = llvm::none_of(
      Parts, [&](const Expr *P) { return A.T.carriesTensor(P->getType()); });
  History Out = Factory ? In : In.through(S->Grad, C.E);
  const unsigned Outputs =
      C.Op && !A.T.isTensor(C.E->getType()) ? C.Op->Outputs : 1;
  bool AnyHistory = !C.Op || C.Op->mayHaveHistory(0);
  if (Outputs > 1) {
    for (unsigned I = 0; I < Outputs; ++I) {
      R.Elements.push_back(C.Op->mayHaveHistory(I) ? Out : History::none());
      AnyHistory |= C.Op->mayHaveHistory(I);
    }
  }
  R.H = AnyHistory ? Out : History::none();
  R.Shape = Shape;
  for (const Expr *P : Parts)
    flow(P, C.E, /*Cut=*/!AnyHistory);
  if (Self && C.Op && C.Op->Aliases == semantics::View::Yes) {
    Value Of = value(Self);
    R.View = Of.Loc.valid() ? Of.Loc : Of.View;
  }
  if (C.Name == "index" && Self) { // x.index({...}) = y writes into x
    Value Of = value(Self);
    R.View = Of.Loc.valid() ? Of.Loc : Of.View;
  }
  return R;
}

Value Transfer::backward(const Call &C) {
  const Expr *Receiver = C.Object         ? C.Object
                         : C.Args.empty() ? nullptr
                                          : C.Args[0];
  if (!Receiver)
    return {};
  Value V = value(Receiver);
  Cell Loss = read(V);
  flow(FlowNode::of(skipNoise(Receiver)), FlowNode::backward());
  if (Event *X = record(Event::Backward, C.E)) {
    X->Target = V.Loc;
    X->H = Loss.H;
    X->Shape = Loss.Shape;
    X->Stored = Receiver;
    X->HasGradient = semantics::gradientArgument(C) != nullptr;
    X->RetainsGraph = semantics::retainsGraph(C, A.Context).value_or(true) ||
                      semantics::createsGraph(C, A.Context).value_or(true);
  }
  // Whatever it was made of: it had history, or this would throw.
  if (C.Object && V.Loc.valid() && !Loss.H.has(Atom::Live)) {
    Loss.H = History::live(C.E);
    write(V.Loc, Loss, /*Weak=*/false);
  }
  return {};
}

//===-- Modules -----------------------------------------------------------===//

/// The forward that a holder's call operator runs.
static const FunctionDecl *containedForward(const CXXRecordDecl *R) {
  for (unsigned Depth = 0; R && R->hasDefinition() && Depth < 8; ++Depth) {
    for (const CXXMethodDecl *M : R->getDefinition()->methods())
      if (M->getIdentifier() && M->getName() == "forward")
        return M;
    if (R->getDefinition()->getNumBases() == 0)
      return nullptr;
    R = R->getDefinition()->bases_begin()->getType()->getAsCXXRecordDecl();
  }
  return nullptr;
}

Value Transfer::forward(const Call &C) {
  Value Module = value(C.Object);
  const QualType Type = C.Object->getType();
  const bool Jit = A.T.isJitModule(Type) || A.T.isJitMethod(Type);
  // A type that only the user's list of forwards knows counts as a module.
  const ModuleKind Known = A.T.moduleKind(Type);
  const ModuleKind K =
      Jit || Known == ModuleKind::None ? ModuleKind::Parametric : Known;
  Value R = joinOf(C.Args, C.E, /*Forward=*/K != ModuleKind::Parameterless);
  R.View = {};
  R.Loc = {};
  if (K == ModuleKind::Parameterless) {
    R.H = R.H.through(S->Grad, C.E);
    switch (semantics::lossKindOf(C, A.T)) {
    case LossKind::Mean:
      R.Shape = {LossShape::Mean | LossShape::Unscaled};
      break;
    case LossKind::Sum:
      R.Shape = {LossShape::Sum | LossShape::Unscaled};
      break;
    default:
      R.Shape = LossShape::other();
    }
    return R;
  }
  R.Shape = LossShape::other();

  History In;
  for (const Atom &X : R.H.atoms())
    if (X.K != Atom::None && X.K != Atom::Unknown)
      In.add(X);
  const FunctionDecl *Body = A.Funcs.definition(C.Callee);
  if (!Body && K == ModuleKind::User)
    Body = A.Funcs.definition(containedForward(A.T.pointee(Type)));
  if (Body) {
    llvm::SmallVector<const Expr *, 4> Args(C.Args.begin(), C.Args.end());
    Value Inner = enter(Body, C.E, C.Object, Args, CallSite::Direct,
                        /*IsForward=*/true);
    R.Shape = Inner.Shape;
    R.Elements = Inner.Elements;
    // A forward that guards itself, or returns what has no history.
    const FunctionFacts *Facts = A.known(Body);
    if ((Facts && Facts->Status == FunctionFacts::Done &&
         Facts->Returned.H.onlyNone()) ||
        !carries(C.E)) {
      R.H = Inner.H;
      return R;
    }
  } else if (!carries(C.E)) {
    return {};
  }
  In.join(History::leaf());
  R.H = In.through(S->Grad, C.E);
  if (Event *X = record(Event::Forward, C.E)) {
    X->Target = Module.Loc;
    X->H = R.H;
    X->IsJit = Jit;
  }
  return R;
}

//===-- Containers --------------------------------------------------------===//

/// The key of an insertion into a map, or null where insertion always grows.
static const Expr *insertedKey(const Call &C) {
  const CXXRecordDecl *R =
      C.Object->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier() ||
      !(R->getName().contains("map") || R->getName().contains("Dict")) ||
      R->getName().contains("multi") || C.Args.empty())
    return nullptr;
  if (C.Args.size() > 1 && !C.Args[0]->getType()->isPointerType())
    return C.Args[0];
  const Expr *Pair = skipNoise(C.Args[0]);
  for (unsigned Depth = 0; Depth < 4; ++Depth) {
    if (const auto *L = dyn_cast<InitListExpr>(Pair); L && L->getNumInits())
      return L->getInit(0);
    if (const auto *X = dyn_cast<CXXConstructExpr>(Pair)) {
      if (X->getNumArgs() == 2)
        return X->getArg(0);
      if (X->getNumArgs() != 1)
        return nullptr;
      Pair = skipNoise(X->getArg(0));
      continue;
    }
    if (const auto *X = dyn_cast<CallExpr>(Pair); X && X->getNumArgs() == 2)
      return X->getArg(0);
    return nullptr;
  }
  return nullptr;
}

Value Transfer::insert(const Call &C) {
  Value Holder = value(C.Object);
  History Given = History::none();
  const Expr *Stored = nullptr;
  for (const Expr *P : C.Args) {
    if (isa<CXXDefaultArgExpr>(P) || !carries(P))
      continue;
    Value V = value(P);
    if (V.Loc.valid() && V.Loc == Holder.Loc)
      continue; // a position in the holder itself
    History H = read(V).H;
    if (!Stored || !H.onlyNone())
      Stored = P;
    Given.join(H);
    flowInto(P, Holder.Loc);
  }
  if (!Stored)
    return {};
  if (Event *X = record(Event::Store, C.E)) {
    X->How = Event::Insert;
    X->Stored = Stored;
    X->Key = insertedKey(C);
    X->Target = Holder.Loc;
    X->H = Given;
  }
  write(Holder.Loc, {Given, LossShape::other()}, /*Weak=*/true);
  Value R;
  R.Loc = Holder.Loc;
  return R;
}

//===-- Calls into the user's code ----------------------------------------===//

Value Transfer::enter(const FunctionDecl *Callee, const Expr *E,
                      const Expr *Object, llvm::ArrayRef<const Expr *> Args,
                      CallSite::Kind K, bool IsForward) {
  const FunctionFacts &Sum = A.facts(Callee);
  auto Site = std::make_unique<CallSite>();
  Site->K = K;
  Site->Caller = Facts.F;
  Site->Callee = Callee;
  Site->E = E;
  Site->Grad = K == CallSite::Thread ? Mode::of(Mode::On) : S->Grad;
  Site->IsForward = IsForward;
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  Site->SameThis = Method && Method->getParent()->isLambda();
  if (Object && !Site->SameThis)
    Site->This = value(Object).Loc;
  for (unsigned I = 0; I < Callee->getNumParams() && I < Args.size(); ++I) {
    const ParmVarDecl *P = Callee->getParamDecl(I);
    CallSite::Binding B;
    B.Passed.H = History::none();
    B.Passed.Shape = LossShape::other();
    if (Args[I] && !isa<CXXDefaultArgExpr>(Args[I])) {
      Value V = value(Args[I]);
      B.Passed = read(V);
      if (A.T.isHandle(P->getType()) || A.T.isModule(P->getType()))
        B.Loc = V.Loc;
    }
    Site->Parameters[cast<ValueDecl>(P->getCanonicalDecl())] = B;
  }
  Value R;
  if (Sum.Status == FunctionFacts::InProgress) { // recursion
    R.H = History::unknown();
  } else {
    auto ReadCell = [&](const Storage &X) -> Cell {
      auto It = Site->Parameters.find(X.Root);
      if (!X.IsThis && It != Site->Parameters.end() && !It->second.Loc.valid())
        return It->second.Passed;
      Storage Here = Site->toCaller(X);
      if (!Here.valid())
        return {History::unknown(), LossShape::other()};
      return read(Here);
    };
    auto Translate = [&](const Cell &C) {
      Cell T;
      T.H = C.H.substitute(Site->Grad,
                           [&](const Storage &X) { return ReadCell(X).H; });
      T.Shape.Bits = C.Shape.Bits;
      if (C.Shape.Of)
        T.Shape.join(ReadCell(*C.Shape.Of).Shape);
      return T;
    };
    Cell Returned = Translate(Sum.Returned);
    R.H = Returned.H;
    R.Shape = Returned.Shape;
    for (const History &H : Sum.ReturnedElements)
      R.Elements.push_back(Translate({H, LossShape::other()}).H);
    if (Sum.ReturnedLoc.valid()) {
      R.Loc = Site->toCaller(Sum.ReturnedLoc);
      if (R.Loc.valid())
        R.H = History();
    }
    std::vector<std::pair<Storage, Cell>> Writes;
    if (Recording)
      Site->Before = std::make_shared<State>(*S);
    for (const auto &[X, C] : Sum.Writes) {
      Storage Here = Site->toCaller(X);
      if (Here.valid())
        Writes.emplace_back(Here, Translate(C));
    }
    for (auto &[X, C] : Writes)
      write(X, std::move(C), /*Weak=*/K != CallSite::Direct);
    if (K != CallSite::Thread)
      S->Grad = Sum.Exit.substitute(S->Grad);
  }
  if (!Recording)
    return R;

  if (!Site->Before)
    Site->Before = std::make_shared<State>(*S);
  for (unsigned I = 0; I < Callee->getNumParams() && I < Args.size(); ++I) {
    const ParmVarDecl *P = Callee->getParamDecl(I);
    const Expr *Arg = Args[I] ? skipNoise(Args[I]) : nullptr;
    if (!Arg || isa<CXXDefaultArgExpr>(Arg) || !A.T.carriesTensor(P->getType()))
      continue;
    FlowEdge In{FlowNode::of(P)};
    In.Crossing = FlowEdge::Enter;
    In.Site = Site.get();
    In.Forward = IsForward;
    A.Flow.own(Arg, Facts.F);
    A.Flow.add(FlowNode::of(Arg), In);
    // What is written through a reference comes back.
    const Storage &Loc = Site->Parameters[P].Loc;
    const QualType T = P->getType();
    const bool Writable = (T->isReferenceType() || T->isPointerType())
                              ? !T->getPointeeType().isConstQualified()
                              : A.T.isHandle(T);
    if (auto N =
            Loc.valid() && Writable ? nodeOf(Loc) : std::optional<FlowNode>()) {
      FlowEdge Out{*N};
      Out.Crossing = FlowEdge::Exit;
      Out.Site = Site.get();
      A.Flow.add(FlowNode::of(P), Out);
    }
  }
  FlowEdge Back{FlowNode::of(skipNoise(E))};
  Back.Crossing = FlowEdge::Exit;
  Back.Site = Site.get();
  Back.Forward = IsForward;
  A.Flow.own(skipNoise(E), Facts.F);
  A.Flow.add(FlowNode::ofReturn(Callee), Back);
  A.Flow.addCaller(Callee, Site.get());
  Facts.Calls.push_back(std::move(Site));
  return R;
}

Value Transfer::user(const Call &C) {
  Functions::Targets Targets;
  if (const FunctionDecl *D = A.Funcs.definition(C.Callee))
    Targets.push_back(D);
  bool Unseen = Targets.empty();
  if (const auto *M = dyn_cast<CXXMethodDecl>(C.Callee); M && M->isVirtual()) {
    for (const FunctionDecl *O : A.Funcs.overriders(M))
      Targets.push_back(O);
    Unseen &= Targets.empty();
  }
  if (isa<CXXConstructExpr>(C.E) && Targets.empty()) {
    // An implicit or aggregate constructor keeps its arguments.
    return joinOf(C.Args, C.E);
  }
  if (Unseen)
    return opaque(C);
  Value R;
  bool First = true;
  for (const FunctionDecl *D : Targets) {
    Value X = enter(D, C.E, C.Object, C.Args, CallSite::Direct);
    if (First)
      R = std::move(X);
    else {
      R.H.join(X.H);
      R.Shape.join(X.Shape);
      R.Loc = {};
    }
    First = false;
  }
  if (isa<CXXConstructExpr>(C.E)) {
    Value Kept = joinOf(C.Args, C.E);
    return Kept;
  }
  // A method of a module that gives a tensor with history is a forward under
  // another name, seen from outside the module.
  if (C.Object && A.T.isModule(C.Object->getType()) &&
      !isa<CXXThisExpr>(skipNoise(C.Object)) && carries(C.E) &&
      R.H.has(Atom::Live)) {
    if (Event *X = record(Event::Forward, C.E)) {
      X->Target = value(C.Object).Loc;
      X->H = R.H;
      for (auto &Site : Facts.Calls)
        if (Site->E == C.E)
          Site->IsForward = true;
    }
  }
  return R;
}

Value Transfer::opaque(const Call &C) {
  record(Event::Unseen, C.E);
  auto Leak = [&](const Expr *P) {
    if (!P || isa<CXXDefaultArgExpr>(P) || !carries(P))
      return;
    value(P);
    leaks(P);
  };
  for (const Expr *P : C.Args)
    Leak(P);
  Leak(C.Object);
  Value R;
  if (carries(C.E))
    R.H = History::unknown();
  return R;
}

Value Transfer::launch(const Call &C) {
  Value R;
  if (carries(C.E))
    R.H = History::unknown();
  for (unsigned I = 0; I < C.Args.size(); ++I) {
    Functions::Targets Targets = A.Funcs.callables(C.Args[I]);
    if (Targets.empty())
      continue;
    llvm::SmallVector<const Expr *, 4> Rest(C.Args.begin() + I + 1,
                                            C.Args.end());
    for (const FunctionDecl *F : Targets) {
      const FunctionDecl *D = A.Funcs.definition(F);
      if (!D)
        continue;
      const auto *M = dyn_cast<CXXMethodDecl>(D);
      const bool Member = M && !M->isStatic() && !M->getParent()->isLambda();
      if (Member && Rest.empty())
        continue;
      Value X =
          enter(D, C.E, Member ? Rest.front() : nullptr,
                llvm::ArrayRef(Rest).drop_front(Member), CallSite::Thread);
      if (carries(C.E))
        R = X;
    }
    return R;
  }
  return opaque(C);
}

Value Transfer::algorithm(const Call &C) {
  StringRef N = C.Name;
  llvm::SmallVector<const Expr *, 6> Args;
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P)) {
      const CXXRecordDecl *R =
          P->getType().getNonReferenceType()->getAsCXXRecordDecl();
      if (!R || !R->getIdentifier() || !R->getName().contains("policy"))
        Args.push_back(P);
    }
  Value R;
  R.H = History::none();
  Value Sink;
  const Expr *First = Args.empty() ? nullptr : Args[0];
  const bool Folds = N == "accumulate" || N == "reduce" ||
                     N == "inner_product" || N == "transform_reduce";
  const bool Binary = N == "transform" && Args.size() >= 5;
  const Expr *Init = Folds && Args.size() > 2 ? Args[2] : nullptr;
  for (const Expr *P : Args) {
    Value V = value(P);
    if (V.Inserter)
      Sink = V;
    if (Folds && carries(P)) {
      R.H.join(read(V).H.through(S->Grad, C.E));
      flow(P, C.E);
    }
  }
  if (Folds && First) {
    Value V = value(First);
    R.H.join(read(V).H.through(S->Grad, C.E));
    flowOut(V.Loc, C.E);
  }
  History Produced;
  const Expr *ProducedBy = nullptr;
  bool Called = false;
  for (const Expr *P : Args)
    for (const FunctionDecl *F : A.Funcs.callables(P)) {
      const FunctionDecl *D = A.Funcs.definition(F);
      if (!D)
        continue;
      llvm::SmallVector<const Expr *, 2> Passed;
      if (Folds)
        Passed = {Init, First};
      else if (Binary)
        Passed = {First, Args[2]};
      else if (N != "generate" && N != "generate_n")
        Passed = {First, First};
      Value X = enter(D, C.E, nullptr, Passed, CallSite::Algorithm);
      Produced.join(read(X).H);
      ProducedBy = P;
      Called = true;
      if (!Folds)
        continue;
      R.H.join(Produced);
      if (D->getNumParams() == 2 &&
          A.Flow.connects(FlowNode::of(D->getParamDecl(0)),
                          FlowNode::ofReturn(D)))
        if (Event *Y = record(Event::Store, C.E)) {
          Y->How = Event::Accumulate;
          Y->Stored = P;
          Y->H = Produced;
          Y->Algorithm = C.E;
          Y->IsFold = true;
        }
    }
  if (!Called && First) { // copy, move
    Value V = value(First);
    Produced = read(V).H;
    ProducedBy = First;
  }
  if (Sink.Loc.valid() && ProducedBy) {
    if (Event *X = record(Event::Store, C.E)) {
      X->How = Event::Insert;
      X->Stored = ProducedBy;
      X->Target = Sink.Loc;
      X->H = Produced;
      X->Algorithm = C.E;
    }
    if (auto To = nodeOf(Sink.Loc)) {
      flow(FlowNode::of(skipNoise(C.E)), *To); // returns end at the call
      if (!Called && First && value(First).Loc.valid())
        if (auto From = nodeOf(value(First).Loc))
          flow(*From, *To);
    }
    write(Sink.Loc, {Produced, LossShape::other()}, /*Weak=*/true);
  } else if (N == "transform" || N.starts_with("copy") || N == "generate") {
    // Into elements that are there already.
    const Expr *Out = N == "generate"                    ? First
                      : Args.size() > (Binary ? 3u : 2u) ? Args[Binary ? 3 : 2]
                                                         : nullptr;
    if (Out) {
      Value V = value(Out);
      if (V.Loc.valid() && !Produced.empty()) {
        if (auto To = nodeOf(V.Loc))
          flow(FlowNode::of(skipNoise(C.E)), *To);
        write(V.Loc, {Produced, LossShape::other()}, /*Weak=*/true);
      }
    }
  }
  return R;
}

void Transfer::setGradMode(const Call &C) {
  const Expr *P = C.Args.empty() ? nullptr : C.Args[0];
  if (!P)
    return;
  Value V = value(P);
  if (V.SavedMode) {
    S->Grad = *V.SavedMode;
    return;
  }
  auto On = semantics::constantBool(P, A.Context);
  S->Grad = Mode::of(!On ? Mode::Unknown : *On ? Mode::On : Mode::Off);
}
