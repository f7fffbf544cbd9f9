//===- JudgeLostGradients.cpp - Gradients zeroed before the step ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Semantics/Arguments.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

/// backward, zero_grad and step of one optimizer, in this order and in one
/// block: the step has nothing left to go along.
class Judge {
public:
  explicit Judge(const Analysis &A) : Calls(A) {}

  std::optional<WrongZeroGrad> judge(const Event &Zero,
                                     const FunctionFacts &X) const {
    if (Zero.ByHand || !Zero.Target.valid())
      return std::nullopt;
    const Stmt *At = X.Shape->statement(Zero.E);
    const auto *Block = dyn_cast_or_null<CompoundStmt>(X.Shape->parent(At));
    if (!Block)
      return std::nullopt;
    const auto Begin = llvm::find(Block->body(), At);
    const Event *Backward = nullptr, *Step = nullptr;
    for (auto I = Begin; I != Block->body_begin() && !Backward;) {
      Backward = find(X, *--I, Event::Backward);
      // What is read may be put back.
      if (Calls.readsGradients(*I) || (!Backward && mayAct(X, *I)))
        return std::nullopt;
    }
    for (auto I = std::next(Begin); I != Block->body_end() && !Step; ++I) {
      Step = find(X, *I, Event::Step);
      if (Calls.readsGradients(*I) || find(X, *I, Event::Backward) ||
          find(X, *I, Event::ScaleGrad) || (!Step && mayAct(X, *I)))
        return std::nullopt;
    }
    if (!Backward || !Step || Step->ByHand || !(Step->Target == Zero.Target) ||
        takesClosure(*Step))
      return std::nullopt;
    WrongZeroGrad R;
    R.How = WrongZeroGrad::BeforeStep;
    R.At = &Zero;
    R.Function = X.F;
    R.Statement = At;
    const auto Loops = X.Shape->loopsAround(Zero.E);
    R.Loop = Loops.empty() ? nullptr : Loops.front();
    R.Backward = Backward->E;
    R.Step = Step->E;
    return R;
  }

private:
  /// As a statement of its own: what runs perhaps proves nothing.
  static const Event *find(const FunctionFacts &X, const Stmt *S,
                           Event::Kind K) {
    for (const Event &E : X.Events)
      if (E.K == K && X.Shape->contains(S, E.E) &&
          (K == Event::ScaleGrad || X.Shape->statement(E.E) == S))
        return &E;
    return nullptr;
  }

  /// Does it call what may run backward, step or set gradients?
  static bool mayAct(const FunctionFacts &X, const Stmt *S) {
    auto Here = [&](const Expr *E) { return X.Shape->contains(S, E); };
    for (const Event &E : X.Events)
      if ((E.K == Event::Unseen || E.K == Event::Backward ||
           E.K == Event::Step || E.K == Event::ScaleGrad) &&
          Here(E.E))
        return true;
    return llvm::any_of(X.Calls,
                        [&](const auto &Site) { return Here(Site->E); });
  }

  static bool takesClosure(const Event &Step) {
    const auto *Call = dyn_cast<CXXMemberCallExpr>(Step.E);
    return !Call || llvm::any_of(Call->arguments(), [](const Expr *Arg) {
      return !semantics::isAbsent(Arg);
    });
  }

  const Happenings Calls;
};

} // namespace

void torchtidy::flow::judgeLostGradients(const Analysis &A, const Chains &C,
                                         std::vector<WrongZeroGrad> &Result) {
  const Judge J(A);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events)
      if (E.K == Event::ZeroGrad)
        if (auto R = J.judge(E, *X))
          Result.push_back(std::move(*R));
}
