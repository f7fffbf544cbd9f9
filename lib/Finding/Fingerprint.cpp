//===- Fingerprint.cpp - Names and fingerprints of findings ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Finding/Finding.h"
#include <cctype>
#include <cstdio>

using namespace torchtidy;

const char *torchtidy::toString(VerdictState S) {
  switch (S) {
  case VerdictState::Confirmed:
    return "confirmed";
  case VerdictState::Contradicted:
    return "contradicted";
  case VerdictState::NotExercised:
    return "not exercised";
  case VerdictState::Undecided:
    return "undecided";
  }
  return "";
}

const char *torchtidy::toString(Ran R) {
  switch (R) {
  case Ran::Yes:
    return "yes";
  case Ran::No:
    return "no";
  case Ran::Unknown:
    return "unknown";
  }
  return "";
}

const char *torchtidy::toString(Severity S) {
  switch (S) {
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "";
}

std::string torchtidy::fingerprint(const Finding &F,
                                   const std::string &RelativePath,
                                   const std::string &LineText,
                                   unsigned Ordinal) {
  // FNV-1a, 64 bits: stable across machines and versions of the tool.
  uint64_t Hash = 0xcbf29ce484222325u;
  auto Byte = [&](unsigned char C) {
    Hash ^= C;
    Hash *= 0x100000001b3u;
  };
  auto Field = [&](const std::string &S) {
    for (unsigned char C : S)
      if (!std::isspace(C))
        Byte(C);
    Byte(0);
  };
  Field(F.Check);
  Field(RelativePath);
  Field(F.Function);
  Field(LineText);
  Field(std::to_string(Ordinal));
  char Text[17];
  std::snprintf(Text, sizeof Text, "%016llx",
                static_cast<unsigned long long>(Hash));
  return Text;
}
