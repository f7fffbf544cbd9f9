//===- PathWalk.cpp - Walks the paths of a custom function ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/PathWalk.h"
#include "Flow/Transfer.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

/// Paths and statements of one function; calls inside each other; how often a
/// path comes by a block (a loop runs twice at most).
static constexpr unsigned MaxPaths = 512, MaxSteps = 100000, MaxFrames = 8,
                          MaxVisits = 3;

PathWalk::End PathWalk::walk(const FunctionDecl *Forward, Visit AtReturn) {
  this->AtReturn = &AtReturn;
  Work.clear();
  Steps = Paths = 0;
  P = Path();
  if (!enter(Forward, nullptr))
    return End::Lost;
  begin(Forward);
  Work.push_back(std::move(P));
  while (!Work.empty()) {
    if (++Paths > MaxPaths || Steps > MaxSteps)
      return End::TooMany;
    P = std::move(Work.back());
    Work.pop_back();
    run();
    if (P.IsLost)
      return End::Lost;
  }
  return End::Complete;
}

const CFG *PathWalk::graph(const FunctionDecl *F) {
  auto &G = Graphs[F];
  if (!G) {
    CFG::BuildOptions Build;
    G = CFG::buildCFG(F, F->getBody(), &A.Context, Build);
    if (G && G->getNumBlockIDs() > A.Opts.MaxBlocks)
      G = nullptr;
  }
  return G.get();
}

bool PathWalk::enter(const FunctionDecl *F, const Expr *Call) {
  const FunctionFacts *X = A.known(F);
  if (!X || X->Status == FunctionFacts::Skipped ||
      P.Frames.size() >= MaxFrames ||
      llvm::any_of(P.Frames, [&](const PathFrame &Y) { return Y.F == F; }))
    return false;
  const CFG *G = graph(F);
  if (!G)
    return false;
  PathFrame New;
  New.F = F;
  New.Graph = G;
  New.Block = &G->getEntry();
  New.Call = Call;
  P.Frames.push_back(std::move(New));
  return true;
}

void PathWalk::begin(const FunctionDecl *Forward) {
  for (const ParmVarDecl *V : Forward->parameters()) {
    ThingId T;
    if (semantics::isAutogradContext(V->getType())) {
      T = P.add({});
      P.Things[T].K = Thing::Context;
      P.SavedData = P.add({});
      Thing &Saved = P.Things[P.SavedData];
      Saved.K = Thing::Group;
      Saved.IsShared = Saved.IsSavedData = true;
    } else {
      T = typed(V->getType(), nullptr, /*MayBeInput=*/true);
      Thing &X = P.Things[T];
      if (X.K == Thing::Tensor)
        X.IsInput = true;
    }
    P.frame().Variables[cast<ValueDecl>(V->getCanonicalDecl())] = P.addSlot(T);
  }
}

/// To the end of one path; what branches off is left in Work.
void PathWalk::run() {
  while (!P.Frames.empty() && !P.IsLost && ++Steps <= MaxSteps) {
    PathFrame &F = P.frame();
    if (F.Next < F.Block->size()) {
      const CFGElement E = (*F.Block)[F.Next++];
      if (auto S = E.getAs<CFGStmt>())
        statement(S->getStmt());
      continue;
    }
    if (F.Block == &F.Graph->getExit()) {
      if (P.Frames.size() == 1) {
        if (F.Return)
          (*AtReturn)(P, F.Return);
        return;
      }
      leave();
    } else if (!branch()) {
      return;
    }
  }
}

/// Goes on to the next block; false where the path is not followed further.
bool PathWalk::branch() {
  const CFGBlock *B = P.frame().Block;
  if (B->hasNoReturnElement())
    return false;
  for (const CFGElement &E : *B)
    if (auto S = E.getAs<CFGStmt>(); S && isa<CXXThrowExpr>(S->getStmt()))
      return false;
  llvm::SmallVector<std::pair<const CFGBlock *, unsigned>, 2> Next;
  unsigned I = 0;
  for (const CFGBlock::AdjacentBlock &S : B->succs()) {
    if (const CFGBlock *To = S.getReachableBlock();
        To && P.frame().Visits[To] < MaxVisits)
      Next.emplace_back(To, I);
    ++I;
  }
  if (Next.empty())
    return false;
  const Stmt *Condition = B->getTerminatorStmt();
  auto Go = [&](Path &On, unsigned Which) {
    PathFrame &F = On.frame();
    F.Block = Next[Which].first;
    F.Next = 0;
    ++F.Visits[F.Block];
    if (Condition)
      F.Taken[Condition] = Next[Which].second;
  };
  for (unsigned J = 1; J < Next.size(); ++J) {
    Work.push_back(P);
    Go(Work.back(), J);
  }
  Go(P, 0);
  return true;
}

void PathWalk::leave() {
  PathFrame Done = std::move(P.frame());
  P.Frames.pop_back();
  Found R = Done.Returned;
  if (!Done.F->getReturnType()->isReferenceType())
    R = {P.copyOf(P.read(R))};
  P.frame().Values[Done.Call] = R;
}

void PathWalk::statement(const Stmt *S) {
  if (const auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Y : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Y))
        declare(V);
    return;
  }
  if (const auto *R = dyn_cast<ReturnStmt>(S)) {
    P.frame().Return = R;
    if (R->getRetValue())
      P.frame().Returned = value(R->getRetValue());
    return;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(S)) {
    if (B->getOpcode() == BO_Assign)
      assign(B->getLHS(), B->getRHS());
    return;
  }
  const auto *E = dyn_cast<Expr>(S);
  if (!E || !isa<CallExpr, CXXConstructExpr>(E))
    return;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E);
      C && C->getNumArgs() >= 1 &&
      C->getConstructor()->isCopyOrMoveConstructor())
    return; // skipNoise looks through it
  const size_t Depth = P.Frames.size();
  const Found R = call(E);
  if (P.Frames.size() == Depth) // else when the callee returns
    P.frame().Values[E] = R;
}

void PathWalk::declare(const VarDecl *V) {
  auto &Variables = P.frame().Variables;
  const auto *Key = cast<ValueDecl>(V->getCanonicalDecl());
  const Expr *Init = V->getInit();
  if (!Init || V->isStaticLocal()) {
    Variables[Key] =
        P.addSlot(V->isStaticLocal() ? 0 : typed(V->getType(), nullptr, false));
    return;
  }
  const Found X = value(Init);
  const QualType T = V->getType();
  if ((T->isReferenceType() || T->isPointerType()) && X.Where != Nowhere)
    Variables[Key] = X.Where;
  else
    Variables[Key] = P.addSlot(P.copyOf(P.read(X)));
  const auto *D = dyn_cast<DecompositionDecl>(V);
  if (!D)
    return;
  const ThingId Whole = P.Slots[Variables[Key]];
  unsigned I = 0;
  for (const BindingDecl *B : D->bindings()) {
    PartKey Part = PartKey::number(I++);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(
            B->getBinding() ? B->getBinding()->IgnoreParenImpCasts() : nullptr))
      if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
        Part = PartKey::field(F);
    const Found Y = P.part(Whole, Part, /*Make=*/false);
    Variables[cast<ValueDecl>(B->getCanonicalDecl())] =
        Y.Where != Nowhere ? Y.Where : P.addSlot(Y.What);
  }
}

void PathWalk::store(SlotId Where, const Expr *At) {
  SavedStore S;
  S.At = At;
  S.Function = P.frame().F;
  for (const PathFrame &F : llvm::reverse(P.Frames))
    if (F.Call)
      S.Calls.push_back(F.Call);
  P.Stores.insert(S);
  P.Saved[Where] = std::move(S);
}

void PathWalk::assignTo(const Found &To, ThingId What, const Expr *At) {
  if (To.Where == Nowhere) {
    if (To.PartOf)
      P.forgetParts(To.PartOf);
    return;
  }
  P.Slots[To.Where] = P.copyOf(What);
  if (P.Saved.count(To.Where))
    store(To.Where, At);
}

void PathWalk::assign(const Expr *Left, const Expr *Right) {
  const Found To = value(Left), From = value(Right);
  const Expr *Target = skipNoise(Left);
  if (Left->getType()->isPointerType()) {
    if (const auto *R = dyn_cast<DeclRefExpr>(Target);
        R && From.Where != Nowhere)
      P.frame().Variables[cast<ValueDecl>(R->getDecl()->getCanonicalDecl())] =
          From.Where;
    return;
  }
  // buf[i] = t writes into the buffer.
  if (A.T.isTensor(Left->getType()) && Target->isPRValue())
    return;
  const ThingId Group = P.read(To), What = P.read(From);
  if (P.Things[Group].IsSavedData) {
    P.IsLost = true;
    return;
  }
  const auto *Tie = dyn_cast<CallExpr>(Target);
  if (Tie &&
      semantics::classify(Tie, A.T, A.Names).Kind == semantics::CallKind::Tie) {
    const std::map<PartKey, SlotId> Parts = P.Things[Group].Parts;
    for (const auto &[Key, Slot] : Parts) {
      const Found Part = P.part(What, Key, /*Make=*/false);
      assignTo({0, Slot}, P.read(Part), Right);
    }
    return;
  }
  assignTo(To, What, Left);
}
