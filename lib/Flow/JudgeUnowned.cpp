//===- JudgeUnowned.cpp - Gradients that nothing here steps ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loss flows through two networks, and an optimizer steps one of them. Of
/// the other all uses must be seen and harmless: that nobody here owns it is
/// said only if nobody here touches its parameters at all.
///
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/ModuleUses.h"
#include "Flow/Ownership.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Semantics/Arguments.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

class Judge {
public:
  Judge(const Analysis &A, const Chains &C)
      : A(A), C(C), Calls(A), Owns(A), Uses(A) {}

  void judge(const Event &E, const FunctionFacts &X, const Chain &Path,
             std::vector<UnownedGradients> &Result) const {
    if (!E.Stored ||
        semantics::limitsInputs(semantics::classify(E.E, A.T, A.Names)))
      return;
    const FunctionDecl *Root = Chains::root(X.F, Path);
    const FunctionFacts *Outermost = A.known(Root);
    if (!Outermost || C.isCalledUnseen(Root))
      return;
    const auto Steps = Calls.below(*Outermost, nullptr, Event::Step);
    const History H = C.value({E.H, {}}, X.F, Path).H;
    if (Steps.empty())
      return;
    for (const FunctionFacts *F : C.functions())
      for (const Event &Y : F->Events) {
        if (Y.K != Event::Forward || !H.comesFrom(Y.E))
          continue;
        for (const Chain &Way : C.of(F->F)) {
          const ValueDecl *M =
              Chains::root(F->F, Way) == Root ? unowned(Y, *F, Way) : nullptr;
          if (!M || (isa<ParmVarDecl>(M) && !isAlone(Root, *Outermost)))
            continue;
          UnownedGradients R;
          R.Backward = &E;
          R.Function = X.F;
          R.Statement = X.Shape->statement(E.E);
          R.Forward = &Y;
          R.Module = M;
          R.Step = Steps.front().At;
          R.Calls = callsOf(Path);
          for (unsigned I = 0; I <= Path.size() && !R.Loop; ++I) {
            const auto Loops =
                C.frame(I, X.F, Path)
                    ->Shape->loopsAround(C.position(I, E.E, Path));
            if (!Loops.empty())
              R.Loop = Loops.front();
          }
          Result.push_back(std::move(R));
          break;
        }
      }
  }

private:
  /// The module of a forward, if its parameters get gradients and nobody here
  /// touches them.
  const ValueDecl *unowned(const Event &Forward, const FunctionFacts &X,
                           const Chain &Way) const {
    if (!C.mode(Forward.Grad, X.F, Way).is(Mode::On) ||
        !Forward.Target.valid() ||
        C.isFrozen(Forward.Target, X.F, Way, Forward.E))
      return nullptr;
    const Chains::Home Home = C.home(Forward.Target, X.F, Way);
    const ValueDecl *M = Home.Here.valid() ? moduleOf(Home.Here, A.T) : nullptr;
    if (!M || !Uses.isPlain(M->getType()) || !Uses.isOnlyRun(M))
      return nullptr;
    M = cast<ValueDecl>(M->getCanonicalDecl());
    if (isa<ParmVarDecl>(M))
      return isOf(M, Chains::root(X.F, Way)) && !Uses.isTouched(M->getType())
                 ? M
                 : nullptr;
    if (!Uses.isMadeHere(M))
      return nullptr;
    if (isa<VarDecl>(M))
      return Home.Local ? M : nullptr;
    return isOurs(cast<FieldDecl>(M)) ? M : nullptr;
  }

  static bool isOf(const ValueDecl *P, const FunctionDecl *F) {
    return llvm::any_of(F->parameters(), [&](const ParmVarDecl *Q) {
      return Q->getCanonicalDecl() == P;
    });
  }

  /// A class of this file alone, all of whose methods are seen.
  bool isOurs(const FieldDecl *F) const {
    const auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
    const SourceManager &SM = A.Context.getSourceManager();
    if (!R || A.Context.getLangOpts().IsHeaderFile ||
        !SM.isInMainFile(SM.getExpansionLoc(R->getLocation())))
      return false;
    return A.allMethodsAreSeen(R);
  }

  /// A function to which its caller gives the module and nothing that might own
  /// it, and which makes the optimizers that step.
  bool isAlone(const FunctionDecl *Root, const FunctionFacts &X) const {
    if (isa<CXXMethodDecl>(Root))
      return false;
    for (const ParmVarDecl *P : Root->parameters())
      if (!A.T.isModule(P->getType()) && mayOwn(P->getType(), 0))
        return false;
    return llvm::all_of(Calls.below(X, nullptr, Event::Step),
                        [&](const Happenings::Found &S) {
                          if (S.E->ByHand || S.In != &X)
                            return false;
                          return Owns.isKnown(S.E->Target);
                        });
  }

  /// Could an object of this type hold an optimizer?
  bool mayOwn(QualType T, unsigned Depth) const {
    if (A.T.isOptimizer(T) || A.T.isCallableWrapper(T) || Depth > 4)
      return true;
    T = T.getNonReferenceType();
    while (T->isPointerType())
      T = T->getPointeeType();
    if (T->isFunctionType())
      return true;
    const CXXRecordDecl *R = A.T.pointee(T);
    if (!R)
      return false;
    if (A.T.isLibrary(R)) {
      const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
      if (!S || A.T.isTensor(T))
        return false;
      return llvm::any_of(S->getTemplateArgs().asArray(),
                          [&](const TemplateArgument &Arg) {
                            return Arg.getKind() == TemplateArgument::Type &&
                                   mayOwn(Arg.getAsType(), Depth + 1);
                          });
    }
    if (!R->hasDefinition() || R->isPolymorphic() || R->isLambda())
      return true;
    return llvm::any_of(R->fields(), [&](const FieldDecl *F) {
      return mayOwn(F->getType(), Depth + 1);
    });
  }

  const Analysis &A;
  const Chains &C;
  const Happenings Calls;
  const Ownership Owns;
  const ModuleUses Uses;
};

} // namespace

std::vector<UnownedGradients> torchtidy::flow::judgeUnowned(const Analysis &A,
                                                            const Chains &C) {
  std::vector<UnownedGradients> Result;
  auto Any = [&](Event::Kind K) {
    return llvm::any_of(C.functions(), [&](const FunctionFacts *X) {
      return llvm::any_of(X->Events, [&](const Event &E) { return E.K == K; });
    });
  };
  if (!Any(Event::Backward) || !Any(Event::Step))
    return Result;
  const Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events)
      if (E.K == Event::Backward)
        for (const Chain &Path : C.of(X->F))
          J.judge(E, *X, Path, Result);
  // One report per module: at its first backward.
  llvm::SmallPtrSet<const ValueDecl *, 8> Told;
  llvm::erase_if(Result, [&](const UnownedGradients &R) {
    return !Told.insert(R.Module).second;
  });
  return Result;
}
