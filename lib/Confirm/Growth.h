//===- Growth.h - Does it grow, judged by windows ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rule that tells growth from filling and from holding: things of one
/// stack (blocks or graph nodes) grow if, of eight windows after a warm-up,
/// every one but the last two has left survivors to the end of the run, and if
/// the number alive rises from window to window. A pure function.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_GROWTH_H
#define TORCHTIDY_CONFIRM_GROWTH_H

#include <cstdint>
#include <vector>

namespace torchtidy::confirm {

constexpr uint64_t Never = ~uint64_t(0);

/// One block or node. Times are the number of marks that lay before: what was
/// made between the second and the third mark has a Birth of 2.
struct Life {
  uint64_t Birth = 0;
  uint64_t Death = Never;
  uint32_t Stack = 0;
  uint64_t Bytes = 0;

  bool aliveAt(uint64_t Mark) const { return Birth <= Mark && Death > Mark; }
};

/// Ordered: a finding is what the strongest of its stacks is.
enum class GrowthState {
  NotSeen,   ///< nothing was made
  TooFew,    ///< fewer marks than windows
  Flat,      ///< nothing older than the last two windows was left at the end
  Settled,   ///< some of it was left, but it did not grow all the way
  GrewInAll, ///< grew in every window of a run too short to tell from filling
  BoundOpen, ///< grew in every window; a known bound was never seen at work
  Grows,
};

struct GrowthRule {
  /// Below this a container that fills cannot be told from a leak.
  static constexpr uint64_t ShortRun = 64;
  static constexpr unsigned Windows = 8;

  static uint64_t warmUp(uint64_t Marks) {
    return Marks / 10 > 3 ? Marks / 10 : 3;
  }
  /// Fewest marks that make eight windows behind the warm-up.
  static constexpr uint64_t FewestMarks = Windows + 3;
};

struct Growth {
  GrowthState State = GrowthState::NotSeen;
  uint64_t Marks = 0;
  double BytesPerMark = 0, CountPerMark = 0; ///< of the stacks that grow
  std::vector<uint32_t> Stacks;              ///< those in the strongest state
};

/// Judges \p Lives stack by stack. \p MayBeBounded: the program can pop, clear
/// or test what holds them, so growth counts only once deaths of old ones show
/// that the bound has been at work.
Growth judgeGrowth(const std::vector<Life> &Lives, uint64_t Marks,
                   bool MayBeBounded);

/// What is left at the end of what was made behind the warm-up and before the
/// last two marks (which may still be in use), per mark.
struct PerMark {
  double Bytes = 0, Count = 0;
};
PerMark survivorsPerMark(const std::vector<Life> &Lives, uint64_t Marks);

/// What was held until a loop had ended, and then let go: a validation loss
/// that is summed with its history, for instance, freed when the function
/// returns.
struct LoopHold {
  uint64_t Loops = 0;  ///< in which every round was held
  uint64_t Rounds = 0; ///< most rounds held at once
  uint64_t Ticks = 0;  ///< rounds of these loops together
};

/// \p Births and deaths of \p Lives and \p Ticks (the rounds, ascending) are
/// times of one scale here, not mark counts. A loop is a stretch in which
/// something is alive; it counts if it has at least eight rounds and more is
/// alive in nearly each round than in the one before.
LoopHold findLoopHold(const std::vector<Life> &Lives,
                      const std::vector<uint64_t> &Ticks);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_GROWTH_H
