//===- Export.cpp - Summaries for other files -----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Export.h"
#include "Flow/ExportBody.h"
#include "Flow/LearningRates.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#if CLANG_VERSION_MAJOR >= 23
#include "clang/UnifiedSymbolResolution/USRGeneration.h"
#else
#include "clang/Index/USRGeneration.h"
#endif

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

std::string torchtidy::flow::idOf(const Decl *D) {
  const auto *N = dyn_cast<NamedDecl>(D);
  const NamedDecl *Visible = N;
  if (const auto *F = dyn_cast<FieldDecl>(D))
    Visible = F->getParent();
  if (!Visible || !Visible->isExternallyVisible() ||
      D->getParentFunctionOrMethod())
    return {};
  const SourceManager &SM = D->getASTContext().getSourceManager();
  const auto [File, Offset] = SM.getDecomposedLoc(
      SM.getExpansionLoc(D->getCanonicalDecl()->getLocation()));
  const OptionalFileEntryRef Header = SM.getFileEntryRefForID(File);
  if (!Header || File == SM.getMainFileID())
    return {};
  llvm::SmallString<128> Id;
  if (index::generateUSRForDecl(D, Id))
    return {};
  llvm::SmallString<128> Path(Header->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return (Id + "@" + Path + ":" + std::to_string(Offset)).str();
}

namespace {

class Exporter {
public:
  Exporter(const Analysis &A, const Chains &C)
      : A(A), C(C), Rates(A, C),
        Bodies(
            A, M, [this](const ValueDecl *D) { return decl(D); },
            [this](SourceLocation L) { return where(L); }) {
    file(A.Context.getSourceManager().getMainFileID()); // the first
  }

  portable::Module run() {
    findUsed();
    for (const FunctionFacts *X : C.functions()) {
      Body.push_back(Bodies.add(*X));
      Mentions.push_back(Bodies.takeMentions());
    }
    M.AsksOthers = C.askedOthers();
    for (const FunctionFacts *X : C.functions())
      for (const auto *List : {&X->Calls, &X->Elsewhere})
        for (const auto &S : *List)
          call(*S, *X);
    size_t I = 0;
    for (const FunctionFacts *X : C.functions()) {
      M.Functions.push_back(function(*X, Body[I]));
      for (portable::DeclRef D : Mentions[I])
        if (!M.Decls[D - 1].Id.empty())
          M.Functions.back().Mentions.push_back(D);
      ++I;
    }
    for (const FunctionDecl *F : A.Funcs.all())
      if (const FunctionFacts *X = A.known(F);
          X && X->Status == FunctionFacts::Skipped)
        M.Functions.push_back(skipped(F));
    A.Flow.forEach([&](const FlowNode &From, const FlowEdge &E) {
      M.Edges.push_back(edge(From, E));
    });
    llvm::sort(M.Edges, [](const portable::Edge &L, const portable::Edge &R) {
      auto Key = [](const portable::Edge &E) {
        return std::tie(E.From.K, E.From.Of, E.To.K, E.To.Of, E.Site,
                        E.Crossing, E.Cut, E.Forward, E.Summary, E.UnlessSeen);
      };
      return Key(L) < Key(R);
    });
    for (const auto &[D, S] : A.Aliases)
      if (auto Known = Decls.find(D); Known != Decls.end())
        M.Aliases.emplace_back(Known->second, portable::Place());
    llvm::sort(M.Aliases,
               [](const auto &L, const auto &R) { return L.first < R.first; });
    for (auto &[D, P] : M.Aliases)
      P = place(A.Aliases.find(Order[D - 1])->second);
    for (const ValueDecl *D : A.Gradients)
      if (auto Known = Decls.find(D); Known != Decls.end())
        M.Gradients.push_back(Known->second);
    llvm::sort(M.Gradients);
    for (const Expr *E : A.ParameterUses)
      if (portable::NodeRef N = Bodies.known(E))
        M.ParameterUses.push_back(N);
    llvm::sort(M.ParameterUses);
    return std::move(M);
  }

private:
  //===-- What is named ---------------------------------------------------===//

  void findUsed() {
    auto Use = [&](const Expr *E) { Bodies.use(E); };
    auto UseAll = [&](const History &H) {
      for (const Atom &X : H.atoms())
        Use(X.Origin);
    };
    for (const FunctionFacts *X : C.functions()) {
      for (const Event &E : X->Events) {
        for (const Expr *Each : {E.E, E.Stored, E.Key, E.Algorithm, E.Grad.By})
          Use(Each);
        UseAll(E.H);
      }
      for (const auto *List : {&X->Calls, &X->Elsewhere})
        for (const auto &S : *List) {
          Use(S->E);
          Use(S->Grad.By);
          for (const auto &[P, B] : S->Parameters)
            UseAll(B.Passed.H);
        }
      UseAll(X->Returned.H);
      Use(X->Exit.By);
      for (const auto &[S, Written] : X->Writes)
        UseAll(Written.H);
    }
    A.Flow.forEach([&](const FlowNode &From, const FlowEdge &E) {
      for (const FlowNode &N : {From, E.To})
        if (N.K == FlowNode::Expression)
          Use(static_cast<const Expr *>(N.P));
    });
  }

  uint32_t file(FileID F) {
    const SourceManager &SM = A.Context.getSourceManager();
    const OptionalFileEntryRef E = SM.getFileEntryRefForID(F);
    if (!E)
      return 0;
    llvm::SmallString<128> Path(E->getName());
    SM.getFileManager().makeAbsolutePath(Path);
    llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    auto [It, New] = Files.try_emplace(Path, M.Files.size() + 1);
    if (New)
      M.Files.push_back(Path.str().str());
    return It->second;
  }

  portable::Location where(SourceLocation L) {
    const SourceManager &SM = A.Context.getSourceManager();
    if (L.isInvalid())
      return {};
    const auto [F, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(L));
    portable::Location R;
    R.File = file(F);
    if (R.File) {
      R.Line = SM.getLineNumber(F, Offset);
      R.Column = SM.getColumnNumber(F, Offset);
    }
    return R;
  }

  portable::DeclRef decl(const ValueDecl *D) {
    if (!D)
      return 0;
    D = cast<ValueDecl>(D->getCanonicalDecl());
    if (auto Known = Decls.find(D); Known != Decls.end())
      return Known->second;
    using portable::Declaration;
    Declaration X;
    X.Name = D->getNameAsString();
    X.Where = where(D->getLocation());
    X.Type = typeClass(D->getType());
    const auto *In =
        dyn_cast_or_null<FunctionDecl>(D->getParentFunctionOrMethod());
    if (const auto *P = dyn_cast<ParmVarDecl>(D)) {
      X.K = Declaration::Parameter;
      X.Index = P->getFunctionScopeIndex();
      const QualType T = P->getType();
      X.IsWritable = (T->isReferenceType() || T->isPointerType()) &&
                     !T->getPointeeType().isConstQualified();
    } else if (isa<FunctionDecl>(D)) {
      X.K = Declaration::Function;
      X.Id = idOf(D);
      In = nullptr;
    } else if (const auto *F = dyn_cast<FieldDecl>(D)) {
      X.K = Declaration::Field;
      X.Id = idOf(D);
      X.Access = F->getAccess();
      In = nullptr;
    } else if (In) {
      X.K = Declaration::Local;
      const auto *V = dyn_cast<VarDecl>(D);
      X.IsStatic = V && !V->hasLocalStorage();
    } else {
      X.K = Declaration::Global;
      X.Id = idOf(D);
    }
    if (In)
      X.Owner = decl(In);
    M.Decls.push_back(std::move(X));
    Order.push_back(D);
    return Decls[D] = M.Decls.size();
  }

  //===-- Values ----------------------------------------------------------===//

  portable::Place place(const Storage &S) {
    portable::Place P;
    if (!S.valid())
      return P;
    P.K = S.IsThis ? portable::Place::This : portable::Place::Root;
    P.D = decl(S.Root);
    for (uintptr_t Step : S.Path)
      P.Path.push_back(
          Step % 2
              ? Step
              : uint64_t(decl(reinterpret_cast<const FieldDecl *>(Step))) * 2);
    return P;
  }

  portable::Mode mode(const Mode &X) {
    return {X.Bits, Bodies.node(X.By), X.Makes, Bodies.node(X.InferenceBy)};
  }

  portable::History history(const History &H) {
    portable::History R;
    for (const Atom &X : H.atoms()) {
      portable::Atom Y;
      Y.K = X.K;
      Y.IfGrad = X.IfGrad;
      Y.Through = X.Through;
      Y.Of = place(X.Of);
      Y.Origin = Bodies.node(X.Origin);
      R.push_back(std::move(Y));
    }
    // The set is in the order of addresses.
    llvm::sort(R, [](const portable::Atom &L, const portable::Atom &R) {
      auto Key = [](const portable::Atom &X) {
        return std::tie(X.K, X.IfGrad, X.Through, X.Of.K, X.Of.D, X.Of.Path,
                        X.Origin);
      };
      return Key(L) < Key(R);
    });
    return R;
  }

  portable::Cell cell(const History &H, const LossShape &S) {
    portable::Cell R;
    R.H = history(H);
    R.Shape = S.Bits;
    if (S.Of)
      R.ShapeOf = place(*S.Of);
    return R;
  }
  portable::Cell cell(const Cell &X) { return cell(X.H, X.Shape); }

  using Cells = std::vector<std::pair<portable::Place, portable::Cell>>;
  void sortCells(Cells &List) {
    llvm::sort(List, [](const auto &L, const auto &R) {
      return std::tie(L.first.K, L.first.D, L.first.Path) <
             std::tie(R.first.K, R.first.D, R.first.Path);
    });
  }

  //===-- Facts -----------------------------------------------------------===//

  void call(const CallSite &S, const FunctionFacts &In) {
    portable::Call X;
    X.K = S.K;
    X.Callee = decl(S.Callee);
    X.E = Bodies.node(S.E);
    X.Grad = mode(S.Grad);
    X.IsForward = S.IsForward;
    X.SameThis = S.SameThis;
    X.This = place(S.This);
    for (unsigned I = 0; I < S.Callee->getNumParams(); ++I) {
      auto B = S.Parameters.find(S.Callee->getParamDecl(I));
      if (B == S.Parameters.end())
        continue;
      X.Parameters.push_back({I, place(B->second.Loc), cell(B->second.Passed)});
    }
    if (S.Before)
      for (const auto &[Where, Value] : S.Before->Cells) {
        bool Names =
            !In.isLocal(Where) || (S.This.valid() && Where.startsWith(S.This));
        for (const auto &[P, B] : S.Parameters)
          Names |= B.Loc.valid() && Where.startsWith(B.Loc);
        if (Names)
          X.Before.emplace_back(place(Where), cell(Value));
      }
    sortCells(X.Before);
    M.Calls.push_back(std::move(X));
    Sites[&S] = M.Calls.size();
  }

  portable::Event event(const Event &E) {
    portable::Event X;
    X.K = E.K;
    X.How = E.How;
    X.E = Bodies.node(E.E);
    X.Stored = Bodies.node(E.Stored);
    X.Key = Bodies.node(E.Key);
    X.Algorithm = Bodies.node(E.Algorithm);
    X.Target = place(E.Target);
    X.Value = cell(E.H, E.Shape);
    X.Grad = mode(E.Grad);
    X.RetainsGraph = E.RetainsGraph;
    X.HasGradient = E.HasGradient;
    X.FixedHolder = E.FixedHolder;
    X.ByHand = E.ByHand;
    X.IsFold = E.IsFold;
    X.Callee = decl(E.Callee);
    return X;
  }

  portable::Function function(const FunctionFacts &F, portable::NodeRef Root) {
    portable::Function X;
    X.D = decl(F.F);
    X.Entry = C.entryMode(F.F).Bits;
    X.ReadsGradients = Bodies.readsGradients(F);
    X.DividesRate = Rates.divides(F);
    if (const auto *Method = dyn_cast<CXXMethodDecl>(F.F))
      for (const CXXMethodDecl *O : Method->overridden_methods())
        if (std::string Id = idOf(O); !Id.empty())
          X.Overrides.push_back(std::move(Id));
    llvm::sort(X.Overrides);
    X.Returned = cell(F.Returned);
    for (const Cell &C : F.ReturnedElements)
      X.ReturnedElements.push_back(cell(C));
    X.ReturnedPlace = place(F.ReturnedLoc);
    X.Exit = mode(F.Exit);
    for (const auto &[S, Written] : F.Writes)
      X.Writes.emplace_back(place(S), cell(Written));
    sortCells(X.Writes);
    for (const Event &E : F.Events)
      X.Events.push_back(event(E));
    for (const auto *List : {&F.Calls, &F.Elsewhere})
      for (const auto &S : *List)
        X.Calls.push_back(Sites.lookup(S.get()));
    X.Body = Root;
    return X;
  }

  /// Of what it does nothing is known; what it mentions may be changed.
  portable::Function skipped(const FunctionDecl *F) {
    portable::Function X;
    X.D = decl(F);
    X.Entry = Mode::Unknown;
    Bodies.mention(F->getBody());
    for (portable::DeclRef D : Bodies.takeMentions())
      if (!M.Decls[D - 1].Id.empty())
        X.Mentions.push_back(D);
    return X;
  }

  portable::Point point(const FlowNode &N) {
    portable::Point P;
    P.K = N.K;
    if (N.K == FlowNode::Expression || N.K == FlowNode::Definition)
      P.Of = Bodies.node(static_cast<const Expr *>(N.P));
    else if (N.P)
      P.Of = decl(static_cast<const ValueDecl *>(N.P));
    return P;
  }

  portable::Edge edge(const FlowNode &From, const FlowEdge &E) {
    portable::Edge X;
    X.From = point(From);
    X.To = point(E.To);
    X.Cut = E.Cut;
    X.Forward = E.Forward;
    X.Summary = E.Summary;
    X.Crossing = E.Crossing;
    X.Site = Sites.lookup(E.Site);
    X.UnlessSeen = decl(E.UnlessSeen);
    return X;
  }

  const Analysis &A;
  const Chains &C;
  const LearningRates Rates;
  portable::Module M;
  llvm::DenseMap<const ValueDecl *, portable::DeclRef> Decls;
  std::vector<const ValueDecl *> Order; ///< of M.Decls
  llvm::DenseMap<const CallSite *, portable::CallRef> Sites;
  llvm::StringMap<uint32_t> Files;
  std::vector<portable::NodeRef> Body;
  std::vector<std::set<portable::DeclRef>> Mentions;
  BodyExporter Bodies;
};

} // namespace

portable::Module torchtidy::flow::exportFacts(const Analysis &A,
                                              const Chains &C) {
  return Exporter(A, C).run();
}
