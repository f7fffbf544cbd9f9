//===- Model.h - What the analysis knows of one file ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_MODEL_H
#define TORCHTIDY_FLOW_MODEL_H

#include "Flow/Facts.h"
#include "Flow/Options.h"
#include <memory>

namespace clang {
class ASTContext;
} // namespace clang

namespace torchtidy::flow {

class Analysis;

/// The flow model of one translation unit. Checks of one file share it: the
/// first that asks builds it, and it lives as long as one of them holds it.
class Model {
public:
  static std::shared_ptr<const Model> of(clang::ASTContext &Context,
                                         const Options &Opts);

  Model(clang::ASTContext &Context, const Options &Opts);
  ~Model();

  const std::vector<RetainedGraph> &retained() const { return Retained; }
  const std::vector<UnguardedForward> &unguarded() const { return Unguarded; }
  const std::vector<UnscaledAccumulation> &accumulations() const {
    return Accumulations;
  }
  const std::vector<KeptGraph> &keptGraphs() const { return KeptGraphs; }
  const std::vector<WrongZeroGrad> &zeroings() const { return Zeroings; }
  const std::vector<UndetachedState> &undetached() const { return Undetached; }
  const std::vector<NoGradTraining> &noGradTraining() const {
    return NoGradInTraining;
  }
  const std::vector<UnnamedGuard> &unnamedGuards() const {
    return UnnamedGuards;
  }
  /// portable::encode of what the file's functions do; with Options::Links.
  const std::string &summary() const { return Summary; }
  const std::vector<SavedOutput> &savedOutputs() const { return SavedOutputs; }
  const std::vector<StaleOutput> &staleOutputs() const { return StaleOutputs; }
  const std::vector<UnownedGradients> &unowned() const { return Unowned; }
  const std::vector<InferenceEscape> &escapes() const { return Escapes; }
  /// Functions that were not judged, or not in full, with the reason.
  const std::vector<std::pair<const clang::FunctionDecl *, std::string>> &
  skipped() const {
    return Skipped;
  }

private:
  std::string Summary;
  std::unique_ptr<Analysis> Facts; ///< owns the events that the facts name
  std::vector<RetainedGraph> Retained;
  std::vector<UnguardedForward> Unguarded;
  std::vector<UnscaledAccumulation> Accumulations;
  std::vector<UndetachedState> Undetached;
  std::vector<WrongZeroGrad> Zeroings;
  std::vector<KeptGraph> KeptGraphs;
  std::vector<NoGradTraining> NoGradInTraining;
  std::vector<UnnamedGuard> UnnamedGuards;
  std::vector<SavedOutput> SavedOutputs;
  std::vector<StaleOutput> StaleOutputs;
  std::vector<UnownedGradients> Unowned;
  std::vector<InferenceEscape> Escapes;
  std::vector<std::pair<const clang::FunctionDecl *, std::string>> Skipped;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_MODEL_H
