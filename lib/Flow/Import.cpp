//===- Import.cpp - Summaries of other files ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Import.h"
#include "Flow/ImportBody.h"

using namespace clang;
using namespace torchtidy::flow;

static thread_local const LinkedFiles *Current = nullptr;

const LinkedFiles *LinkedFiles::current() { return Current; }
void LinkedFiles::install(const LinkedFiles *Files) { Current = Files; }

namespace {

class Importer {
public:
  Importer(Analysis &A, const Slice &From, ImportNames &Names)
      : A(A), From(From), M(*From.From), Names(Names), Bodies(A, M, Names),
        Sites(M.Calls.size()) {}

  /// Makes the functions known, so that those of other files can name them.
  void declare() {
    for (uint32_t I : From.Functions) {
      if (I >= M.Functions.size())
        continue;
      const portable::Function &X = M.Functions[I];
      const FunctionDecl *F = Names.function(M, X.D);
      if (!F || A.Funcs.definition(F))
        continue; // here, or in another of the files
      A.Funcs.addForeign(F);
      for (const std::string &Base : X.Overrides)
        if (const FunctionDecl *B = Names.functionById(Base))
          A.Funcs.addOverrider(B, F);
      Mine.push_back({&X, &A.addForeign(F)});
    }
  }

  void fill() {
    for (auto &[X, Facts] : Mine) {
      const Stmt *Body = Bodies.body(X->Body, Facts->F);
      Facts->Shape = std::make_unique<Structure>(
          Body ? Body
               : CompoundStmt::Create(A.Context, {}, FPOptionsOverride(), {},
                                      {}));
      Facts->Entry = Mode::of(X->Entry);
      Facts->ReadsGradients = X->ReadsGradients;
      Facts->DividesRate = X->DividesRate;
    }
    for (auto &[X, Facts] : Mine)
      values(*X, *Facts);
    for (const portable::Edge &E : M.Edges)
      edge(E);
    for (const auto &[D, P] : M.Aliases)
      if (const ValueDecl *Of = Names.decl(M, D))
        if (Storage S = place(P); S.valid())
          A.Aliases.try_emplace(Of, S);
    for (portable::DeclRef D : M.Gradients)
      if (const ValueDecl *Of = Names.decl(M, D))
        A.Gradients.insert(Of);
    for (portable::NodeRef N : M.ParameterUses)
      if (const Expr *E = Bodies.known(N))
        A.ParameterUses.insert(E);
  }

private:
  //===-- Values ----------------------------------------------------------===//

  Storage place(const portable::Place &P) {
    Storage S;
    if (P.K == portable::Place::This)
      S = Storage::ofThis();
    else if (P.K == portable::Place::Root) {
      const ValueDecl *D = Names.decl(M, P.D);
      if (!D)
        return {};
      S = Storage::of(D);
    } else {
      return {};
    }
    for (uint64_t Step : P.Path) {
      if (Step % 2) {
        S = S.element(Step / 2);
        continue;
      }
      const auto *F =
          dyn_cast_or_null<FieldDecl>(Names.decl(M, uint32_t(Step / 2)));
      if (!F)
        return {};
      S = S.field(F);
    }
    return S;
  }

  Mode mode(const portable::Mode &X) {
    Mode R = Mode::of(X.Bits, Bodies.known(X.By));
    R.Makes = X.Makes;
    R.InferenceBy = Bodies.known(X.InferenceBy);
    return R;
  }

  History history(const portable::History &H) {
    History R;
    for (const portable::Atom &X : H) {
      Atom Y;
      Y.K = X.K <= Atom::Entry ? Atom::Kind(X.K) : Atom::Unknown;
      Y.IfGrad = X.IfGrad;
      Y.Through = X.Through;
      Y.Of = place(X.Of);
      Y.Origin = Bodies.expr(X.Origin);
      if (Y.K == Atom::Entry && !Y.Of.valid())
        Y = Atom{Atom::Unknown};
      R.add(std::move(Y));
    }
    return R;
  }

  Cell cell(const portable::Cell &X) {
    Cell R;
    R.H = history(X.H);
    R.Shape.Bits = X.Shape;
    if (X.ShapeOf) {
      if (Storage S = place(*X.ShapeOf); S.valid())
        R.Shape.Of = S;
      else
        R.Shape = LossShape::other();
    }
    return R;
  }

  //===-- Facts -----------------------------------------------------------===//

  void values(const portable::Function &X, FunctionFacts &F) {
    F.Returned = cell(X.Returned);
    for (const portable::Cell &C : X.ReturnedElements)
      F.ReturnedElements.push_back(cell(C));
    F.ReturnedLoc = place(X.ReturnedPlace);
    F.Exit = mode(X.Exit);
    for (const auto &[P, C] : X.Writes)
      if (Storage S = place(P); S.valid())
        F.Writes[S] = cell(C);
    for (const portable::Event &E : X.Events)
      event(E, F);
    for (portable::CallRef C : X.Calls)
      if (C && C <= M.Calls.size())
        call(C, F);
  }

  void event(const portable::Event &E, FunctionFacts &F) {
    const FunctionDecl *Callee = Names.function(M, E.Callee);
    if (E.K > Event::Unseen || (Callee && A.Funcs.definition(Callee)))
      return;
    Event X;
    X.K = Event::Kind(E.K);
    X.How = E.How <= Event::Rebind ? Event::StoreKind(E.How) : Event::Insert;
    X.E = Bodies.expr(E.E);
    X.Stored = Bodies.expr(E.Stored);
    X.Key = Bodies.expr(E.Key);
    X.Algorithm = Bodies.expr(E.Algorithm);
    X.Target = place(E.Target);
    const Cell Value = cell(E.Value);
    X.H = Value.H;
    X.Shape = Value.Shape;
    X.Grad = mode(E.Grad);
    X.RetainsGraph = E.RetainsGraph;
    X.HasGradient = E.HasGradient;
    X.FixedHolder = E.FixedHolder;
    X.ByHand = E.ByHand;
    X.IsFold = E.IsFold;
    X.Callee = Callee;
    if (X.E)
      F.Events.push_back(std::move(X));
  }

  void call(portable::CallRef N, FunctionFacts &F) {
    const portable::Call &X = M.Calls[N - 1];
    const FunctionDecl *Named = Names.function(M, X.Callee);
    const FunctionDecl *Callee = Named ? A.Funcs.definition(Named) : nullptr;
    const Expr *E = Bodies.expr(X.E);
    if (!Callee || !E || X.K > CallSite::Task)
      return;
    auto S = std::make_unique<CallSite>();
    S->K = CallSite::Kind(X.K);
    S->Caller = F.F;
    S->Callee = Callee;
    S->E = E;
    S->Grad = mode(X.Grad);
    S->IsForward = X.IsForward;
    S->SameThis = X.SameThis;
    S->This = place(X.This);
    for (const portable::Call::Binding &B : X.Parameters)
      if (B.Parameter < Callee->getNumParams())
        S->Parameters[Callee->getParamDecl(B.Parameter)] = {place(B.Named),
                                                            cell(B.Passed)};
    auto Before = std::make_shared<State>();
    Before->Reached = true;
    for (const auto &[P, C] : X.Before)
      if (Storage Of = place(P); Of.valid())
        Before->Cells[Of] = cell(C);
    S->Before = std::move(Before);
    Sites[N - 1] = S.get();
    A.Flow.addCaller(Callee, S.get());
    F.Calls.push_back(std::move(S));
  }

  /// Empty: it belongs to a function that is not wanted.
  std::optional<FlowNode> point(const portable::Point &P) {
    switch (P.K) {
    case FlowNode::Expression:
      if (const Expr *E = Bodies.known(P.Of)) {
        if (const FunctionDecl *F = Bodies.owner(P.Of))
          A.Flow.own(E, F);
        return FlowNode::of(E);
      }
      return std::nullopt;
    case FlowNode::Definition:
      if (const Expr *E = Bodies.known(P.Of))
        return FlowNode::ofDefinition(E);
      return std::nullopt;
    case FlowNode::Variable:
      if (const ValueDecl *D = Names.decl(M, P.Of))
        return FlowNode::of(D);
      return std::nullopt;
    case FlowNode::Return:
      if (const FunctionDecl *F = Names.function(M, P.Of))
        return FlowNode::ofReturn(F);
      return std::nullopt;
    case FlowNode::Backward:
      return FlowNode::backward();
    default:
      return FlowNode::escape();
    }
  }

  void edge(const portable::Edge &E) {
    if (const FunctionDecl *F = Names.function(M, E.UnlessSeen))
      if (A.Funcs.definition(F))
        return;
    const CallSite *Site =
        E.Site && E.Site <= Sites.size() ? Sites[E.Site - 1] : nullptr;
    if (E.Crossing != FlowEdge::Plain && !Site)
      return;
    const std::optional<FlowNode> Start = point(E.From), To = point(E.To);
    if (!Start || !To)
      return;
    FlowEdge X{*To};
    X.Cut = E.Cut;
    X.Forward = E.Forward;
    X.Summary = E.Summary;
    X.Crossing = E.Crossing == FlowEdge::Enter  ? FlowEdge::Enter
                 : E.Crossing == FlowEdge::Exit ? FlowEdge::Exit
                                                : FlowEdge::Plain;
    X.Site = Site;
    A.Flow.add(*Start, X);
  }

  Analysis &A;
  const Slice &From;
  const portable::Module &M;
  ImportNames &Names;
  ImportBody Bodies;
  std::vector<const CallSite *> Sites;
  std::vector<std::pair<const portable::Function *, FunctionFacts *>> Mine;
};

} // namespace

void torchtidy::flow::importFacts(Analysis &A, const LinkedFiles &Files) {
  ImportNames Names(A, Files);
  std::vector<std::unique_ptr<Importer>> Each;
  for (const Slice &S : Files.Slices)
    Each.push_back(std::make_unique<Importer>(A, S, Names));
  A.IsLinked = Files.Whole;
  for (const auto &[Name, Id] : Files.Irrelevant)
    if (const FunctionDecl *F = Names.functionById(Id))
      A.DefinedElsewhere.insert(F->getCanonicalDecl());
  for (auto &I : Each)
    I->declare();
  for (auto &I : Each)
    I->fill();
}
