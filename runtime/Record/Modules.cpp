//===- Modules.cpp - What the loader has loaded ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "FrameRules.h"
#include "Pages.h"
#include "Writer.h"
#include <cstring>
#include <elf.h>
#include <link.h>
#include <unistd.h>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::RareKind;

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

namespace {

struct Range {
  uintptr_t Low, High;
  bool Seen;
};

constexpr unsigned MaxModules = 2048;
Range *Known;
unsigned KnownCount;
unsigned long long Adds = 0, Subs = 0;

Range rangeOf(const dl_phdr_info &Info) {
  Range R = {~uintptr_t(0), 0, true};
  for (unsigned I = 0; I < Info.dlpi_phnum; ++I) {
    const auto &P = Info.dlpi_phdr[I];
    if (P.p_type != PT_LOAD)
      continue;
    uintptr_t Begin = Info.dlpi_addr + P.p_vaddr;
    if (Begin < R.Low)
      R.Low = Begin;
    if (Begin + P.p_memsz > R.High)
      R.High = Begin + P.p_memsz;
  }
  return R;
}

/// The build id's bytes in the loaded notes; Size 0 if there is none.
const char *buildId(const dl_phdr_info &Info, size_t &Size) {
  Size = 0;
  for (unsigned I = 0; I < Info.dlpi_phnum; ++I) {
    const auto &P = Info.dlpi_phdr[I];
    if (P.p_type != PT_NOTE)
      continue;
    const char *At = reinterpret_cast<const char *>(Info.dlpi_addr + P.p_vaddr);
    const char *End = At + P.p_memsz;
    size_t Align = P.p_align == 8 ? 8 : 4;
    auto Up = [&](size_t N) { return (N + Align - 1) & ~(Align - 1); };
    while (At + sizeof(ElfW(Nhdr)) < End) {
      const auto &N = *reinterpret_cast<const ElfW(Nhdr) *>(At);
      const char *Name = At + sizeof(N);
      const char *Text = Name + Up(N.n_namesz);
      if (N.n_type == NT_GNU_BUILD_ID && N.n_namesz == 4 &&
          std::memcmp(Name, "GNU", 4) == 0) {
        Size = N.n_descsz;
        return Text;
      }
      At = Text + Up(N.n_descsz);
    }
  }
  return nullptr;
}

void write(const dl_phdr_info &Info, const Range &R) {
  char Program[4096];
  const char *Path = Info.dlpi_name;
  size_t PathSize = std::strlen(Path);
  if (!PathSize) { // the program itself
    ssize_t N = readlink("/proc/self/exe", Program, sizeof(Program));
    PathSize = N > 0 ? static_cast<size_t>(N) : 0;
    Path = Program;
  }
  size_t IdSize;
  const char *Id = buildId(Info, IdSize);
  Encoder &E = openRecord(PathSize + IdSize + 32);
  E.rare(RareKind::Module);
  E.number(Info.dlpi_addr);
  E.number(R.Low);
  E.number(R.High);
  putText(E, Path, PathSize);
  putText(E, Id ? Id : "", IdSize);
}

int visit(dl_phdr_info *Info, size_t, void *) {
  Adds = Info->dlpi_adds;
  Subs = Info->dlpi_subs;
  Range R = rangeOf(*Info);
  if (R.Low >= R.High)
    return 0;
  for (unsigned I = 0; I < KnownCount; ++I) {
    if (Known[I].Low == R.Low && Known[I].High == R.High) {
      Known[I].Seen = true;
      return 0;
    }
  }
  if (KnownCount < MaxModules) {
    Known[KnownCount++] = R;
    write(*Info, R);
  }
  return 0;
}

} // namespace

void torchtidy::record::writeModules(bool Anew) {
  if (!Known)
    Known = static_cast<Range *>(mapPages(MaxModules * sizeof(Range)));
  if (!Known)
    return;
  if (Anew)
    KnownCount = 0;
  auto SubsBefore = Subs;
  for (unsigned I = 0; I < KnownCount; ++I)
    Known[I].Seen = false;
  dl_iterate_phdr(visit, nullptr);
  if (SubsBefore != Subs && !Anew)
    forgetFrameRules();
  unsigned Kept = 0;
  for (unsigned I = 0; I < KnownCount; ++I) {
    if (Known[I].Seen) {
      Known[Kept++] = Known[I];
      continue;
    }
    Encoder &E = openRecord();
    E.rare(RareKind::ModuleGone);
    E.number(Known[I].Low);
  }
  KnownCount = Kept;
}

bool torchtidy::record::moduleKnown(uintptr_t Address) {
  for (unsigned I = 0; I < KnownCount; ++I)
    if (Address - Known[I].Low < Known[I].High - Known[I].Low)
      return true;
  return false;
}

bool torchtidy::record::modulesChanged() {
  struct Counts {
    unsigned long long Adds, Subs;
  } Now = {0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        *static_cast<Counts *>(Data) = {Info->dlpi_adds, Info->dlpi_subs};
        return 1;
      },
      &Now);
  return Now.Adds != Adds || Now.Subs != Subs;
}

bool torchtidy::record::forEachModule(bool (*F)(const char *, void *),
                                      void *Data) {
  // Paths are copied first: the callback may take the loader's lock.
  constexpr size_t Room = 256 * 1024;
  struct List {
    char *Text;
    size_t Used;
  } L = {static_cast<char *>(mapPages(Room)), 0};
  if (!L.Text)
    return false;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &L = *static_cast<List *>(Data);
        size_t Size = std::strlen(Info->dlpi_name) + 1;
        Range R = rangeOf(*Info);
        bool Own = reinterpret_cast<uintptr_t>(__ehdr_start) == R.Low;
        if (Size > 1 && !Own && L.Used + Size < Room) {
          std::memcpy(L.Text + L.Used, Info->dlpi_name, Size);
          L.Used += Size;
        }
        return 0;
      },
      &L);
  bool Found = false;
  for (size_t At = 0; At < L.Used && !Found; At += std::strlen(L.Text + At) + 1)
    Found = F(L.Text + At, Data);
  unmapPages(L.Text, Room);
  return Found;
}
