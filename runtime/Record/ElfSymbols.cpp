//===- ElfSymbols.cpp - Symbols of loaded modules -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfSymbols.h"
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>

using namespace torchtidy::record;

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

namespace {

struct Search {
  const char *Name;
  uint32_t Hash;
  bool InProgram;
  void *Found;
};

uint32_t gnuHash(const char *Name) {
  uint32_t H = 5381;
  for (; *Name; ++Name)
    H = H * 33 + static_cast<unsigned char>(*Name);
  return H;
}

/// DT_GNU_HASH: a Bloom filter, buckets, and chains of hashes that end with a
/// set low bit.
const ElfW(Sym) * lookUp(const Search &S, const uint32_t *Table,
                         const ElfW(Sym) * Symbols, const char *Strings) {
  uint32_t BucketCount = Table[0], First = Table[1], BloomSize = Table[2],
           Shift = Table[3];
  if (!BucketCount || !BloomSize)
    return nullptr;
  const auto *Bloom = reinterpret_cast<const uint64_t *>(Table + 4);
  const auto *Buckets = reinterpret_cast<const uint32_t *>(Bloom + BloomSize);
  const uint32_t *Chains = Buckets + BucketCount;
  uint64_t Word = Bloom[S.Hash / 64 % BloomSize];
  if (!(Word >> S.Hash % 64 & Word >> (S.Hash >> Shift) % 64 & 1))
    return nullptr;
  uint32_t I = Buckets[S.Hash % BucketCount];
  if (I < First)
    return nullptr;
  for (;; ++I) {
    uint32_t Hash = Chains[I - First];
    const ElfW(Sym) &Symbol = Symbols[I];
    if ((Hash | 1) == (S.Hash | 1) && Symbol.st_shndx != SHN_UNDEF &&
        std::strcmp(Strings + Symbol.st_name, S.Name) == 0)
      return &Symbol;
    if (Hash & 1)
      return nullptr;
  }
}

int visit(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const ElfW(Dyn) *Dynamic = nullptr;
  uintptr_t Low = ~uintptr_t(0);
  for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
    const auto &P = Info->dlpi_phdr[I];
    uintptr_t At = Info->dlpi_addr + P.p_vaddr;
    if (P.p_type == PT_DYNAMIC)
      Dynamic = reinterpret_cast<const ElfW(Dyn) *>(At);
    else if (P.p_type == PT_LOAD && At < Low)
      Low = At;
  }
  bool Own = Low == reinterpret_cast<uintptr_t>(__ehdr_start);
  bool Program = Info->dlpi_name[0] == 0;
  if (!Dynamic || Own || (Program && !S.InProgram) ||
      std::strncmp(Info->dlpi_name, "linux-vdso", 10) == 0)
    return 0;
  const uint32_t *Table = nullptr;
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  for (; Dynamic->d_tag != DT_NULL; ++Dynamic) {
    uintptr_t At = Dynamic->d_un.d_ptr; // the loader has made it absolute
    if (Dynamic->d_tag == DT_GNU_HASH)
      Table = reinterpret_cast<const uint32_t *>(At);
    else if (Dynamic->d_tag == DT_SYMTAB)
      Symbols = reinterpret_cast<const ElfW(Sym) *>(At);
    else if (Dynamic->d_tag == DT_STRTAB)
      Strings = reinterpret_cast<const char *>(At);
  }
  if (!Table || !Symbols || !Strings)
    return 0;
  const ElfW(Sym) *Symbol = lookUp(S, Table, Symbols, Strings);
  unsigned Type = Symbol ? ELF64_ST_TYPE(Symbol->st_info) : STT_NOTYPE;
  if (Type != STT_FUNC && Type != STT_OBJECT)
    return 0;
  S.Found = reinterpret_cast<void *>(Info->dlpi_addr + Symbol->st_value);
  return 1;
}

} // namespace

void *torchtidy::record::findElfSymbol(const char *Name, bool InProgram) {
  Search S = {Name, gnuHash(Name), InProgram, nullptr};
  dl_iterate_phdr(visit, &S);
  return S.Found;
}
