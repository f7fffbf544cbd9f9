//===- UnnamedGuardCheck.cpp - Guards that guard nothing ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/UnnamedGuardCheck.h"
#include "clang/AST/Stmt.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;
using flow::UnnamedGuard;

UnnamedGuardCheck::UnnamedGuardCheck(llvm::StringRef Name,
                                     tidy::ClangTidyContext *Context)
    : TorchCheck(Name, Context),
      IgnoreIfStockCheck(Options.get("IgnoreIfStockCheck", false)),
      StockCheckRuns(Context->isCheckEnabled("bugprone-unused-raii")) {}

void UnnamedGuardCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "IgnoreIfStockCheck", IgnoreIfStockCheck);
}

namespace {

class Wording {
public:
  explicit Wording(const UnnamedGuard &U)
      : U(U), Context(U.In->getASTContext()), SM(Context.getSourceManager()) {}

  std::string message() const {
    const std::string Type =
        U.Type.getAsString(PrintingPolicy(Context.getLangOpts()));
    if (U.How == UnnamedGuard::Declaration)
      return "'" + U.Function->getNameAsString() +
             "' declares a function that returns '" + Type +
             "': there is no guard";
    return U.How == UnnamedGuard::Result
               ? "the '" + Type +
                     "' that this call returns is dropped and guards nothing"
               : "'" + Type +
                     "' without a name is gone at once and guards nothing";
  }

  std::vector<FixItHint> fix() const {
    if (!U.NamingIsEnough || U.CoversTraining)
      return {};
    const SourceRange Whole = U.Statement->getSourceRange();
    if (Whole.getBegin().isMacroID() || Whole.getEnd().isMacroID())
      return {};
    if (U.How == UnnamedGuard::Declaration) {
      const SourceRange Parens =
          U.Function->getFunctionTypeLoc().getParensRange();
      return {FixItHint::CreateRemoval(CharSourceRange::getTokenRange(Parens))};
    }
    if (U.How == UnnamedGuard::Result)
      return {FixItHint::CreateReplacement(Whole,
                                           "auto " + U.FreeName + " = " +
                                               text(U.Made->getSourceRange()))};
    const TypeSourceInfo *Written = nullptr;
    SourceLocation Begin = U.Made->getBeginLoc(), End = U.Made->getEndLoc();
    if (const auto *T = dyn_cast<CXXTemporaryObjectExpr>(U.Made))
      Written = T->getTypeSourceInfo();
    else if (const auto *F = functionalCast(U.Statement)) {
      Written = F->getTypeInfoAsWritten();
      Begin = F->getBeginLoc();
      End = F->getEndLoc();
    }
    if (!Written)
      return {};
    const SourceLocation TypeEnd = Lexer::getLocForEndOfToken(
        Written->getTypeLoc().getEndLoc(), 0, SM, Context.getLangOpts());
    StringRef Arguments =
        Lexer::getSourceText(CharSourceRange::getTokenRange(TypeEnd, End), SM,
                             Context.getLangOpts());
    const StringRef Bare = Arguments.trim();
    if (Bare.size() >= 2 && Bare.drop_front().drop_back().trim().empty())
      Arguments = "";
    return {FixItHint::CreateReplacement(
        Whole, text({Begin, Written->getTypeLoc().getEndLoc()}) + " " +
                   U.FreeName + Arguments.str())};
  }

  /// What comes after the guard in its block.
  SourceRange rest() const {
    if (U.Block)
      for (const Stmt *S : U.Block->body())
        if (SM.isBeforeInTranslationUnit(U.Statement->getEndLoc(),
                                         S->getBeginLoc()))
          return {S->getBeginLoc(), U.Block->getRBracLoc()};
    return {};
  }

private:
  std::string text(SourceRange R) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(R), SM,
                                Context.getLangOpts())
        .str();
  }

  static const CXXFunctionalCastExpr *functionalCast(const Stmt *S) {
    if (const auto *F = dyn_cast<CXXFunctionalCastExpr>(S))
      return F;
    for (const Stmt *C : S->children())
      if (C)
        if (const auto *F = functionalCast(C))
          return F;
    return nullptr;
  }

  const UnnamedGuard &U;
  const ASTContext &Context;
  const SourceManager &SM;
};

} // namespace

void UnnamedGuardCheck::diagnose(const flow::Model &M) {
  for (const UnnamedGuard &U : M.unnamedGuards()) {
    if (U.StockCheckSees && IgnoreIfStockCheck && StockCheckRuns)
      continue;
    const Wording Words(U);
    Report Out;
    Out.Loc = U.Loc;
    Out.Message = Words.message();
    Out.Fixes = Words.fix();
    Out.FixDescription = "name the guard";
    if (U.TurnsOff)
      Out.Notes.emplace_back(
          U.Loc, "what follows records history as if this line were not there");
    if (U.CoversTraining)
      Out.Notes.emplace_back(U.Loc,
                             "something in this block may need gradients: a "
                             "name alone may make it fail");
    Out.Statement = U.Statement->getSourceRange();
    if (const SourceRange Rest = Words.rest(); U.TurnsOff && Rest.isValid())
      Out.Producers.push_back(Rest);
    Out.Function = U.In;
    report(Out);
  }
}
