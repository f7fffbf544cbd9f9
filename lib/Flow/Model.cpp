//===- Model.cpp - What the analysis knows of one file --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Model.h"
#include "Flow/Export.h"
#include "Flow/Import.h"
#include "Flow/Judge.h"

using namespace torchtidy::flow;

std::shared_ptr<const Model> Model::of(clang::ASTContext &Context,
                                       const Options &Opts) {
  // Per thread: a context belongs to one. Weak: clangd reuses addresses.
  thread_local std::map<std::pair<const clang::ASTContext *, Options>,
                        std::weak_ptr<const Model>>
      Models;
  for (auto It = Models.begin(); It != Models.end();)
    It = It->second.expired() ? Models.erase(It) : std::next(It);
  auto &Slot = Models[{&Context, Opts}];
  std::shared_ptr<const Model> M = Slot.lock();
  if (!M) {
    M = std::make_shared<Model>(Context, Opts);
    Slot = M;
  }
  return M;
}

Model::Model(clang::ASTContext &Context, const Options &Opts)
    : Facts(std::make_unique<Analysis>(Context, Opts)) {
  if (const LinkedFiles *Others = LinkedFiles::current())
    importFacts(*Facts, *Others);
  Facts->run();
  const Chains C(*Facts);
  Retained = judgeRetained(*Facts, C);
  Unguarded = judgeGuards(*Facts, C);
  Accumulations = judgeAccumulation(*Facts, C);
  Undetached = judgeState(*Facts, C);
  Zeroings = judgeZeroGrad(*Facts, C);
  KeptGraphs = judgeKeptGraphs(*Facts, C, Undetached);
  NoGradInTraining = judgeNoGradTraining(*Facts, C);
  UnnamedGuards = judgeUnnamedGuards(*Facts, C);
  StaleOutputs = judgeStale(*Facts, C);
  Unowned = judgeUnowned(*Facts, C);
  Escapes = judgeEscapes(*Facts, C);
  Skipped = Facts->Skipped;
  llvm::append_range(Skipped, C.limits());
  SavedOutputs = judgeSavedData(*Facts, C, Skipped);
  if (Opts.Links)
    Summary = portable::encode(exportFacts(*Facts, C));
}

Model::~Model() = default;
