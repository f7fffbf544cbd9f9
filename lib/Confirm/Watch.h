//===- Watch.h - Did the flagged statements run? ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Plans one-shot breakpoints for statements before a run and reads from the
/// hits whether they ran. "Unknown" is a full answer: it is never turned into
/// "did not run".
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_WATCH_H
#define TORCHTIDY_CONFIRM_WATCH_H

#include "Confirm/StatementMap.h"
#include "Finding/Finding.h"
#include "Trace/Breakpoints.h"
#include <map>

namespace torchtidy::confirm {

/// What all processes of a run have left, slot by slot.
struct HitTable {
  std::vector<trace::SlotState> Slots;
  unsigned Processes = 0;
  bool Traced = false; ///< some process ran under a debugger

  /// Reads `<PlanPath>.hits.*`. \p Slots is the number in the plan; files of
  /// another size are not of this plan and are left out.
  static HitTable read(const std::string &PlanPath, size_t Slots);
};

class Watch {
public:
  struct Answer {
    Ran DidRun = Ran::Unknown;
    std::string Why; ///< for Unknown: one clause, lower case
  };

  explicit Watch(std::vector<SourceSpan> Statements)
      : Statements(std::move(Statements)) {}

  /// Looks for the statements in \p Module; keeps it only if it has any.
  void addModule(DebugInfo &Module);

  size_t slots() const { return SlotCount; }
  std::string plan() const; ///< the text of the plan file
  Answer answer(size_t Statement, const HitTable &Hits) const;

private:
  struct WatchedModule {
    std::string Path, BuildId;
    std::vector<StatementPoints> Points; ///< per statement
    std::map<uint64_t, size_t> SlotOf;   ///< address -> slot
  };

  std::vector<SourceSpan> Statements;
  std::vector<WatchedModule> Modules;
  size_t SlotCount = 0;
};

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_WATCH_H
