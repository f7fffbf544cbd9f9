//===- FrameRules.cpp - How to leave a frame, by address ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameRules.h"
#include "CallFrameInfo.h"
#include "Pages.h"
#include <atomic>

using namespace torchtidy::record;

namespace {

/// Key and rule are stored as (key ^ rule, rule): a reader that meets a
/// half-written entry sees a key that is not its own.
struct Entry {
  std::atomic<uint64_t> Check, Rule;
};

constexpr unsigned TableBits = 15;
std::atomic<Entry *> Table;
std::atomic<uint32_t> Generation;

constexpr int32_t MaxOffset = (1 << 28) - 1;

uint64_t pack(const FrameRule &R) {
  auto Offset = [](int32_t V) {
    return static_cast<uint64_t>(static_cast<uint32_t>(V) & 0x1fffffff);
  };
  return static_cast<uint64_t>(R.Cfa) | static_cast<uint64_t>(R.Rbp) << 3 |
         Offset(R.CfaOffset) << 5 | Offset(R.RbpOffset) << 34;
}

FrameRule unpack(uint64_t V) {
  auto Offset = [](uint64_t Bits) {
    return static_cast<int32_t>(static_cast<uint32_t>(Bits << 3)) >> 3;
  };
  return {static_cast<CfaKind>(V & 7), static_cast<RbpKind>(V >> 3 & 3),
          Offset(V >> 5), Offset(V >> 34)};
}

Entry *table() {
  Entry *T = Table.load(std::memory_order_acquire);
  if (T)
    return T;
  auto *New = static_cast<Entry *>(mapPages(sizeof(Entry) << TableBits));
  if (!New)
    return nullptr;
  if (Table.compare_exchange_strong(T, New))
    return New;
  unmapPages(New, sizeof(Entry) << TableBits);
  return T;
}

} // namespace

FrameRule torchtidy::record::frameRule(uintptr_t ReturnAddress) {
  Entry *T = table();
  if (!T)
    return {};
  Entry &E =
      T[mixBits(ReturnAddress) >> (32 - TableBits) & ((1u << TableBits) - 1)];
  uint64_t Rule = E.Rule.load(std::memory_order_relaxed);
  if ((E.Check.load(std::memory_order_relaxed) ^ Rule) == ReturnAddress)
    return unpack(Rule);
  FrameRule R = readFrameRule(ReturnAddress);
  if (R.CfaOffset > MaxOffset || R.CfaOffset < -MaxOffset ||
      R.RbpOffset > MaxOffset || R.RbpOffset < -MaxOffset)
    R = {};
  Rule = pack(R);
  E.Rule.store(Rule, std::memory_order_relaxed);
  E.Check.store(ReturnAddress ^ Rule, std::memory_order_relaxed);
  return R;
}

uint32_t torchtidy::record::frameRuleGeneration() {
  return Generation.load(std::memory_order_relaxed);
}

void torchtidy::record::forgetFrameRules() {
  Generation.fetch_add(1, std::memory_order_relaxed);
  Entry *T = Table.load(std::memory_order_acquire);
  for (unsigned I = 0; T && I < 1u << TableBits; ++I)
    T[I].Check.store(0, std::memory_order_relaxed);
}
