//===- Case.h - What a proof is given and gives -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
///
/// \file
/// One finding against one process of a run. A proof answers with a verdict
/// that may confirm, withdraw or leave open; never with an error.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_CASE_H
#define TORCHTIDY_CONFIRM_PROOFS_CASE_H

#include "Confirm/Attribution.h"
#include "Finding/Finding.h"

namespace torchtidy::confirm {

struct Case {
  const Finding &What;
  Evidence &Run;
  const Attribution &Made;
  Ran DidRun = Ran::Unknown;
  std::string WhyUnknown; ///< a clause, if DidRun is Unknown
  /// Another finding that ran has the same producers: growth there may be its.
  const Finding *Rival = nullptr;
};

Verdict undecided(Ran DidRun, std::string Reason);
Verdict notExercised();

/// "it did not run" or "whether it ran is unknown: ..." for a case without any
/// event of its own.
Verdict nothingSeen(const Case &C);

/// `losses` in quotes, or "the holder".
std::string holderName(const Finding &F);

/// `1 step`, `200 steps`: \p Units is a plural.
std::string counted(uint64_t N, const std::string &Units);

/// One decimal at most.
std::string shortNumber(double Value);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_CASE_H
