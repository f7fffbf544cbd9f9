//===- RetainedGraphCheck.cpp - History kept past its iteration -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/RetainedGraphCheck.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

/// `.detach()` behind the stored expression, in parentheses if it needs them.
static std::vector<FixItHint> detachFix(const flow::RetainedGraph &R,
                                        const ASTContext &Context) {
  using flow::Event;
  const Event &E = *R.Store;
  if (!R.StoresTensor || R.AddsToItself || E.Algorithm)
    return {};
  const Expr *X = E.Stored->IgnoreUnlessSpelledInSource();
  const SourceRange Range = X->getSourceRange();
  if (Range.getBegin().isMacroID() || Range.getEnd().isMacroID())
    return {};
  const SourceLocation End = Lexer::getLocForEndOfToken(
      Range.getEnd(), 0, Context.getSourceManager(), Context.getLangOpts());
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(X);
  const bool Wrap =
      isa<AbstractConditionalOperator, BinaryOperator>(X) ||
      (Op && Op->getOperator() != OO_Call && Op->getOperator() != OO_Subscript);
  if (!Wrap)
    return {FixItHint::CreateInsertion(End, ".detach()")};
  return {FixItHint::CreateInsertion(Range.getBegin(), "("),
          FixItHint::CreateInsertion(End, ").detach()")};
}

void RetainedGraphCheck::diagnose(const flow::Model &M) {
  using flow::Event;
  for (const flow::RetainedGraph &R : M.retained()) {
    const std::string Holder = R.Store->IsFold ? "the result of this fold"
                                               : "'" + R.Holder.name() + "'";
    Report Out;
    Out.Loc = R.Store->E->getBeginLoc();
    switch (R.AddsToItself ? Event::Accumulate : R.Store->How) {
    case Event::Insert:
    case Event::Indexed:
      Out.Message = "tensor stored in " + Holder +
                    " keeps its autograd history beyond the iteration";
      break;
    case Event::Accumulate:
    case Event::Rebind:
      Out.Message =
          Holder + " accumulates the autograd history of every iteration";
      break;
    case Event::InPlace:
      Out.Message = "writing into " + Holder +
                    " adds the autograd history of every iteration to it";
      break;
    }
    constexpr size_t MaxProducers = 3;
    for (size_t I = 0; I < R.Producers.size() && I < MaxProducers; ++I)
      Out.Notes.emplace_back(R.Producers[I]->getBeginLoc(),
                             "the history comes from here");
    for (const Expr *Call : R.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    if (R.HolderDecl && R.HolderDecl->getLocation().isValid())
      Out.Notes.emplace_back(R.HolderDecl->getLocation(),
                             Holder + " is declared here");
    const std::string Cost =
        R.Spent ? "backward has freed the saved tensors; the graph nodes of "
                  "each iteration stay"
                : "the activations that each iteration saved for backward stay";
    Out.Notes.emplace_back(R.Loop ? R.Loop->getBeginLoc() : Out.Loc,
                           (R.Loop ? "it grows with each round of this loop: "
                                   : "it grows with each call: ") +
                               Cost);
    Out.Statement = R.Statement->getSourceRange();
    for (const Expr *P : R.Producers)
      Out.Producers.push_back(P->getSourceRange());
    Out.Loop = R.Loop;
    if (!R.Store->IsFold)
      Out.HeldBy = torchtidy::Holder{R.Holder.name(), {}, R.MayBeBounded};
    Out.HolderDecl = R.HolderDecl;
    Out.Function = R.Function;
    Out.Fixes = detachFix(R, R.Function->getASTContext());
    Out.FixDescription = "store the tensor without its history";
    report(Out);
  }
}
