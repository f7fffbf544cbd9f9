//===- Judge.h - From events to facts ---------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From events to facts. Unknown never becomes a fact.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_JUDGE_H
#define TORCHTIDY_FLOW_JUDGE_H

#include "Flow/Chains.h"
#include "Flow/Facts.h"

namespace torchtidy::flow {

std::vector<RetainedGraph> judgeRetained(const Analysis &A, const Chains &C);
std::vector<UnguardedForward> judgeGuards(const Analysis &A, const Chains &C);
std::vector<UnscaledAccumulation> judgeAccumulation(const Analysis &A,
                                                    const Chains &C);

std::vector<UndetachedState> judgeState(const Analysis &A, const Chains &C);
std::vector<WrongZeroGrad> judgeZeroGrad(const Analysis &A, const Chains &C);
/// Adds to what judgeZeroGrad has found.
void judgeLostGradients(const Analysis &A, const Chains &C,
                        std::vector<WrongZeroGrad> &Result);
std::vector<KeptGraph>
judgeKeptGraphs(const Analysis &A, const Chains &C,
                const std::vector<UndetachedState> &States);

std::vector<NoGradTraining> judgeNoGradTraining(const Analysis &A,
                                                const Chains &C);
std::vector<StaleOutput> judgeStale(const Analysis &A, const Chains &C);
std::vector<UnownedGradients> judgeUnowned(const Analysis &A, const Chains &C);
std::vector<InferenceEscape> judgeEscapes(const Analysis &A, const Chains &C);
std::vector<UnnamedGuard> judgeUnnamedGuards(const Analysis &A,
                                             const Chains &C);
/// \p Limits gets the functions that have too many paths.
std::vector<SavedOutput> judgeSavedData(const Analysis &A, const Chains &C,
                                        SkippedFunctions &Limits);

/// May anything in \p Within (null: the whole function) need grad mode on?
bool needsGrad(const Analysis &A, const FunctionFacts &X,
               const clang::Stmt *Within, unsigned Depth = 0);

/// The calls of a chain, innermost first.
std::vector<const clang::Expr *> callsOf(const Chain &C);

/// The forwards and operators that a history comes from, in source order.
std::vector<const clang::Expr *> producersOf(const History &H);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_JUDGE_H
