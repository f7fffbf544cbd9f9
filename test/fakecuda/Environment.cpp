//===- Environment.cpp - Settings from the environment --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"
#include "Outcome.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace fakecuda;

bool Environment::parseBytes(const char *Text, uint64_t &Bytes) {
  static const char Units[] = "KMGT";
  if (*Text < '0' || *Text > '9')
    return false;
  char *End;
  errno = 0;
  unsigned long long Number = std::strtoull(Text, &End, 10);
  unsigned Shift = 0;
  if (*End)
    if (const char *Unit = std::strchr(Units, *End)) {
      Shift = 10 * (Unit - Units + 1);
      ++End;
    }
  if (*End || errno || Number > UINT64_MAX >> Shift)
    return false;
  Bytes = uint64_t(Number) << Shift;
  return true;
}

[[noreturn]] static void refuse(const char *Name, const char *Value,
                                const char *Expected) {
  std::fprintf(stderr, "fakecuda: %s=%s: expected %s\n", Name, Value, Expected);
  std::abort();
}

static void readBytes(const char *Name, uint64_t &Bytes) {
  const char *Value = std::getenv(Name);
  if (Value && !Environment::parseBytes(Value, Bytes))
    refuse(Name, Value, "bytes, as in 512M or 16G");
}

static void readSwitch(const char *Name, bool &On) {
  const char *Value = std::getenv(Name);
  if (!Value)
    return;
  if (std::strcmp(Value, "0") && std::strcmp(Value, "1"))
    refuse(Name, Value, "0 or 1");
  On = *Value == '1';
}

Environment Environment::read() {
  Environment E;
  readBytes("FAKECUDA_MEMORY", E.Memory);
  readBytes("FAKECUDA_CONTEXT_BYTES", E.ContextBytes);
  readSwitch("FAKECUDA_VERBOSE", E.Verbose);
  readSwitch("FAKECUDA_REPORT", E.Report);
  readSwitch("FAKECUDA_ABORT", E.Abort);
  if (const char *Value = std::getenv("FAKECUDA_DEVICES")) {
    char *End;
    long Count = std::strtol(Value, &End, 10);
    if (End == Value || *End || Count < 0 || Count > MaxDevices)
      refuse("FAKECUDA_DEVICES", Value, "0 to 16");
    E.Devices = Count;
  }
  if (const char *Value = std::getenv("FAKECUDA_FAIL"))
    E.Plan = Value;
  return E;
}
