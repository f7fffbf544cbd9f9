//===- RetainGraphCheck.cpp - Graphs that backward keeps ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/RetainGraphCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void RetainGraphCheck::diagnose(const flow::Model &M) {
  for (const flow::KeptGraph &K : M.keptGraphs()) {
    Report Out;
    Out.Loc = K.Backward->E->getBeginLoc();
    Out.Message =
        K.CreatesGraph
            ? "backward with create_graph makes cycles of gradients "
              "and their graphs, which are never freed"
            : "the graph is kept, but nothing else runs backward over "
              "any part of it";
    for (const Expr *Call : K.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    if (K.Leaf)
      Out.Notes.emplace_back(K.Leaf->getBeginLoc(),
                             "nothing empties the gradient of this leaf");
    else if (K.CreatesGraph)
      Out.Notes.emplace_back(K.Loop->getBeginLoc(),
                             "nothing empties the gradients in this loop");
    Out.Notes.emplace_back(
        Out.Loc, K.CreatesGraph
                     ? "torch::autograd::grad with create_graph gives the same "
                       "gradients and leaves no cycle"
                     : "without retain_graph the saved tensors go as soon as "
                       "backward has used them");
    Out.Statement = K.Statement->getSourceRange();
    Out.Loop = K.Loop;
    if (K.CreatesGraph)
      Out.HeldBy = torchtidy::Holder{"grad", {}, false};
    Out.Function = K.Function;
    report(Out);
  }
}
