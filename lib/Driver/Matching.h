//===- Matching.h - Facts of checks and what clang-tidy let through -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_MATCHING_H
#define TORCHTIDY_DRIVER_MATCHING_H

#include "checks/FindingSink.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include <set>

namespace torchtidy::driver {

/// Keeps what the checks of one thread say.
class FactCollector : public checks::FindingSink {
public:
  void add(Finding F, unsigned Offset) override {
    Facts.push_back({std::move(F), Offset, false});
  }

  void skip(SkippedFunction F) override { Skipped.push_back(std::move(F)); }

  bool wantsSummary() const override { return WantsSummary; }
  void summary(const std::string &Bytes) override { Summary = Bytes; }

  bool WantsSummary = false;
  std::string Summary;

  struct Fact {
    Finding F;
    unsigned Offset;
    bool Used;
  };
  std::vector<Fact> Facts;
  std::vector<SkippedFunction> Skipped;
};

/// One finding for each diagnostic of a torch check that passed clang-tidy's
/// filters, with the facts that belong to it. Paths become absolute. Other
/// diagnostics (about the configuration) go to \p Remarks.
std::vector<Finding>
matchFindings(llvm::ArrayRef<clang::tidy::ClangTidyError> Passed,
              FactCollector &Facts, const std::string &Directory,
              std::set<std::string> &Remarks);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_MATCHING_H
