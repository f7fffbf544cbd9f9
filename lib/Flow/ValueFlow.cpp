//===- ValueFlow.cpp - Where values go ------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ValueFlow.h"
#include "Flow/Summary.h"
#include <deque>

using namespace clang;
using namespace torchtidy::flow;

std::optional<FlowNode> torchtidy::flow::nodeOf(const Storage &S) {
  if (const FieldDecl *F = S.firstField())
    return FlowNode::of(F);
  if (S.Root)
    return FlowNode::of(S.Root);
  return std::nullopt;
}

void ValueFlow::add(FlowNode From, FlowEdge E) {
  if (From == E.To)
    return;
  std::vector<FlowEdge> &Out = Edges[From];
  for (const FlowEdge &X : Out)
    if (X.To == E.To && X.Cut == E.Cut && X.Crossing == E.Crossing &&
        X.Site == E.Site && X.UnlessSeen == E.UnlessSeen)
      return;
  Out.push_back(E);
}

const std::vector<const CallSite *> &
ValueFlow::callers(const FunctionDecl *F) const {
  static const std::vector<const CallSite *> NoCallers;
  auto It = Callers.find(F->getCanonicalDecl());
  return It == Callers.end() ? NoCallers : It->second;
}

void ValueFlow::forEach(
    llvm::function_ref<void(const FlowNode &, const FlowEdge &)> Show) const {
  for (const auto &[From, Out] : Edges)
    for (const FlowEdge &E : Out)
      Show(From, E);
}

bool ValueFlow::defines(const Expr *E) const {
  auto It = Edges.find(FlowNode::of(E));
  return It != Edges.end() && llvm::any_of(It->second, [&](const FlowEdge &X) {
           return X.To == FlowNode::ofDefinition(E);
         });
}

using Stack = std::vector<const CallSite *>;

struct ValueFlow::Place {
  FlowNode Node;
  bool Cut;
  Stack Calls;
  bool operator<(const Place &O) const {
    return std::tie(Node, Cut, Calls) < std::tie(O.Node, O.Cut, O.Calls);
  }
};

/// Places a search visits, and calls it goes down into.
static constexpr size_t MaxPlaces = 20000, MaxDepth = 12;

static Reach givenUp(Reach R) {
  R.Escapes = R.OpaqueCall = R.GivenUp = true;
  return R;
}

std::optional<bool> ValueFlow::follow(
    Place &P, llvm::function_ref<void(const FlowEdge &, Place)> Push) const {
  // Values may travel through variables of an outer function (captures) or
  // through fields: then the innermost calls are no longer ours.
  const FunctionDecl *Owner = nullptr;
  if (P.Node.K == FlowNode::Expression)
    Owner = Owners.lookup(static_cast<const Expr *>(P.Node.P));
  else if (P.Node.K == FlowNode::Return)
    Owner = static_cast<const FunctionDecl *>(P.Node.P);
  while (Owner && !P.Calls.empty() &&
         P.Calls.back()->Callee->getCanonicalDecl() != Owner)
    P.Calls.pop_back();
  auto It = Edges.find(P.Node);
  if (It == Edges.end())
    return false;
  bool Left = false;
  for (const FlowEdge &E : It->second) {
    Place Next{E.To, P.Cut || E.Cut, P.Calls};
    if (E.Crossing == FlowEdge::Enter) {
      // A recursive call brings no more than the outer one.
      const auto Outer = llvm::find(Next.Calls, E.Site);
      if (Outer != Next.Calls.end()) {
        Next.Calls.erase(std::next(Outer), Next.Calls.end());
      } else {
        if (Next.Calls.size() >= MaxDepth)
          return std::nullopt;
        Next.Calls.push_back(E.Site);
      }
    } else if (E.Crossing == FlowEdge::Exit) {
      if (!Next.Calls.empty()) {
        if (Next.Calls.back() != E.Site)
          continue;
        Next.Calls.pop_back();
      }
      Left = true;
    }
    Push(E, std::move(Next));
  }
  return Left;
}

Reach ValueFlow::reach(FlowNode Start, const Stack &Chain) const {
  Reach R;
  std::set<Place> Seen;
  std::deque<Place> Work;
  auto Push = [&](Place P) {
    if (Seen.insert(P).second)
      Work.push_back(std::move(P));
  };
  Push({Start, false, Chain});
  while (!Work.empty()) {
    if (Seen.size() > MaxPlaces)
      return givenUp(R);
    Place P = std::move(Work.front());
    Work.pop_front();
    if (P.Node.K == FlowNode::Backward) {
      (P.Cut ? R.DataBackward : R.Backward) = true;
      continue;
    }
    if (P.Node.K == FlowNode::Escape) {
      if (!P.Cut)
        R.Escapes = R.OpaqueCall = true;
      continue;
    }
    // Written through a reference for a caller that is not seen.
    if (P.Node.K == FlowNode::Variable && P.Calls.empty() && !P.Cut)
      if (const auto *V =
              dyn_cast<ParmVarDecl>(static_cast<const ValueDecl *>(P.Node.P)))
        if (const auto *F = dyn_cast<FunctionDecl>(V->getDeclContext()))
          if (const QualType T = V->getType();
              (T->isReferenceType() || T->isPointerType()) &&
              !T->getPointeeType().isConstQualified() && callers(F).empty())
            R.Escapes = true;
    const std::optional<bool> Left =
        follow(P, [&](const FlowEdge &, Place Next) { Push(std::move(Next)); });
    if (!Left)
      return givenUp(R);
    // A function without visible callers hands its result to someone unseen.
    if (P.Node.K == FlowNode::Return && !*Left && P.Calls.empty() && !P.Cut)
      R.Escapes = true;
  }
  return R;
}

bool ValueFlow::feeds(FlowNode From, FlowNode To, const Stack &Chain,
                      Admit First) const {
  std::set<Place> Seen;
  std::deque<Place> Work{{From, false, Chain}};
  bool Found = false;
  while (!Work.empty() && !Found) {
    if (Seen.size() > MaxPlaces)
      return false;
    Place P = std::move(Work.front());
    Work.pop_front();
    const bool AtStart = P.Node == From; // or there again
    auto Push = [&](const FlowEdge &E, Place Next) {
      if (E.Cut || E.Summary)
        return;
      if (AtStart && E.To.K == FlowNode::Expression &&
          !First(static_cast<const Expr *>(E.To.P)))
        return;
      if (Next.Node == To)
        Found = true;
      else if (Seen.insert(Next).second)
        Work.push_back(std::move(Next));
    };
    if (!follow(P, Push))
      return false;
  }
  return Found;
}

bool ValueFlow::connects(FlowNode From, FlowNode To, Admit First) const {
  std::set<FlowNode> Seen{From};
  std::deque<FlowNode> Work{From};
  while (!Work.empty()) {
    FlowNode N = Work.front();
    Work.pop_front();
    auto It = Edges.find(N);
    if (It == Edges.end())
      continue;
    for (const FlowEdge &E : It->second) {
      if (E.Cut || E.Forward)
        continue;
      if (N == From && E.To.K == FlowNode::Expression &&
          !First(static_cast<const Expr *>(E.To.P)))
        continue;
      if (E.To == To)
        return true;
      if (Seen.insert(E.To).second)
        Work.push_back(E.To);
    }
  }
  return false;
}
