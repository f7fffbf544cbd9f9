//===- Breakpoints.cpp - One-shot breakpoints in our own process ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Breakpoints.h"
#include "BreakpointSignals.h"
#include "Trace/Breakpoints.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

using namespace torchtidy::record;
using namespace torchtidy::trace;

#if !defined(__x86_64__)
#error "breakpoints are written for x86-64"
#endif

namespace {

constexpr uint8_t Int3 = 0xCC;
constexpr unsigned MaxModules = 128;

struct Module {
  char BuildId[80];
  dev_t Device;
  ino_t Inode;
  unsigned First, End; ///< slots
  uintptr_t Bias;
  bool Loaded, Seen;
};

/// Address of an armed byte -> slot; open addressing. Written only under the
/// loader's lock, read in the handler: the address is published last.
struct Entry {
  uintptr_t Address;
  uint32_t Slot;
};

// Everything is constant-initialised: traps may come before any constructor of
// another file has run. Nothing below allocates once the plan has been read.
char PlanPath[4096];
Module Modules[MaxModules];
unsigned ModuleCount;
uintptr_t *Offsets; ///< per slot
uint8_t *Original;  ///< per slot, the byte that int3 replaces
unsigned SlotCount;
Entry *Table;
size_t TableMask;
HitHeader *Hits;
uint8_t *States; ///< per slot, in the shared mapping
uintptr_t LoaderHook;
bool Started;

Entry *find(uintptr_t Address) {
  size_t H = (Address * 0x9E3779B97F4A7C15u) >> 32;
  for (;; ++H) {
    Entry *E = &Table[H & TableMask];
    uintptr_t At = __atomic_load_n(&E->Address, __ATOMIC_ACQUIRE);
    if (At == Address || !At)
      return E;
  }
}

bool writeByte(uintptr_t Address, uint8_t Value) {
  int Fd = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0));
  long Written = -1;
  if (Fd >= 0) {
    Written = syscall(SYS_pwrite64, Fd, &Value, 1, static_cast<off_t>(Address));
    syscall(SYS_close, Fd);
  }
  if (Written == 1)
    return true;
  uintptr_t Page = Address & ~uintptr_t(4095);
  if (syscall(SYS_mprotect, Page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
    return false;
  __atomic_store_n(reinterpret_cast<uint8_t *>(Address), Value,
                   __ATOMIC_SEQ_CST);
  syscall(SYS_mprotect, Page, 4096, PROT_READ | PROT_EXEC);
  return true;
}

/// Opens a hit file of this process; a pid that executes another program must
/// not lose what the former one left.
bool openHits(HitStatus Status) {
  char Name[sizeof PlanPath + 64];
  int Fd = -1;
  for (unsigned N = 0; N < 64 && Fd < 0; ++N) {
    std::snprintf(Name, sizeof Name, "%s.hits.%d.%u", PlanPath, getpid(), N);
    Fd = open(Name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (Fd < 0 && errno != EEXIST)
      return false;
  }
  size_t Size = sizeof(HitHeader) + SlotCount;
  // Allocated, not sparse: a full disk must not become a SIGBUS in a handler.
  if (Fd < 0 || posix_fallocate(Fd, 0, static_cast<off_t>(Size)) != 0) {
    if (Fd >= 0)
      close(Fd);
    return false;
  }
  void *Map = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0);
  close(Fd);
  if (Map == MAP_FAILED)
    return false;
  auto *Header = static_cast<HitHeader *>(Map);
  std::memcpy(Header->Magic, HitMagic, sizeof HitMagic);
  Header->Slots = SlotCount;
  Header->Status = Status;
  States = static_cast<uint8_t *>(Map) + sizeof(HitHeader);
  Hits = Header;
  return true;
}

void readBuildId(const dl_phdr_info *Info, char (&Id)[80]) {
  std::strcpy(Id, "-");
  for (int H = 0; H < Info->dlpi_phnum; ++H) {
    if (Info->dlpi_phdr[H].p_type != PT_NOTE)
      continue;
    auto *At = reinterpret_cast<const char *>(Info->dlpi_addr +
                                              Info->dlpi_phdr[H].p_vaddr);
    const char *End = At + Info->dlpi_phdr[H].p_memsz;
    while (At + sizeof(ElfW(Nhdr)) <= End) {
      auto *Note = reinterpret_cast<const ElfW(Nhdr) *>(At);
      const char *Name = At + sizeof *Note;
      const char *Desc = Name + ((Note->n_namesz + 3) & ~3u);
      if (Note->n_type == NT_GNU_BUILD_ID && Note->n_namesz == 4 &&
          !std::memcmp(Name, "GNU", 4)) {
        static const char Digits[] = "0123456789abcdef";
        unsigned Size = Note->n_descsz < 39 ? Note->n_descsz : 39;
        for (unsigned I = 0; I < Size; ++I) {
          auto Byte = static_cast<uint8_t>(Desc[I]);
          Id[2 * I] = Digits[Byte >> 4];
          Id[2 * I + 1] = Digits[Byte & 15];
        }
        Id[2 * Size] = 0;
        return;
      }
      At = Desc + ((Note->n_descsz + 3) & ~3u);
    }
  }
}

bool isModule(const Module &M, const char *BuildId, const char *Path) {
  if (M.BuildId[0] != '-')
    return !std::strcmp(M.BuildId, BuildId);
  struct stat S;
  return M.Inode && stat(Path, &S) == 0 && S.st_dev == M.Device &&
         S.st_ino == M.Inode;
}

void armModule(Module &M) {
  for (unsigned Slot = M.First; Slot < M.End; ++Slot) {
    auto State = static_cast<SlotState>(
        __atomic_load_n(&States[Slot], __ATOMIC_SEQ_CST));
    if (State == SlotState::Hit)
      continue;
    uintptr_t Address = M.Bias + Offsets[Slot];
    Original[Slot] = *reinterpret_cast<const uint8_t *>(Address);
    Entry *E = find(Address);
    E->Slot = Slot;
    __atomic_store_n(&E->Address, Address, __ATOMIC_RELEASE);
    bool Done = writeByte(Address, Int3);
    __atomic_store_n(
        &States[Slot],
        static_cast<uint8_t>(Done ? SlotState::Armed : SlotState::Refused),
        __ATOMIC_SEQ_CST);
  }
}

int visitModule(dl_phdr_info *Info, size_t, void *) {
  char BuildId[80];
  readBuildId(Info, BuildId);
  bool Main = !Info->dlpi_name || !*Info->dlpi_name;
  const char *Path = Main ? "/proc/self/exe" : Info->dlpi_name;
  for (unsigned I = 0; I < ModuleCount; ++I) {
    Module &M = Modules[I];
    if (M.Seen || !isModule(M, BuildId, Path))
      continue;
    M.Seen = true;
    if (M.Loaded && M.Bias == Info->dlpi_addr)
      continue;
    if (!Hits && !openHits(HitStatus::Watching))
      continue;
    M.Bias = Info->dlpi_addr;
    M.Loaded = true;
    armModule(M);
  }
  return 0;
}

/// Arms what has come and forgets what has gone: a module opened again brings
/// fresh code, even at the same address.
void armAll() {
  for (unsigned I = 0; I < ModuleCount; ++I)
    Modules[I].Seen = false;
  dl_iterate_phdr(visitModule, nullptr);
  for (unsigned I = 0; I < ModuleCount; ++I)
    if (!Modules[I].Seen)
      Modules[I].Loaded = false;
}

void onTrap(int Signal, siginfo_t *Info, void *Context) {
  int SavedErrno = errno;
  auto &Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  uintptr_t Address = static_cast<uintptr_t>(Registers[REG_RIP]) - 1;
  if (Info->si_code == SI_KERNEL || Info->si_code == TRAP_BRKPT) {
    if (Address == LoaderHook) {
      // The loader's hook is a lone `ret`: do it here, the int3 stays.
      armAll();
      Registers[REG_RIP] =
          *reinterpret_cast<const greg_t *>(Registers[REG_RSP]);
      Registers[REG_RSP] += 8;
      errno = SavedErrno;
      return;
    }
    Entry *E = find(Address);
    if (E->Address == Address) {
      __atomic_fetch_add(&Hits->Traps, 1, __ATOMIC_RELAXED);
      __atomic_store_n(&States[E->Slot], static_cast<uint8_t>(SlotState::Hit),
                       __ATOMIC_SEQ_CST);
      // A racing thread or the parent of a fork may have hit it before; the
      // byte here may still be ours.
      if (*reinterpret_cast<volatile uint8_t *>(Address) == Int3 &&
          Original[E->Slot] != Int3)
        writeByte(Address, Original[E->Slot]);
      Registers[REG_RIP] = static_cast<greg_t>(Address);
      errno = SavedErrno;
      return;
    }
  }
  if (Hits)
    __atomic_fetch_add(&Hits->Foreign, 1, __ATOMIC_RELAXED);
  errno = SavedErrno;
  passTrapOn(Signal, Info, Context);
}

bool underDebugger() {
  char Text[4096];
  int Fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return false;
  ssize_t Size = read(Fd, Text, sizeof Text - 1);
  close(Fd);
  Text[Size > 0 ? Size : 0] = 0;
  const char *At = std::strstr(Text, "TracerPid:");
  return At && std::atoi(At + 10) != 0;
}

void *anonymous(size_t Size) {
  void *Map = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return Map == MAP_FAILED ? nullptr : Map;
}

bool reserveSlots(unsigned Count) {
  size_t Entries = 64;
  while (Entries < size_t(Count) * 4)
    Entries *= 2;
  TableMask = Entries - 1;
  Table = static_cast<Entry *>(anonymous(Entries * sizeof(Entry)));
  Offsets = static_cast<uintptr_t *>(anonymous(Count * sizeof(uintptr_t)));
  Original = static_cast<uint8_t *>(anonymous(Count));
  return Table && Offsets && Original;
}

/// One line of the plan; false if it makes no sense.
bool readLine(char *Line, unsigned Capacity) {
  Line[std::strcspn(Line, "\n")] = 0;
  if (!std::strncmp(Line, "module ", 7)) {
    char *Id = Line + 7;
    char *Path = std::strchr(Id, ' ');
    if (!Path || ModuleCount == MaxModules)
      return false;
    *Path++ = 0;
    if (std::strlen(Id) >= sizeof Module::BuildId)
      return false;
    Module &M = Modules[ModuleCount++];
    std::strcpy(M.BuildId, Id);
    struct stat S;
    if (stat(Path, &S) == 0) {
      M.Device = S.st_dev;
      M.Inode = S.st_ino;
    }
    M.First = M.End = SlotCount;
    return true;
  }
  char *End;
  uintptr_t Offset = std::strtoull(Line, &End, 16);
  if (End == Line || *End || !ModuleCount || SlotCount == Capacity)
    return false;
  Offsets[SlotCount++] = Offset;
  Modules[ModuleCount - 1].End = SlotCount;
  return true;
}

bool readPlan() {
  FILE *File = std::fopen(PlanPath, "re");
  if (!File)
    return false;
  char Line[4096 + 128];
  unsigned Lines = 0;
  while (std::fgets(Line, sizeof Line, File))
    ++Lines;
  std::rewind(File);
  bool Good = Lines && reserveSlots(Lines) &&
              std::fgets(Line, sizeof Line, File) &&
              !std::strncmp(Line, PlanHeader, sizeof PlanHeader - 1);
  while (Good && std::fgets(Line, sizeof Line, File))
    Good = readLine(Line, Lines);
  std::fclose(File);
  return Good && SlotCount;
}

void hookLoader() {
  auto *Hook = reinterpret_cast<const uint8_t *>(_r_debug.r_brk);
  static const uint8_t EndBr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (Hook && !std::memcmp(Hook, EndBr, sizeof EndBr))
    Hook += sizeof EndBr;
  constexpr uint8_t Ret = 0xC3;
  if (Hook && *Hook == Ret) {
    LoaderHook = reinterpret_cast<uintptr_t>(Hook);
    if (writeByte(LoaderHook, Int3))
      return;
    LoaderHook = 0;
  }
  if (Hits)
    Hits->Status = HitStatus::BlindLate;
}

__attribute__((constructor)) void startAtLoad() {
  torchtidy::record::startBreakpoints();
}

} // namespace

void torchtidy::record::startBreakpoints() {
  const char *Plan = std::getenv(BreakpointsVariable);
  if (Started || !Plan || !*Plan || std::strlen(Plan) >= sizeof PlanPath)
    return;
  Started = true;
  std::strcpy(PlanPath, Plan);
  if (!readPlan())
    return;
  if (underDebugger()) {
    openHits(HitStatus::Traced);
    return;
  }
  if (!ownTrap(onTrap))
    return;
  armAll();
  hookLoader();
}
