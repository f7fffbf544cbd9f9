//===- Faults.h - What a GPU would have died of -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_FAULTS_H
#define FAKECUDA_FAULTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace fakecuda {

class Faults {
public:
  void reset(bool AbortAtOnce, bool Verbose);
  void fault(std::string Text);
  void race(std::string Text);
  void clear();
  bool poisoned() const { return FaultCount != 0; }
  uint64_t faults() const { return FaultCount; }
  uint64_t races() const { return RaceCount; }
  /// Null behind the last that was kept.
  const char *text(size_t Index) const;
  /// Whether the text of a further one would be kept.
  bool keeps() const { return Texts.size() < Kept || Abort || Verbose; }

private:
  static constexpr size_t Kept = 32;
  void note(std::string Text);

  std::vector<std::string> Texts;
  uint64_t FaultCount = 0, RaceCount = 0;
  bool Abort = false, Verbose = false;
};

} // namespace fakecuda

#endif // FAKECUDA_FAULTS_H
