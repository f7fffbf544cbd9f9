//===- MissingNoGradCheck.cpp - Inference that records history ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/MissingNoGradCheck.h"
#include "Flow/FreeNames.h"
#include "Semantics/Types.h"
#include "clang/AST/Stmt.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

namespace {

/// Forwards of one evaluation, which one guard would cure.
struct Region {
  std::vector<const flow::UnguardedForward *> Forwards;
};

bool within(const Stmt *Outer, const Stmt *Inner) {
  return Outer->getBeginLoc() <= Inner->getBeginLoc() &&
         Inner->getEndLoc() <= Outer->getEndLoc();
}

std::vector<Region> regionsOf(const std::vector<flow::UnguardedForward> &All) {
  std::vector<Region> Regions;
  for (const flow::UnguardedForward &U : All) {
    Region *Mine = nullptr;
    for (Region &R : Regions) {
      const flow::UnguardedForward &First = *R.Forwards.front();
      if (First.Function == U.Function &&
          (within(First.Region, U.Region) || within(U.Region, First.Region)))
        Mine = &R;
    }
    if (!Mine) {
      Regions.emplace_back();
      Mine = &Regions.back();
    }
    Mine->Forwards.push_back(&U);
  }
  for (Region &R : Regions)
    llvm::sort(R.Forwards, [](const auto *A, const auto *B) {
      return A->At->getBeginLoc() < B->At->getBeginLoc();
    });
  return Regions;
}

} // namespace

/// A named guard on a line of its own before the statement.
static std::vector<FixItHint> guardFix(const flow::UnguardedForward &U,
                                       const SourceManager &SM,
                                       flow::FreeNames &Names) {
  if (!U.FixIsSafe || U.LostGuard)
    return {};
  const SourceLocation Begin = U.Statement->getBeginLoc();
  if (Begin.isMacroID())
    return {};
  const StringRef Indent = Lexer::getIndentationForLine(Begin, SM);
  return {FixItHint::CreateInsertion(
      Begin,
      (semantics::GuardToInsert + " " + Names.take("no_grad") + ";\n" + Indent)
          .str())};
}

void MissingNoGradCheck::diagnose(const flow::Model &M) {
  std::map<const FunctionDecl *, flow::FreeNames> Names;
  for (const Region &R : regionsOf(M.unguarded())) {
    const flow::UnguardedForward &U = *R.Forwards.front();
    Report Out;
    Out.Loc = U.At->getBeginLoc();
    Out.Message = "inference with grad mode on: no backward uses the autograd "
                  "history that this forward records";
    if (U.At != U.Forward->E)
      Out.Notes.emplace_back(U.Forward->E->getBeginLoc(),
                             "it runs here, where training needs it as well");
    if (U.OtherThread)
      Out.Notes.emplace_back(
          U.OtherThread->getBeginLoc(),
          "grad mode is thread-local: a guard here does not reach this thread");
    if (U.LostGuard)
      Out.Notes.emplace_back(
          U.LostGuard->getBeginLoc(),
          "this guard has no name and is gone at the end of its statement");
    for (const Expr *Call : U.Calls)
      if (Call != U.OtherThread)
        Out.Notes.emplace_back(Call->getBeginLoc(),
                               "called from here without a guard");
    for (const flow::UnguardedForward *Also : llvm::drop_begin(R.Forwards))
      Out.Notes.emplace_back(Also->At->getBeginLoc(),
                             "the same holds for this forward");
    Out.Notes.emplace_back(
        Out.Loc, "every activation stays alive as long as the result does: a "
                 "higher peak");
    Out.Statement = U.Statement->getSourceRange();
    for (const flow::UnguardedForward *Each : R.Forwards)
      Out.Producers.push_back(Each->Forward->E->getSourceRange());
    if (flow::isLoop(U.Region))
      Out.Loop = U.Region;
    Out.Function = U.Function;
    Out.Fixes = guardFix(
        U, U.Function->getASTContext().getSourceManager(),
        Names.try_emplace(U.Function, U.Function->getBody()).first->second);
    Out.FixDescription = "turn grad mode off to the end of the block";
    report(Out);
  }
}
