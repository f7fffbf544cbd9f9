//===- UnscaledAccumulationCheck.cpp - Micro-batches summed unscaled ------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/UnscaledAccumulationCheck.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

/// Tensors are divided by signed numbers; what c10::Scalar has no constructor
/// for is ambiguous.
static std::string asScalar(StringRef Text, QualType T) {
  T = T.getNonReferenceType();
  return T->isUnsignedIntegerType() && !T->isBooleanType()
             ? ("static_cast<double>(" + Text + ")").str()
             : Text.str();
}

/// `loss / k` before backward, where the window says what k is.
static std::vector<FixItHint> divideFix(const flow::UnscaledAccumulation &U,
                                        const ASTContext &Context) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(U.Backward->E);
  if (!Call || !U.Window)
    return {};
  const Expr *Window = U.Window->IgnoreParenImpCasts();
  while (const auto *B = dyn_cast<BinaryOperator>(Window)) {
    if (B->getOpcode() == BO_Rem) {
      Window = B->getRHS()->IgnoreParenImpCasts();
      break;
    }
    if (!B->isEqualityOp())
      return {};
    Window = B->getLHS()->IgnoreParenImpCasts();
  }
  const Expr *Loss =
      Call->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource();
  if (!isa<DeclRefExpr, MemberExpr, IntegerLiteral>(Window) ||
      !isa<DeclRefExpr>(Loss) || Loss->getBeginLoc().isMacroID() ||
      !U.WindowInScope)
    return {};
  const SourceManager &SM = Context.getSourceManager();
  const StringRef Count = Lexer::getSourceText(
      CharSourceRange::getTokenRange(Window->getSourceRange()), SM,
      Context.getLangOpts());
  const SourceLocation End = Lexer::getLocForEndOfToken(
      Loss->getEndLoc(), 0, SM, Context.getLangOpts());
  return {FixItHint::CreateInsertion(Loss->getBeginLoc(), "("),
          FixItHint::CreateInsertion(
              End, " / " + asScalar(Count, Window->getType()) + ")")};
}

void UnscaledAccumulationCheck::diagnose(const flow::Model &M) {
  for (const flow::UnscaledAccumulation &U : M.accumulations()) {
    Report Out;
    Out.Loc = U.Backward->E->getBeginLoc();
    Out.Message = "gradients of several mean losses are summed before the "
                  "optimizer steps, but the loss is not scaled";
    for (const Expr *Call : U.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    if (U.Window)
      Out.Notes.emplace_back(U.Window->getBeginLoc(),
                             "the optimizer steps once in several rounds");
    else
      Out.Notes.emplace_back(U.Step->getBeginLoc(),
                             "the optimizer steps here, after the loop");
    Out.Notes.emplace_back(
        Out.Loc, "the step is as large as the number of micro-batches; divide "
                 "the loss by it before backward");
    Out.Statement = U.Statement->getSourceRange();
    for (const Expr *P : U.Producers)
      Out.Producers.push_back(P->getSourceRange());
    Out.Loop = U.Loop;
    Out.Function = U.Function;
    Out.Fixes = divideFix(U, U.Function->getASTContext());
    Out.FixDescription = "divide the loss by the number of micro-batches";
    report(Out);
  }
}
