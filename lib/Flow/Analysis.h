//===- Analysis.h - Summaries of all functions ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The engine: one worklist per function over its CFG, summaries on demand,
/// callees before callers. Recursion ends in "unknown".
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_ANALYSIS_H
#define TORCHTIDY_FLOW_ANALYSIS_H

#include "Flow/Functions.h"
#include "Flow/Options.h"
#include "Flow/Summary.h"
#include "Flow/ValueFlow.h"
#include "Semantics/Calls.h"

namespace torchtidy::flow {

/// Functions that were not judged, or not in full, with the reason.
using SkippedFunctions =
    std::vector<std::pair<const clang::FunctionDecl *, std::string>>;

class Analysis {
public:
  Analysis(clang::ASTContext &Context, const Options &Opts);

  /// Analyses every function of the file.
  void run();

  /// The summary of a function with a visible body, made now if need be.
  const FunctionFacts &facts(const clang::FunctionDecl *F);
  const FunctionFacts *known(const clang::FunctionDecl *F) const;
  /// Was all that the user wrote in the class analysed in full?
  bool allMethodsAreSeen(const clang::CXXRecordDecl *R) const;

  /// Facts for a function of another file, to be filled.
  FunctionFacts &addForeign(const clang::FunctionDecl *F);
  llvm::ArrayRef<const FunctionFacts *> foreign() const { return Foreign; }

  bool mentionsParameters(const clang::Stmt *S) const;
  /// `for (auto &p : net.parameters())`, `for (auto &layer : layers)`.
  bool loopsOverModules(const clang::Stmt *Loop) const;

  /// A callee's value in terms of the caller, as of the call.
  Cell atCall(const CallSite &Site, const Cell &C) const;

  clang::ASTContext &Context;
  const Options Opts;
  const semantics::Types T;
  const semantics::CallNames Names;
  Functions Funcs;
  ValueFlow Flow;
  /// References, handles and iterators: what they name.
  llvm::DenseMap<const clang::ValueDecl *, Storage> Aliases;
  /// Variables that hold a gradient.
  llvm::DenseSet<const clang::ValueDecl *> Gradients;
  /// Operators over parameters of library modules: known to have history unless
  /// something is frozen.
  llvm::DenseSet<const clang::Expr *> ParameterUses;
  /// Variables that stand for parameters of modules, and lists of them.
  llvm::DenseSet<const clang::ValueDecl *> Parameters;
  /// Loops of other files for which loopsOverModules holds.
  llvm::DenseSet<const clang::Stmt *> ModuleLoops;
  /// The functions of all files are known that matter here.
  bool IsLinked = false;
  /// Functions that other files define and that do nothing of interest.
  llvm::DenseSet<const clang::FunctionDecl *> DefinedElsewhere;
  /// What is written to fields of local objects, by whom.
  llvm::DenseMap<const clang::FieldDecl *,
                 std::vector<std::pair<const clang::FunctionDecl *, Cell>>>
      LocalFields;
  SkippedFunctions Skipped; ///< all that were not analysed

private:
  void analyse(FunctionFacts &Facts);

  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<FunctionFacts>>
      All;
  std::vector<const FunctionFacts *> Foreign;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_ANALYSIS_H
