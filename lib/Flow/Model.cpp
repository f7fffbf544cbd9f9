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
#include "Flow/Summaries.h"

using namespace torchtidy::flow;

/// With the other files of the project, where they matter.
static std::shared_ptr<const Model> linked(clang::ASTContext &Context,
                                           Options Opts) {
  const clang::SourceManager &SM = Context.getSourceManager();
  const auto Main = SM.getFileEntryRefForID(SM.getMainFileID());
  std::string Why;
  const auto Others =
      Summaries::load(Opts.Summaries, Main ? Main->getName() : "", Why);
  Opts.Links = Others != nullptr;
  auto Alone = std::make_shared<const Model>(Context, Opts);
  if (!Others)
    return Alone;
  const LinkedFiles Needs = Others->neededBy(Alone->summary());
  if (!Needs.Matter)
    return Alone;
  Opts.Links = false;
  LinkedFiles::install(&Needs);
  auto Linked = std::make_shared<const Model>(Context, Opts);
  LinkedFiles::install(nullptr);
  return Linked;
}

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
    M = Opts.Summaries.empty() ? std::make_shared<const Model>(Context, Opts)
                               : linked(Context, Opts);
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
  judgeLostGradients(*Facts, C, Zeroings);
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
