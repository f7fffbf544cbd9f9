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

  std::optional<UnguardedForward> judge(const Event &E,
                                        const FunctionFacts &X) {
    std::optional<UnguardedForward> Found;
    const Chain *FoundBy = nullptr;
    std::vector<const Chain *> Trained;
    for (const Chain &Path : C.of(X.F)) {
      bool Needed = false;
      auto R = judge(E, X, Path, Needed);
      if (Needed)
        Trained.push_back(&Path);
      if (!R || Found)
        continue;
      Found = std::move(R);
      FoundBy = &Path;
    }
    if (Found && !Trained.empty() && !moveOut(*Found, *FoundBy, Trained))
      return std::nullopt;
    return Found;
  }

private:
  /// \p Needed: training needs the history on this way.
  std::optional<UnguardedForward> judge(const Event &E, const FunctionFacts &X,
                                        const Chain &Path, bool &Needed) {
    const Mode Grad = C.mode(E.Grad, X.F, Path);
    if (Grad.is(Mode::Off))
      return std::nullopt;
    if (C.isFrozen(E.Target, X.F, Path, E.E))
      return std::nullopt;
    const Expr *Lost = lostGuard(X, Path);
    const Reach Out = C.reach(FlowNode::of(skipNoise(E.E)), 0, X.F, Path);
    // Detached at once and used as a target of training: no retention, and
    // often on purpose.
    Needed = Out.Backward || Out.DataBackward || Out.OpaqueCall ||
             (Out.Escapes && !Lost) || trainsByField(E, X, Path);
    // A forward inside a forward belongs to the outer one.
    if (Needed || !Grad.is(Mode::On) ||
        llvm::any_of(Path, [](const CallSite *S) { return S->IsForward; }))
      return std::nullopt;
    UnguardedForward R;
    R.Forward = &E;
    R.Calls = callsOf(Path);
    R.LostGuard = Lost;
    for (const CallSite *S : Path)
      if (S->crossesThreads() && !R.OtherThread)
        R.OtherThread = S->E;
    if (const Stmt *Region = X.Shape->parallelRegion(E.E))
      R.OtherThread = Region;
    place(R, X, E.E);
    return R;
  }

  void place(UnguardedForward &R, const FunctionFacts &X,
             const Expr *At) const {
    R.At = At;
    R.Function = X.F;
    R.Statement = X.Shape->statement(At);
    auto Loops = X.Shape->loopsAround(At);
    R.Region = Loops.empty() ? X.Shape->body() : Loops.back();
    R.FixIsSafe = isFixSafe(X, R.Statement);
  }

  /// Where training comes the same way a guard would break it: the report moves
  /// to the first call on \p Path that training does not share. False if that
  /// stands in another file.
  bool moveOut(UnguardedForward &R, const Chain &Path,
               const std::vector<const Chain *> &Trained) const {
    size_t Shared = 0;
    for (const Chain *T : Trained) {
      const auto Part =
          std::mismatch(Path.begin(), Path.end(), T->begin(), T->end());
      Shared = std::max<size_t>(Shared, Part.first - Path.begin());
    }
    if (Shared == Path.size())
      return true;
    const FunctionFacts *Caller = A.known(Path[Shared]->Caller);
    if (!Caller || Caller->Foreign || !Caller->Shape)
      return false;
    place(R, *Caller, skipNoise(Path[Shared]->E));
    R.Calls.erase(R.Calls.begin(), R.Calls.begin() + Shared + 1);
    return true;
  }

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
      auto R = J.judge(E, *X);
      // Several forwards behind one call want one guard.
      if (R && llvm::none_of(Result, [&](const UnguardedForward &Other) {
            return Other.At == R->At;
          }))
        Result.push_back(std::move(*R));
    }
  return Result;
}
