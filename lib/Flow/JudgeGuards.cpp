//===- JudgeGuards.cpp - Inference with grad mode on ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Transfer.h"

using namespace clang;
using namespace torchtidy::flow;

namespace {

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C) {}

  std::optional<UnguardedForward> judge(const Event &E, const FunctionFacts &X,
                                        const Chain &Path) {
    // A forward inside a forward belongs to the outer one.
    for (const CallSite *S : Path)
      if (S->IsForward)
        return std::nullopt;
    if (!C.mode(E.Grad, X.F, Path).is(Mode::On))
      return std::nullopt;
    if (C.isFrozen(E.Target, X.F, Path, E.E))
      return std::nullopt;
    const Expr *Lost = lostGuard(X, Path);
    const Reach Out = C.reach(FlowNode::of(skipNoise(E.E)), 0, X.F, Path);
    // Detached at once and used as a target of training: no retention, and
    // often on purpose.
    if (Out.Backward || Out.DataBackward || Out.OpaqueCall)
      return std::nullopt;
    if (Out.Escapes && !Lost)
      return std::nullopt;
    if (trainsByField(E, X, Path))
      return std::nullopt;
    UnguardedForward R;
    R.Forward = &E;
    R.Function = X.F;
    R.Statement = X.Shape->statement(E.E);
    R.Calls = callsOf(Path);
    R.LostGuard = Lost;
    for (const CallSite *S : Path)
      if (S->crossesThreads() && !R.OtherThread)
        R.OtherThread = S->E;
    if (const Stmt *Region = X.Shape->parallelRegion(E.E))
      R.OtherThread = Region;
    auto Loops = X.Shape->loopsAround(E.E);
    R.Region = Loops.empty() ? X.Shape->body() : Loops.back();
    R.FixIsSafe = isFixSafe(X, R.Statement);
    return R;
  }

private:
  /// A guard before the statement lives to the end of its block: nothing from
  /// there on may need gradients.
  bool isFixSafe(const FunctionFacts &X, const Stmt *Statement) const {
    const Stmt *Block = X.Shape->parent(Statement);
    if (!isa_and_nonnull<CompoundStmt>(Block))
      return false;
    return !needsGrad(A, X, Block);
  }

  /// `net.forward(x); (-net.log_prob(a)).backward();`: what training
  /// differentiates is what the forward left in a field of the module.
  bool trainsByField(const Event &E, const FunctionFacts &X,
                     const Chain &Path) const {
    bool Trains = false;
    for (unsigned I = 0; I <= Path.size(); ++I)
      if (const FunctionFacts *F = C.frame(I, X.F, Path))
        Trains |= llvm::any_of(
            F->Events, [](const Event &B) { return B.K == Event::Backward; });
    if (!Trains)
      return false;
    for (const auto &S : X.Calls) {
      const FunctionFacts *Callee =
          skipNoise(S->E) == skipNoise(E.E) ? A.known(S->Callee) : nullptr;
      if (!Callee)
        continue;
      for (const auto &[To, Kept] : Callee->Writes) {
        const FieldDecl *F = To.firstField();
        if (!F || Kept.H.onlyNone())
          continue;
        const Reach Out = C.reach(FlowNode::of(F), 0, X.F, Path);
        if (Out.Backward || Out.DataBackward)
          return true;
      }
    }
    return false;
  }

  const Expr *lostGuard(const FunctionFacts &X, const Chain &Path) const {
    for (unsigned I = 0; I <= Path.size(); ++I)
      if (const FunctionFacts *F = C.frame(I, X.F, Path))
        for (const Event &E : F->Events)
          if (E.K == Event::LostGuard)
            return E.E;
    return nullptr;
  }

  const Analysis &A;
  const Chains &C;
};

} // namespace

bool torchtidy::flow::needsGrad(const Analysis &A, const FunctionFacts &X,
                                const Stmt *Within, unsigned Depth) {
  if (Depth > 6)
    return true;
  for (const Event &E : X.Events)
    if ((E.K == Event::NeedsGrad || E.K == Event::Backward ||
         E.K == Event::Step ||
         (E.K == Event::Unseen && !A.T.isScopeGuard(E.E->getType()))) &&
        (!Within || X.Shape->contains(Within, E.E)))
      return true;
  for (const auto &S : X.Calls) {
    if (Within && !X.Shape->contains(Within, S->E))
      continue;
    const FunctionFacts *Callee = A.known(S->Callee);
    if (!Callee || Callee->Status != FunctionFacts::Done ||
        (Callee != &X && needsGrad(A, *Callee, nullptr, Depth + 1)))
      return true;
  }
  return false;
}

std::vector<UnguardedForward> torchtidy::flow::judgeGuards(const Analysis &A,
                                                           const Chains &C) {
  std::vector<UnguardedForward> Result;
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Forward)
        continue;
      for (const Chain &Path : C.of(X->F))
        if (auto R = J.judge(E, *X, Path)) {
          Result.push_back(std::move(*R));
          break; // one unguarded chain is enough
        }
    }
  return Result;
}
