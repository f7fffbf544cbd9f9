//===- Analysis.cpp - Worklist and summaries ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Analysis.h"
#include "Flow/Transfer.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/PriorityQueue.h"

using namespace clang;
using namespace torchtidy::flow;

Storage CallSite::toCaller(const Storage &S) const {
  if (S.IsThis) {
    if (SameThis)
      return S;
    return This.valid() ? S.rebase(Storage::ofThis(), This) : Storage();
  }
  auto It = Parameters.find(S.Root);
  if (It == Parameters.end())
    return S; // captured or global
  if (!It->second.Loc.valid())
    return {};
  return S.rebase(Storage::of(S.Root), It->second.Loc);
}

bool FunctionFacts::isLocal(const Storage &S) const {
  const auto *V = dyn_cast_or_null<VarDecl>(S.Root);
  if (!V)
    return S.Root && isa<BindingDecl>(S.Root);
  if (V->isInitCapture()) // lives in the lambda: where that is made
    return Shape && Shape->declaration(V);
  return !isa<ParmVarDecl>(V) && V->hasLocalStorage() &&
         V->getParentFunctionOrMethod() == F;
}

Analysis::Analysis(ASTContext &Context, const Options &Opts)
    : Context(Context), Opts(Opts), T(Context, Opts.GuardTypes),
      Names{Opts.ForwardNames, Opts.ThreadLaunchers, Opts.NonConsumers},
      Funcs(Context, T) {}

void Analysis::run() {
  for (const FunctionDecl *F : Funcs.all())
    facts(F);
}

bool Analysis::mentionsParameters(const Stmt *S) const {
  if (const auto *R = dyn_cast_or_null<DeclRefExpr>(S))
    return Parameters.contains(
        cast<ValueDecl>(R->getDecl()->getCanonicalDecl()));
  return S && llvm::any_of(S->children(), [&](const Stmt *Child) {
           return mentionsParameters(Child);
         });
}

bool Analysis::loopsOverModules(const Stmt *Loop) const {
  if (ModuleLoops.contains(Loop))
    return true;
  // `i < parameters.size()`
  if (const auto *F = dyn_cast<ForStmt>(Loop))
    return F->getCond() && mentionsParameters(F->getCond());
  const auto *R = dyn_cast<CXXForRangeStmt>(Loop);
  if (!R)
    return false;
  if (T.isModule(R->getLoopVariable()->getType()))
    return true;
  const Expr *Range = skipNoise(R->getRangeInit());
  auto IsParameters = [&](const Expr *E) {
    return isa<CXXMemberCallExpr>(E) && semantics::classify(E, T, Names).Kind ==
                                            semantics::CallKind::Parameters;
  };
  if (const auto *D = dyn_cast<DeclRefExpr>(Range))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
      if (V->getInit() && IsParameters(skipNoise(V->getInit())))
        return true;
  return IsParameters(Range);
}

Cell Analysis::atCall(const CallSite &Site, const Cell &C) const {
  const FunctionFacts *Caller = known(Site.Caller);
  auto ReadCell = [&](const Storage &X) -> Cell {
    auto It = Site.Parameters.find(X.Root);
    if (!X.IsThis && It != Site.Parameters.end() && !It->second.Loc.valid())
      return It->second.Passed;
    Storage Here = Site.toCaller(X);
    if (!Here.valid() || !Site.Before || !Caller)
      return {History::unknown(), LossShape::other()};
    return Site.Before->read(Here, Caller->isLocal(Here));
  };
  Cell R;
  R.H = C.H.substitute(Site.Grad,
                       [&](const Storage &X) { return ReadCell(X).H; });
  R.Shape.Bits = C.Shape.Bits;
  if (C.Shape.Of)
    R.Shape.join(ReadCell(*C.Shape.Of).Shape);
  R.B = C.B.substitute(Site.Grad,
                       [&](const Storage &X) { return ReadCell(X).B; });
  return R;
}

const FunctionFacts *Analysis::known(const FunctionDecl *F) const {
  auto It = All.find(F->getCanonicalDecl());
  return It == All.end() ? nullptr : It->second.get();
}

bool Analysis::allMethodsAreSeen(const CXXRecordDecl *R) const {
  return llvm::all_of(R->methods(), [&](const CXXMethodDecl *M) {
    if (M->isImplicit() || M->isDefaulted() || M->isDeleted() ||
        M->isPureVirtual())
      return true;
    const FunctionDecl *Body = Funcs.body(M);
    const FunctionFacts *X = Body ? known(Body) : nullptr;
    return X && X->Status == FunctionFacts::Done;
  });
}

FunctionFacts &Analysis::addForeign(const FunctionDecl *F) {
  auto &Slot = All[F->getCanonicalDecl()];
  Slot = std::make_unique<FunctionFacts>();
  Slot->F = F->getCanonicalDecl();
  Slot->Foreign = true;
  Slot->Status = FunctionFacts::Done;
  Foreign.push_back(Slot.get());
  return *Slot;
}

const FunctionFacts &Analysis::facts(const FunctionDecl *F) {
  auto &Slot = All[F->getCanonicalDecl()];
  if (!Slot) {
    Slot = std::make_unique<FunctionFacts>();
    Slot->F = F;
  }
  FunctionFacts &Facts = *Slot; // Slot itself moves when the map grows
  if (Facts.Status == FunctionFacts::NotYet) {
    Facts.Status = FunctionFacts::InProgress;
    analyse(Facts);
  }
  return Facts;
}

namespace {

/// Blocks in reverse post-order from the entry; unreachable ones last.
std::vector<const CFGBlock *> reversePostOrder(const CFG &G) {
  std::vector<const CFGBlock *> Order;
  llvm::SmallPtrSet<const CFGBlock *, 32> Seen;
  auto From = [&](const CFGBlock *Root) {
    std::vector<std::pair<const CFGBlock *, CFGBlock::const_succ_iterator>>
        Path;
    std::vector<const CFGBlock *> Post;
    if (!Seen.insert(Root).second)
      return Post;
    Path.emplace_back(Root, Root->succ_begin());
    while (!Path.empty()) {
      auto &[B, Next] = Path.back();
      if (Next == B->succ_end()) {
        Post.push_back(B);
        Path.pop_back();
        continue;
      }
      const CFGBlock *S = *Next++;
      if (S && Seen.insert(S).second)
        Path.emplace_back(S, S->succ_begin());
    }
    std::reverse(Post.begin(), Post.end());
    return Post;
  };
  Order = From(&G.getEntry());
  // Handlers have no edge from what may throw.
  for (const CFGBlock *B : G.try_blocks())
    for (const CFGBlock *X : From(B))
      Order.push_back(X);
  return Order;
}

/// Runs the transfer to its fixpoint, then once more to record.
class Solver {
public:
  Solver(Analysis &A, FunctionFacts &Facts, const CFG &G)
      : Facts(Facts), G(G), Order(reversePostOrder(G)), In(G.getNumBlockIDs()),
        Work(Transfer(A, Facts)) {
    for (unsigned I = 0; I < Order.size(); ++I)
      Rank[Order[I]] = I;
    findHandlers();
  }

  /// Empty if no fixpoint was reached.
  std::optional<State> solve() {
    In[G.getEntry().getBlockID()].Reached = true;
    std::set<unsigned> Pending;
    for (unsigned I = 0; I < Order.size(); ++I)
      Pending.insert(I);
    // A lattice of finite height: the bound guards against our own mistakes.
    unsigned Budget = 200 * Order.size() + 1000;
    while (!Pending.empty() && Budget--) {
      const unsigned I = *Pending.begin();
      Pending.erase(Pending.begin());
      const CFGBlock *B = Order[I];
      if (!In[B->getBlockID()].Reached)
        continue;
      State Out = step(B, /*Recording=*/false);
      // An exception leaves without a state of its own: guards end on its way.
      if (throws(*B))
        continue;
      for (const CFGBlock *S : B->succs())
        if (S && propagate(S, Out))
          Pending.insert(Rank[S]);
      // What a try statement knew at its borders holds in its handlers, and any
      // grad mode that it set and value that it assigned in between: what runs
      // then may throw.
      for (const Handler &X : Handlers.lookup(B)) {
        const CFGBlock *H = X.Block;
        bool News = propagate(H, Entered.at(X.First));
        News |= propagate(H, Out);
        for (const State &Between : TurnedOff)
          News |= propagate(H, Between);
        News |= In[H->getBlockID()].addDefinitions(Assigned);
        if (News)
          Pending.insert(Rank[H]);
      }
    }
    if (!Pending.empty())
      return std::nullopt;
    for (const CFGBlock *B : Order)
      if (In[B->getBlockID()].Reached)
        step(B, /*Recording=*/true);
    State Exit = In[G.getExit().getBlockID()];
    Exit.switchTo(nullptr, Exit.Grad);
    return Exit;
  }

private:
  static bool throws(const CFGBlock &B) {
    for (const CFGElement &E : B)
      if (auto S = E.getAs<CFGStmt>())
        if (isa<CXXThrowExpr>(S->getStmt()))
          return true;
    return false;
  }

  bool propagate(const CFGBlock *To, const State &S) {
    return In[To->getBlockID()].join(
        S, [&](const Storage &X) { return Facts.isLocal(X); });
  }

  State step(const CFGBlock *B, bool Recording) {
    State S = In[B->getBlockID()];
    // A block may begin before the try statement does.
    std::set<unsigned> Begins;
    if (!Recording)
      for (const Handler &H : Handlers.lookup(B))
        Begins.insert(H.First);
    Entered.clear();
    TurnedOff.clear();
    Assigned.clear();
    Work.begin(S, Recording);
    unsigned Index = 0;
    for (const CFGElement &E : *B) {
      if (Begins.count(Index++))
        Entered.emplace(Index - 1, S);
      const bool Tried = !Entered.empty();
      const Mode Before = S.Grad;
      if (Tried)
        for (const auto &[V, Values] : S.Definitions)
          Assigned[V].insert(Values.begin(), Values.end());
      Work.element(E);
      // Not by a guard: it is gone before the handler runs.
      if (Tried && !(S.Grad == Before) && S.Grad.has(Mode::Off) &&
          E.getAs<CFGStmt>() && isa<CallExpr>(E.castAs<CFGStmt>().getStmt()))
        TurnedOff.push_back(S);
    }
    return S;
  }

  void findHandlers() {
    for (const CFGBlock *B : G) {
      if (!B)
        continue;
      unsigned Index = 0;
      for (const CFGElement &E : *B) {
        const unsigned At = Index++;
        auto S = E.getAs<CFGStmt>();
        if (!S)
          continue;
        for (const Stmt *P = S->getStmt(); P; P = Facts.Shape->parent(P)) {
          const auto *Try =
              dyn_cast_or_null<CXXTryStmt>(Facts.Shape->parent(P));
          if (!Try || P != Try->getTryBlock())
            continue;
          for (const CFGBlock *H : G)
            if (H && H->getLabel() && isa<CXXCatchStmt>(H->getLabel()) &&
                Facts.Shape->parent(H->getLabel()) == Try &&
                llvm::none_of(Handlers[B],
                              [&](const Handler &X) { return X.Block == H; }))
              Handlers[B].push_back({H, At});
        }
      }
    }
  }

  FunctionFacts &Facts;
  const CFG &G;
  std::vector<const CFGBlock *> Order;
  llvm::DenseMap<const CFGBlock *, unsigned> Rank;
  struct Handler {
    const CFGBlock *Block;
    unsigned First; ///< the first element of the try statement
  };
  llvm::DenseMap<const CFGBlock *, llvm::SmallVector<Handler, 2>> Handlers;
  std::map<unsigned, State> Entered; ///< by First, of the last block
  std::vector<State> In;
  State::DefinitionMap Assigned; ///< inside the block that was stepped last
  std::vector<State> TurnedOff;  ///< inside the block that was stepped last
  Transfer Work;
};

} // namespace

/// clang's graph of a destructor destroys members whose class it never saw.
static bool destroysInvalid(const FunctionDecl *F) {
  const auto *D = dyn_cast<CXXDestructorDecl>(F);
  return D && (D->getParent()->isInvalidDecl() ||
               llvm::any_of(D->getParent()->fields(), [](const FieldDecl *M) {
                 return M->isInvalidDecl();
               }));
}

void Analysis::analyse(FunctionFacts &Facts) {
  const FunctionDecl *F = Facts.F;
  auto Skip = [&](std::string Why) {
    Facts.Status = FunctionFacts::Skipped;
    Facts.WhySkipped = Why;
    Facts.Returned.H = History::unknown();
    Facts.Returned.B = Birth::unknown();
    Facts.Exit = Mode::of(Mode::Entry);
    Skipped.emplace_back(F, std::move(Why));
  };
  Facts.Shape = std::make_unique<Structure>(F);
  if (Facts.Shape->hasErrors(Context) || F->isInvalidDecl() ||
      destroysInvalid(F))
    return Skip("it has errors");
  CFG::BuildOptions Build;
  Build.AddImplicitDtors = true;
  Build.AddTemporaryDtors = true;
  Build.AddLifetime = true;
  Build.AddInitializers = true;
  std::unique_ptr<CFG> G = CFG::buildCFG(F, F->getBody(), &Context, Build);
  if (!G)
    return Skip("no control-flow graph can be built");
  if (G->getNumBlockIDs() > Opts.MaxBlocks)
    return Skip("it has " + std::to_string(G->getNumBlockIDs()) +
                " blocks, more than MaxBlocks");
  const std::optional<State> Exit = Solver(*this, Facts, *G).solve();
  if (!Exit)
    return Skip("its states do not settle");
  Facts.Exit = Exit->Reached ? Exit->Grad : Mode::of(Mode::Entry);
  for (const auto &[S, C] : Exit->Cells)
    if (!Facts.isLocal(S))
      Facts.Writes[S] = C;
  Facts.Status = FunctionFacts::Done;
}
