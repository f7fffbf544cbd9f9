//===- Faults.cpp - What a GPU would have died of -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"
#include <cstdio>
#include <cstdlib>

using namespace fakecuda;

void Faults::reset(bool AbortAtOnce, bool Talkative) {
  clear();
  Abort = AbortAtOnce;
  Verbose = Talkative;
}

void Faults::clear() {
  Texts.clear();
  FaultCount = RaceCount = 0;
}

void Faults::fault(std::string Text) {
  ++FaultCount;
  note("fault: " + std::move(Text));
}

void Faults::race(std::string Text) {
  ++RaceCount;
  note("race: " + std::move(Text));
}

void Faults::note(std::string Text) {
  if (Abort || Verbose)
    std::fprintf(stderr, "fakecuda: %s\n", Text.c_str());
  if (Abort)
    std::abort();
  // Texts are handed out: they must stay where they are.
  Texts.reserve(Kept);
  if (Texts.size() < Kept)
    Texts.push_back(std::move(Text));
}

const char *Faults::text(size_t Index) const {
  return Index < Texts.size() ? Texts[Index].c_str() : nullptr;
}
