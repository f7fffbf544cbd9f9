//===- JudgeEscape.cpp - Tensors of inference mode outside ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C) {}

  void meeting(const Meeting &M, const FunctionFacts &X) {
    for (const Chain &Path : C.of(X.F))
      onWay(M, X, Path);
  }

  std::vector<InferenceEscape> results() {
    std::vector<InferenceEscape> All;
    for (auto &[Key, R] : Found)
      All.push_back(std::move(R));
    llvm::sort(All, [](const InferenceEscape &L, const InferenceEscape &R) {
      return std::make_pair(L.At->getBeginLoc(), L.What->E->getBeginLoc()) <
             std::make_pair(R.At->getBeginLoc(), R.What->E->getBeginLoc());
    });
    // Two operands of one call, `x.mul_(a).add_(b)`, two calls inside one
    // forward.
    All.erase(std::unique(All.begin(), All.end(),
                          [](const auto &L, const auto &R) {
                            return L.At->getBeginLoc() == R.At->getBeginLoc();
                          }),
              All.end());
    // One report per module: its first layer that cannot be used.
    llvm::SmallPtrSet<const Expr *, 4> Modules;
    llvm::erase_if(All, [&](const InferenceEscape &X) {
      return X.IsModule && !Modules.insert(X.Made).second;
    });
    return All;
  }

private:
  void onWay(const Meeting &M, const FunctionFacts &X, const Chain &Path) {
    const Mode Here = C.mode(M.Grad, X.F, Path);
    if (Here.Makes != Birth::Normal ||
        (M.K == Meeting::Saves && !Here.is(Mode::On)))
      return;
    Known Tensor = known({History(), LossShape(), M.B}, X.F, Path);
    if (!Tensor.Value.B.isInference() || isMeant(M, X, Path))
      return;
    if (M.K == Meeting::Saves && !isSaved(M, X, Path))
      return;
    // What a member holds was made by another call of this object. That this
    // call is outside inference mode must then be more than assumed.
    if (Tensor.ByInvariant && isAssumed(M.Grad, X.F, Path) &&
        !(M.K == Meeting::Saves &&
          C.reach(FlowNode::of(skipNoise(M.E)), 0, X.F, Path).Backward))
      return;
    add(M, X, Path, Tensor.Value.B);
  }

  /// Is one of the operands, for whose gradient it is saved, sure to need one?
  bool isSaved(const Meeting &M, const FunctionFacts &X,
               const Chain &Path) const {
    if (M.IfParameters && !C.isFrozen(M.Module, X.F, Path, M.E))
      return true;
    return llvm::any_of(M.If, [&](const Meeting::Condition &If) {
      const History H =
          known({If.H, LossShape(), Birth::unknown()}, X.F, Path).Value.H;
      return requiresGrad(H) || (If.Needs && mayRequireGrad(H));
    });
  }

  bool isTrained(const Atom &At) const {
    return At.K == Atom::Leaf ||
           (At.K == Atom::Live && !C.isFrozenOrigin(At.Origin));
  }
  bool requiresGrad(const History &H) const {
    return !H.empty() && llvm::all_of(H.atoms(), [&](const Atom &At) {
      return isTrained(At);
    });
  }
  /// Of what requires grad unless its module is frozen, or its caller had grad
  /// mode off.
  bool mayRequireGrad(const History &H) const {
    bool Any = false;
    for (const Atom &At : H.atoms()) {
      if ((At.K == Atom::Live && !isTrained(At)) ||
          (At.K == Atom::None && At.Origin))
        return false;
      Any |= isTrained(At);
    }
    return Any;
  }

  /// The code knows: it expects the exception.
  bool isMeant(const Meeting &M, const FunctionFacts &X,
               const Chain &Path) const {
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *F = C.frame(I, X.F, Path);
      if (!F || (I > 0 && C.isOneOfSeveral(*Path[I - 1])))
        return true;
      if (I > 0 && F->F->isMain()) // reports whatever comes
        continue;
      for (const Stmt *S = C.position(I, M.E, Path); S; S = F->Shape->parent(S))
        if (const auto *Try = dyn_cast<CXXTryStmt>(S))
          if (Try->getTryBlock()->size() <= 2)
            return true;
    }
    return false;
  }

  /// Does it take the mode of a function that nobody calls for granted?
  static bool isAssumed(Mode M, const FunctionDecl *F, const Chain &Path) {
    if (Chains::root(F, Path)->isMain())
      return false;
    for (const CallSite *S : Path)
      M = M.substitute(S->Grad);
    return M.Makes & Birth::Entry;
  }

  //===-- Values ----------------------------------------------------------===//

  struct Known {
    Cell Value;
    bool ByInvariant = false; ///< by all that is ever written to a member
  };

  Known known(Cell Here, const FunctionDecl *F, const Chain &Path) const {
    Known R;
    for (unsigned I = 0;; ++I) {
      R.ByInvariant |= applyInvariants(Here);
      if (I == Path.size())
        break;
      Here = A.atCall(*Path[I], Here);
    }
    const Mode Entry = C.mode(Mode::of(Mode::Entry), Chains::root(F, Path), {});
    R.Value.H = Here.H.substitute(
        Entry, [](const Storage &) { return History::unknown(); });
    R.Value.B = Here.B.substitute(
        Entry, [](const Storage &) { return Birth::unknown(); });
    return R;
  }

  /// Puts what is known of members and globals in place of their values at
  /// entry.
  bool applyInvariants(Cell &Here) const {
    const std::optional<Storage> Of = Here.B.Of;
    const Cell *I = Of ? invariant(*Of) : nullptr;
    if (I) {
      Here.B.Of.reset();
      Here.B.join(I->B);
    }
    History H;
    for (const Atom &At : Here.H.atoms()) {
      const Cell *Value = At.K == Atom::Entry ? invariant(At.Of) : nullptr;
      if (Value && requiresGrad(Value->H))
        H.add({Atom::Leaf});
      else
        H.add(At);
    }
    Here.H = std::move(H);
    return I;
  }

  /// The join of all that is ever written there; null: it cannot be told.
  const Cell *invariant(const Storage &S) const {
    const ValueDecl *D = nullptr;
    if (!S.Path.empty())
      D = S.Path.size() == 1 || S.Path.back() % 2 == 0 ? S.lastField()
                                                       : nullptr;
    else if (const auto *V = dyn_cast_or_null<VarDecl>(S.Root))
      D = V->hasGlobalStorage() ? V : nullptr;
    if (!D)
      return nullptr;
    auto [It, New] = Invariants.try_emplace(D);
    if (!New)
      return It->second ? &*It->second : nullptr;
    if (!allWritesAreSeen(D))
      return nullptr;
    // What depends on the old value adds nothing: until then it is empty.
    It->second = Cell{History(), LossShape(), Birth::nothing()};
    Cell All = *It->second;
    for (const FunctionFacts *X : C.everywhere())
      for (const auto &[Where, What] : X->Writes)
        if (D == Where.lastField() || (D == Where.Root && Where.Path.empty()))
          join(All, What, X->F);
    if (const auto *F = dyn_cast<FieldDecl>(D))
      for (const auto &[By, What] : A.LocalFields.lookup(F))
        join(All, What, By);
    It->second = std::move(All);
    return &*It->second;
  }

  void join(Cell &All, const Cell &What, const FunctionDecl *By) const {
    for (const Chain &Path : C.of(By))
      All.join(known(What, By, Path).Value);
  }

  bool allWritesAreSeen(const ValueDecl *D) const {
    const SourceManager &SM = A.Context.getSourceManager();
    const bool Here = SM.isInMainFile(SM.getExpansionLoc(D->getLocation())) &&
                      !A.Context.getLangOpts().IsHeaderFile;
    if (const auto *V = dyn_cast<VarDecl>(D))
      return Here && (!V->getInit() || semantics::isAbsent(V->getInit()));
    const auto *F = cast<FieldDecl>(D);
    const auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
    if (!R || R->isAggregate() || R->isUnion() || R->isLambda() ||
        (F->hasInClassInitializer() &&
         !semantics::isAbsent(F->getInClassInitializer())))
      return false;
    if (!Here && (F->getAccess() == AS_public || R->hasFriends()))
      return false;
    return A.allMethodsAreSeen(R);
  }

  //===-- Reports ---------------------------------------------------------===//

  /// Of the variable, also where \p E is a view of it or a handle's object.
  std::string nameOf(const Expr *E) const {
    for (E = E ? skipNoise(E) : nullptr; E;) {
      const auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      const Expr *Of = objectOf(E);
      if (O && O->getOperator() != OO_Subscript &&
          O->getOperator() != OO_Arrow && O->getOperator() != OO_Star)
        Of = nullptr;
      const bool Same =
          Of && A.T.isTensor(Of->getType()) == A.T.isTensor(E->getType());
      if (!Same)
        break;
      E = skipNoise(Of);
    }
    if (const auto *R = dyn_cast_or_null<DeclRefExpr>(E))
      return R->getDecl()->getNameAsString();
    if (const auto *M = dyn_cast_or_null<MemberExpr>(E))
      return M->getMemberDecl()->getNameAsString();
    return "";
  }

  static const Expr *objectOf(const Expr *Call) {
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(Call))
      return M->getImplicitObjectArgument();
    const auto *O = dyn_cast<CXXOperatorCallExpr>(Call);
    return O ? O->getArg(0) : nullptr;
  }

  /// The argument that \p Site passes for \p P.
  static const Expr *argumentFor(const CallSite &Site, const ParmVarDecl *P) {
    const unsigned I = P->getFunctionScopeIndex();
    llvm::SmallVector<const Expr *, 4> Args;
    if (const auto *Call = dyn_cast<CallExpr>(Site.E))
      Args.append(Call->arg_begin(), Call->arg_end());
    if (isa<CXXOperatorCallExpr>(Site.E) && !Args.empty())
      Args.erase(Args.begin()); // the object
    return I < Args.size() ? Args[I] : nullptr;
  }

  void add(const Meeting &M, const FunctionFacts &X, const Chain &Path,
           const Birth &Last) {
    // A forward does what forwards do: whoever gives it such a tensor, or calls
    // such a module, is to blame.
    const bool Module = A.T.isModule(M.Operand->getType());
    const Expr *Tensor = M.Operand;
    Cell Here{History(), LossShape(), M.B};
    unsigned Frame = 0;
    for (; Frame < Path.size() && Path[Frame]->IsForward && Here.B.Of;
         ++Frame) {
      const auto *P = Here.B.Of->Path.empty()
                          ? dyn_cast_or_null<ParmVarDecl>(Here.B.Of->Root)
                          : nullptr;
      if (Module)
        Tensor = objectOf(Path[Frame]->E);
      else if (P)
        Tensor = argumentFor(*Path[Frame], P);
      else
        break;
      Here = A.atCall(*Path[Frame], Here);
    }
    const FunctionFacts &In = *C.frame(Frame, X.F, Path);
    InferenceEscape R;
    R.What = &M;
    R.At = C.position(Frame, M.E, Path);
    R.Function = In.F;
    R.Statement = In.Shape->statement(R.At);
    R.Tensor = nameOf(Tensor);
    R.IsModule = Module;
    R.Made = Last.At;
    R.Guard = Last.By;
    for (const FunctionFacts *F : C.functions())
      if (R.Made && F->Shape->parent(R.Made))
        R.MadeStatement = F->Shape->statement(R.Made);
    for (unsigned I = Frame; I < Path.size(); ++I)
      R.Calls.push_back(Path[I]->E);
    Found.emplace(std::make_pair(R.At, M.E), std::move(R));
  }

  const Analysis &A;
  const Chains &C;
  mutable std::map<const ValueDecl *, std::optional<Cell>> Invariants;
  /// By where it is reported, and the operation: the first way to each.
  std::map<std::pair<const Expr *, const Expr *>, InferenceEscape> Found;
};

} // namespace

std::vector<InferenceEscape> torchtidy::flow::judgeEscapes(const Analysis &A,
                                                           const Chains &C) {
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Meeting &M : X->Meetings)
      J.meeting(M, *X);
  return J.results();
}
