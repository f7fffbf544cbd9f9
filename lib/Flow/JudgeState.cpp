//===- JudgeState.cpp - State that is carried with its history ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A chain that grows belongs to judgeState if a backward runs over it round by
/// round, to judgeRetained if none ever does, and to judgeGuards if the forward
/// that makes it is inference.
///
//===----------------------------------------------------------------------===//

#include "Flow/Bounds.h"
#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

/// The variable or `this` that a member access starts from, else null.
const Expr *baseOf(const Expr *E) {
  E = skipNoise(E);
  while (const auto *M = dyn_cast_or_null<MemberExpr>(E))
    E = skipNoise(M->getBase());
  return E;
}

bool mentions(const Stmt *S, const Storage &Holder) {
  if (!S)
    return false;
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    if (Holder.Root && R->getDecl()->getCanonicalDecl() == Holder.Root)
      return true;
  if (isa<CXXThisExpr>(S) && Holder.IsThis)
    return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return mentions(C, Holder); });
}

/// `const State &s = detached(old)`
bool namesTemporary(const VarDecl *V) {
  return V->getType()->isReferenceType() && V->getInit() &&
         skipNoise(V->getInit())->isPRValue();
}

/// How many parts of it can have a history of their own; 0: not known.
unsigned partsOf(const Storage &S, const semantics::Types &T) {
  const ValueDecl *D = S.Path.empty() ? S.Root : S.lastField();
  const CXXRecordDecl *R =
      D ? D->getType().getNonReferenceType()->getAsCXXRecordDecl() : nullptr;
  if (!R || T.isContainer(D->getType()))
    return 0;
  if (const auto *X = dyn_cast<ClassTemplateSpecializationDecl>(R)) {
    unsigned N = 0;
    if (R->isInStdNamespace())
      for (const TemplateArgument &A : X->getTemplateArgs().asArray()) {
        if (A.getKind() == TemplateArgument::Pack)
          N += A.pack_size();
        else if (A.getKind() == TemplateArgument::Type)
          ++N;
      }
    return N;
  }
  unsigned N = 0;
  if (!T.isLibrary(R) && R->hasDefinition())
    for (const FieldDecl *F : R->fields())
      N += T.carriesTensor(F->getType());
  return N;
}

struct Carried {
  UndetachedState Report;
  FlowNode Node;
  unsigned Frame;
  Chain Path;
};

class Judge {
public:
  Judge(const Analysis &A, const Chains &C)
      : A(A), C(C), B(A), Window(A), Calls(A) {}

  std::optional<Carried> judge(const Event &E, const FunctionFacts &X,
                               const Chain &Path) {
    if (!E.Target.valid() || !E.Stored || E.IsFold || E.How == Event::InPlace)
      return std::nullopt;
    const History H = C.value({E.H, {}}, X.F, Path).H;
    if (llvm::none_of(H.atoms(), [&](const Atom &At) {
          return At.K == Atom::Live && !C.isFrozenOrigin(At.Origin);
        }))
      return std::nullopt;
    const Chains::Home Home = C.home(E.Target, X.F, Path);
    const auto Node = nodeOf(Home.Here);
    if (!Home.Here.valid() || !Node ||
        (E.How != Event::Accumulate && !feeds(Home, Path, E.Stored)))
      return std::nullopt;
    Carried R;
    R.Node = *Node;
    R.Frame = Home.Frame;
    R.Path = Path;
    if (!findLoop(E, X, Path, Home, R.Report))
      return std::nullopt;
    R.Report.Store = &E;
    R.Report.Function = X.F;
    R.Report.Statement = X.Shape->statement(E.E);
    R.Report.Holder = Home.Here;
    R.Report.HolderDecl =
        Home.Here.Root ? Home.Here.Root : Home.Here.firstField();
    R.Report.Calls = callsOf(Path);
    R.Report.Producers = producersOf(H);
    return R;
  }

  /// Each is made from the other: two names of one state.
  bool sameState(const Carried &L, const Carried &R) const {
    auto All = [](const Expr *) { return true; };
    auto Feeds = [&](const Carried &From, const Carried &To) {
      return C.feeds(From.Node, From.Frame,
                     FlowNode::of(skipNoise(To.Report.Store->Stored)),
                     From.Path, All);
    };
    return L.Report.Loop == R.Report.Loop &&
           L.Report.Function == R.Report.Function && Feeds(L, R) && Feeds(R, L);
  }

private:
  /// Is the new value made from the holder's old one?
  bool feeds(const Chains::Home &Home, const Chain &Path,
             const Expr *To) const {
    const FlowNode Target = FlowNode::of(skipNoise(To));
    auto Admits = [&](const Expr *Read) { return mayName(Read, Home); };
    if (C.feeds(*nodeOf(Home.Here), Home.Frame, Target, Path, Admits))
      return true;
    if (!Home.Here.Root || Home.Here.Path.empty())
      return false;
    // A field that is read as a part of the whole.
    auto Whole = [&](const Expr *Read) {
      return !isa<MemberExpr>(skipNoise(Read)) && mayName(Read, Home);
    };
    return C.feeds(FlowNode::of(Home.Here.Root), Home.Frame, Target, Path,
                   Whole);
  }

  /// The node of a field stands for all objects: not one of another variable
  /// of the same function.
  bool mayName(const Expr *Read, const Chains::Home &Home) const {
    const auto *R = dyn_cast_or_null<DeclRefExpr>(baseOf(Read));
    const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    if (!V)
      return true;
    auto Alias = A.Aliases.find(cast<ValueDecl>(V->getCanonicalDecl()));
    const ValueDecl *Root = V->getCanonicalDecl();
    if (Alias != A.Aliases.end())
      Root = Alias->second.Root;
    const bool Here =
        Root && Home.Here.Root &&
        Root->getDeclContext() == Home.Here.Root->getDeclContext();
    const bool Opaque = Alias == A.Aliases.end() && !isa<ParmVarDecl>(V) &&
                        A.T.isHandle(V->getType()) && !namesTemporary(V);
    if (!Here || Opaque)
      return true;
    return llvm::any_of(Home.Names,
                        [&](const Storage &N) { return N.Root == Root; });
  }

  /// The innermost loop that carries the state and runs backward over it.
  bool findLoop(const Event &E, const FunctionFacts &X, const Chain &Path,
                const Chains::Home &Home, UndetachedState &R) const {
    for (unsigned I = 0; I <= Home.Frame; ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      for (const Stmt *L : Frame->Shape->loopsAround(At)) {
        if (I == Home.Frame && Home.Local)
          if (const auto *V = dyn_cast_or_null<VarDecl>(Home.Here.Root))
            if (const Stmt *D = Frame->Shape->declaration(V))
              if (Frame->Shape->repeats(L, D))
                return false;
        if (Structure::constantTrips(L, A.Context) == 1 ||
            A.loopsOverModules(L) || Frame->Shape->leavesAfter(At, L))
          continue;
        if (isRenewed(L, I, X, Path, Home))
          return false;
        if (runsBackward(*Frame, L, Path, Home, R)) {
          R.Loop = L;
          return true;
        }
      }
    }
    return calledRepeatedly(X, Path, Home, R);
  }

  /// A member of which a function without visible callers takes the old value.
  bool calledRepeatedly(const FunctionFacts &X, const Chain &Path,
                        const Chains::Home &Home, UndetachedState &R) const {
    const FunctionDecl *Root = Chains::root(X.F, Path);
    const auto *Method = dyn_cast<CXXMethodDecl>(Root);
    if (Home.Local || !Method || Method->getParent()->isLambda() ||
        isa<CXXConstructorDecl, CXXDestructorDecl>(Root) ||
        C.isCalledUnseen(Root) || !Home.Here.IsThis || Home.Here.Path.empty())
      return false;
    // Whoever else writes it may do so between the calls.
    if (C.mayBeTouched(Home.Here, Root))
      return false;
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events)
        if (Y.Target.valid() && nodeOf(Y.Target) == nodeOf(Home.Here) &&
            !isa<CXXConstructorDecl>(F->F) && replaces(Y, *F, X, Path, Home))
          return false;
    if (isRenewed(nullptr, Home.Frame, X, Path, Home))
      return false;
    return runsBackward(*C.frame(Home.Frame, X.F, Path), nullptr, Path, Home,
                        R);
  }

  /// Does the event put something there that is not made from what was there?
  bool replaces(const Event &Y, const FunctionFacts &In, const FunctionFacts &X,
                const Chain &Path, const Chains::Home &Home) const {
    if (Y.K == Event::Bound)
      return true;
    if (Y.K != Event::Store || !Y.Stored)
      return false;
    if (Y.How == Event::Indexed || Y.How == Event::Insert)
      return Y.H.onlyNone();
    if (Y.How != Event::Rebind)
      return false;
    for (unsigned I = 0; I <= Path.size(); ++I)
      if (C.frame(I, X.F, Path) == &In)
        return !feeds(Home, Path, Y.Stored);
    return !B.dependsOnItself(Y);
  }

  /// Is the state detached or begun anew below the loop, or may it be?
  bool isRenewed(const Stmt *Loop, unsigned Frame, const FunctionFacts &X,
                 const Chain &Path, const Chains::Home &Home) const {
    for (unsigned I = 0; I <= Frame && I < Home.Names.size(); ++I) {
      if (!Home.Names[I].valid())
        continue;
      const FunctionFacts *F = C.frame(I, X.F, Path);
      const Stmt *Within = I == Frame ? Loop : nullptr;
      std::set<uintptr_t> Parts;
      auto Renews = [&](const Event &Y, const FunctionFacts &In,
                        const Storage &Name) {
        if (Y.K == Event::Unseen)
          return In.Foreign || mentions(Y.E, Name);
        if (!B.renews(Y, In, Name, &In == F ? Within : nullptr) ||
            !replaces(Y, In, X, Path, Home))
          return false;
        if (Name.startsWith(Y.Target))
          return true;
        // A part: h of the pair h and c.
        Parts.insert(Y.Target.Path[Name.Path.size()]);
        return Parts.size() >= partsOf(Name, A.T);
      };
      if (B.anyEvent(*F, Home.Names[I], Within, Renews))
        return true;
    }
    return false;
  }

  /// Does each round, or each k-th, run a backward that the state reaches?
  bool runsBackward(const FunctionFacts &Frame, const Stmt *Loop,
                    const Chain &Path, const Chains::Home &Home,
                    UndetachedState &R) const {
    const bool Steps = !Calls.below(Frame, Loop, Event::Step).empty();
    for (const Happenings::Found &Y :
         Calls.below(Frame, Loop, Event::Backward)) {
      // The graph of one sequence may be differentiated step by step.
      if (!Y.E->Stored || (Y.E->RetainsGraph && !Steps))
        continue;
      if (!happensAgain(Frame, Y.At, Loop) ||
          (Y.In != &Frame && !happensAgain(*Y.In, Y.E->E, nullptr)) ||
          !feeds(Home, Path, Y.E->Stored))
        continue;
      R.Backward = Y.E;
      return true;
    }
    return false;
  }

  bool happensAgain(const FunctionFacts &X, const Expr *At,
                    const Stmt *Loop) const {
    if (Loop && X.Shape->leavesAfter(At, Loop))
      return false;
    return llvm::all_of(X.Shape->conditions(At, Loop), [&](const Expr *Cond) {
      return Window.recurs(Cond) || (Loop && !X.Shape->variesIn(Cond, Loop)) ||
             asksLibrary(Cond);
    });
  }

  /// `loss.requires_grad()`, `!std::isnan(x)`, `batch.numel() == 0`: a reason
  /// to leave out single rounds. A counter would single out one.
  bool asksLibrary(const Expr *Condition) const {
    bool Asks = false, Counts = false;
    std::function<void(const Stmt *)> Look = [&](const Stmt *S) {
      if (!S)
        return;
      if (const auto *Call = dyn_cast<CallExpr>(S))
        if (const FunctionDecl *F = Call->getDirectCallee())
          Asks |= A.T.isLibrary(F) && !isa<CXXOperatorCallExpr>(Call);
      if (const auto *R = dyn_cast<DeclRefExpr>(S))
        Counts |= R->getType()->isIntegerType() && isa<VarDecl>(R->getDecl());
      for (const Stmt *Child : S->children())
        Look(Child);
    };
    Look(Condition);
    return Asks && !Counts;
  }

  const Analysis &A;
  const Chains &C;
  const Bounds B;
  const WindowCondition Window;
  const Happenings Calls;
};

} // namespace

std::vector<UndetachedState> torchtidy::flow::judgeState(const Analysis &A,
                                                         const Chains &C) {
  std::vector<Carried> Found;
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Store)
        continue;
      for (const Chain &Path : C.of(X->F))
        if (auto R = J.judge(E, *X, Path)) {
          // The last in the round hands the state on.
          auto Same = llvm::find_if(Found, [&](const Carried &Other) {
            return Other.Report.Store->E == E.E || J.sameState(Other, *R);
          });
          if (Same == Found.end())
            Found.push_back(std::move(*R));
          else if (Same->Report.Store->E != E.E &&
                   Same->Report.Store->E->getBeginLoc() < E.E->getBeginLoc())
            *Same = std::move(*R);
          break;
        }
    }
  std::vector<UndetachedState> Result;
  for (Carried &F : Found)
    Result.push_back(std::move(F.Report));
  return Result;
}
