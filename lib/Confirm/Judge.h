//===- Judge.h - Verdicts on findings from a run ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every finding against every process of a run.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_JUDGE_H
#define TORCHTIDY_CONFIRM_JUDGE_H

#include "Confirm/Unattributed.h"
#include "Confirm/Watch.h"

namespace torchtidy::confirm {

struct Judgement {
  std::vector<Verdict> Verdicts; ///< one per finding
  std::vector<Unattributed> Unexplained;
  std::vector<std::string> Remarks; ///< sentences for the end of a report
};

/// What the run says on \p Findings. \p WhyNoLog explains an empty
/// \p Processes, if the reason is known. \p Watched and \p Hits are null if no
/// breakpoints were set, as for a log that was made elsewhere; otherwise
/// \p Watched's statements are the findings' ranges, in order.
Judgement judge(const std::vector<Finding> &Findings,
                const std::vector<trace::Trace> &Processes,
                const std::string &WhyNoLog, const Watch *Watched,
                const HitTable *Hits);

/// The flagged statement of each finding.
std::vector<SourceSpan> statementsOf(const std::vector<Finding> &Findings);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_JUDGE_H
