//===- FrameEntry.cpp - Finds and reads entries of .eh_frame --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameEntry.h"
#include <link.h>

using namespace torchtidy::record;

namespace {

struct Search {
  uintptr_t Address;
  const uint8_t *Index = nullptr; ///< .eh_frame_hdr
};

int visit(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const uint8_t *Index = nullptr;
  bool Here = false;
  for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
    const auto &P = Info->dlpi_phdr[I];
    uintptr_t Begin = Info->dlpi_addr + P.p_vaddr;
    if (P.p_type == PT_LOAD)
      Here |= S.Address - Begin < P.p_memsz;
    else if (P.p_type == PT_GNU_EH_FRAME)
      Index = reinterpret_cast<const uint8_t *>(Begin);
  }
  if (Here)
    S.Index = Index;
  return Here;
}

/// The FDE whose function begins last before \p Address, by the sorted table.
const uint8_t *findFde(const uint8_t *Index, uintptr_t Address) {
  Cursor C(Index);
  if (C.fixed<uint8_t>() != 1)
    return nullptr;
  auto FrameEncoding = C.fixed<uint8_t>();
  auto CountEncoding = C.fixed<uint8_t>();
  auto TableEncoding = C.fixed<uint8_t>();
  bool Ok = CountEncoding == 0x03 && TableEncoding == 0x3b;
  C.encoded(FrameEncoding, Ok);
  if (!Ok)
    return nullptr;
  auto Count = C.fixed<uint32_t>();
  auto Row = [&](uint32_t I, unsigned Field) {
    int32_t V;
    std::memcpy(&V, C.P + 8 * static_cast<size_t>(I) + 4 * Field, 4);
    return reinterpret_cast<uintptr_t>(Index) + static_cast<intptr_t>(V);
  };
  uint32_t Low = 0, High = Count;
  while (Low < High) {
    uint32_t Middle = Low + (High - Low) / 2;
    if (Row(Middle, 0) <= Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  return Low ? reinterpret_cast<const uint8_t *>(Row(Low - 1, 1)) : nullptr;
}

} // namespace

const uint8_t *torchtidy::record::findFrameEntry(uintptr_t Address) {
  Search S = {Address, nullptr};
  dl_iterate_phdr(visit, &S);
  return S.Index ? findFde(S.Index, Address) : nullptr;
}
