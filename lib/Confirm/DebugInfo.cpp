//===- DebugInfo.cpp - Line tables and inline chains of one module --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/DebugInfo.h"
#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <unistd.h>
#include <unordered_map>

using namespace torchtidy;
using namespace torchtidy::confirm;

std::string confirm::normalPath(const std::string &Path) {
  return std::filesystem::path(Path).lexically_normal().string();
}

bool confirm::samePath(const std::string &A, const std::string &B) {
  const std::string &Long = A.size() > B.size() ? A : B;
  const std::string &Short = A.size() > B.size() ? B : A;
  if (Short.empty() ||
      Long.compare(Long.size() - Short.size(), Short.size(), Short) != 0)
    return false;
  return Long.size() == Short.size() || Short[0] == '/' ||
         Long[Long.size() - Short.size() - 1] == '/';
}

bool CodeScope::contains(uint64_t Address) const {
  return std::any_of(Ranges.begin(), Ranges.end(), [&](const auto &R) {
    return Address >= R.first && Address < R.second;
  });
}

std::string CodeScope::key() const {
  std::string Text = Name ? Name : Linkage ? Linkage : "?";
  if (Text.compare(0, 8, "operator") != 0)
    Text = Text.substr(0, Text.find('<'));
  return Text + "@" + std::to_string(DeclLine);
}

int CodeUnit::scopeAt(uint64_t Address) const {
  auto It = std::upper_bound(
      Stretches.begin(), Stretches.end(), Address,
      [](uint64_t A, const Stretch &S) { return A < S.Begin; });
  if (It == Stretches.begin())
    return -1;
  --It;
  return Address < It->End ? It->Scope : -1;
}

const LineRow *CodeUnit::rowAt(uint64_t Address) const {
  auto It = std::upper_bound(
      Rows.begin(), Rows.end(), Address,
      [](uint64_t A, const LineRow &R) { return A < R.Address; });
  if (It == Rows.begin())
    return nullptr;
  --It;
  return Address < It->End ? &*It : nullptr;
}

struct DebugInfo::Impl {
  struct UnitDie {
    Dwarf_Die Die;
    std::unique_ptr<CodeUnit> Read;
  };
  struct UnitRange {
    uint64_t Begin, End;
    size_t Unit;
  };

  std::string Path, BuildId;
  int Fd = -1;
  Elf *File = nullptr;
  Dwarf *Debug = nullptr;
  bool X86_64 = false;
  std::vector<TextSection> Text;
  std::vector<UnitDie> Units;
  std::vector<UnitRange> UnitRanges; ///< by address

  ~Impl() {
    if (Debug)
      dwarf_end(Debug);
    if (File)
      elf_end(File);
    if (Fd >= 0)
      close(Fd);
  }

  bool inText(uint64_t Address) const {
    return std::any_of(Text.begin(), Text.end(), [&](const TextSection &S) {
      return Address >= S.Begin && Address < S.End;
    });
  }
};

namespace {

std::string hexBuildId(Elf *File) {
  const void *Id = nullptr;
  ssize_t Size = dwelf_elf_gnu_build_id(File, &Id);
  std::string Text;
  static const char Digits[] = "0123456789abcdef";
  for (ssize_t I = 0; I < Size; ++I) {
    uint8_t Byte = static_cast<const uint8_t *>(Id)[I];
    Text += {Digits[Byte >> 4], Digits[Byte & 15]};
  }
  return Text;
}

unsigned number(Dwarf_Die *Die, unsigned Attribute) {
  Dwarf_Attribute A;
  Dwarf_Word Value = 0;
  if (dwarf_attr_integrate(Die, Attribute, &A))
    dwarf_formudata(&A, &Value);
  return static_cast<unsigned>(Value);
}

const char *text(Dwarf_Die *Die, unsigned Attribute) {
  Dwarf_Attribute A;
  return dwarf_attr_integrate(Die, Attribute, &A) ? dwarf_formstring(&A)
                                                  : nullptr;
}

/// Reads the rows and scopes of one unit.
class UnitReader {
public:
  UnitReader(Dwarf_Die *UnitDie, std::function<bool(uint64_t)> InText)
      : Die(UnitDie), InText(std::move(InText)) {}

  std::unique_ptr<CodeUnit> read() {
    Unit = std::make_unique<CodeUnit>();
    if (dwarf_getsrcfiles(Die, &Files, &FileCount) != 0)
      Files = nullptr;
    readRows();
    Dwarf_Die Child;
    if (dwarf_child(Die, &Child) == 0)
      readScopes(Child, -1, 0);
    layOutStretches();
    return std::move(Unit);
  }

private:
  int fileIndex(const char *Name) {
    if (!Name)
      return -1;
    auto [It, New] =
        FileIds.try_emplace(Name, static_cast<int>(FileIds.size()));
    if (New)
      Unit->Files.push_back(normalPath(Name));
    return It->second;
  }

  void readRows() {
    Dwarf_Lines *Lines;
    size_t Count;
    if (dwarf_getsrclines(Die, &Lines, &Count) != 0)
      return;
    Unit->Rows.reserve(Count);
    for (size_t I = 0; I < Count; ++I) {
      Dwarf_Line *Line = dwarf_onesrcline(Lines, I);
      bool EndOfSequence = false;
      dwarf_lineendsequence(Line, &EndOfSequence);
      LineRow Row;
      dwarf_lineaddr(Line, &Row.Address);
      // Functions that the linker dropped keep rows near address zero.
      if (EndOfSequence || !InText(Row.Address))
        continue;
      int Number = 0, Column = 0;
      dwarf_lineno(Line, &Number);
      dwarf_linecol(Line, &Column);
      Row.Line = static_cast<unsigned>(Number);
      Row.Column = static_cast<unsigned>(Column);
      Row.File = fileIndex(dwarf_linesrc(Line, nullptr, nullptr));
      Row.End = Row.Address;
      if (I + 1 < Count)
        dwarf_lineaddr(dwarf_onesrcline(Lines, I + 1), &Row.End);
      Unit->Rows.push_back(Row);
    }
  }

  void readScopes(Dwarf_Die Current, int Parent, unsigned Depth) {
    do {
      int Me = Parent;
      int Tag = dwarf_tag(&Current);
      if (Tag == DW_TAG_subprogram || Tag == DW_TAG_inlined_subroutine)
        Me =
            readScope(Current, Tag == DW_TAG_inlined_subroutine, Parent, Depth);
      Dwarf_Die Child;
      if (dwarf_haschildren(&Current) && dwarf_child(&Current, &Child) == 0)
        readScopes(Child, Me, Depth + 1);
    } while (dwarf_siblingof(&Current, &Current) == 0);
  }

  int readScope(Dwarf_Die &Current, bool Inlined, int Parent, unsigned Depth) {
    CodeScope Scope;
    Dwarf_Addr Base, Low, High;
    ptrdiff_t Offset = 0;
    while ((Offset = dwarf_ranges(&Current, Offset, &Base, &Low, &High)) > 0)
      if (Low < High && InText(Low))
        Scope.Ranges.emplace_back(Low, High);
    if (Scope.Ranges.empty())
      return -1;
    Scope.Inlined = Inlined;
    Scope.Parent = Inlined ? Parent : -1;
    Scope.Depth = Depth;
    Scope.Name = text(&Current, DW_AT_name);
    Scope.Linkage = text(&Current, DW_AT_linkage_name);
    Scope.DeclLine = number(&Current, DW_AT_decl_line);
    if (Inlined) {
      Scope.CallLine = number(&Current, DW_AT_call_line);
      Scope.CallColumn = number(&Current, DW_AT_call_column);
      unsigned File = number(&Current, DW_AT_call_file);
      if (Files && File < FileCount)
        Scope.CallFile =
            fileIndex(dwarf_filesrc(Files, File, nullptr, nullptr));
    }
    if (dwarf_entrypc(&Current, &Scope.Entry) != 0 || !InText(Scope.Entry))
      Scope.Entry = Scope.Ranges.front().first;
    Unit->Scopes.push_back(std::move(Scope));
    return static_cast<int>(Unit->Scopes.size()) - 1;
  }

  /// Cuts the nested ranges into disjoint stretches of the innermost scope.
  void layOutStretches() {
    struct Range {
      uint64_t Begin, End;
      int Scope;
    };
    std::vector<Range> All;
    for (size_t I = 0; I < Unit->Scopes.size(); ++I)
      for (auto [Begin, End] : Unit->Scopes[I].Ranges)
        All.push_back({Begin, End, static_cast<int>(I)});
    auto depth = [&](int S) { return Unit->Scopes[S].Depth; };
    std::sort(All.begin(), All.end(), [&](const Range &A, const Range &B) {
      return A.Begin != B.Begin ? A.Begin < B.Begin
                                : depth(A.Scope) < depth(B.Scope);
    });
    std::vector<Range> Open;
    uint64_t At = 0;
    auto upTo = [&](uint64_t Address) {
      while (!Open.empty()) {
        Range Top = Open.back();
        uint64_t End = std::min(Top.End, Address);
        if (End > At)
          Unit->Stretches.push_back({At, End, Top.Scope});
        At = std::max(At, End);
        if (Top.End > Address)
          return;
        Open.pop_back();
      }
      At = std::max(At, Address);
    };
    for (const Range &R : All) {
      upTo(R.Begin);
      At = std::max(At, R.Begin);
      Open.push_back(R);
    }
    upTo(~uint64_t(0));
  }

  Dwarf_Die *Die;
  std::function<bool(uint64_t)> InText;
  Dwarf_Files *Files = nullptr;
  size_t FileCount = 0;
  std::unordered_map<const char *, int> FileIds; // libdw shares them
  std::unique_ptr<CodeUnit> Unit;
};

} // namespace

DebugInfo::DebugInfo(std::unique_ptr<Impl> I) : P(std::move(I)) {}
DebugInfo::~DebugInfo() = default;

std::unique_ptr<DebugInfo> DebugInfo::open(const std::string &Path,
                                           std::string &Error) {
  auto P = std::make_unique<Impl>();
  P->Path = Path;
  elf_version(EV_CURRENT);
  P->Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (P->Fd < 0) {
    Error = Path + ": " + std::strerror(errno);
    return nullptr;
  }
  P->File = elf_begin(P->Fd, ELF_C_READ_MMAP, nullptr);
  GElf_Ehdr Header;
  if (!P->File || elf_kind(P->File) != ELF_K_ELF ||
      !gelf_getehdr(P->File, &Header)) {
    Error = Path + ": not an ELF file";
    return nullptr;
  }
  P->X86_64 = Header.e_machine == EM_X86_64;
  P->BuildId = hexBuildId(P->File);
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(P->File, S));) {
    GElf_Shdr H;
    if (!gelf_getshdr(S, &H) || !(H.sh_flags & SHF_EXECINSTR) ||
        H.sh_type != SHT_PROGBITS)
      continue;
    if (Elf_Data *Data = elf_getdata(S, nullptr); Data && Data->d_buf)
      P->Text.push_back({H.sh_addr, H.sh_addr + H.sh_size,
                         static_cast<const uint8_t *>(Data->d_buf)});
  }

  P->Debug = dwarf_begin_elf(P->File, DWARF_C_READ, nullptr);
  Dwarf_CU *Cu = nullptr;
  uint8_t Type;
  Dwarf_Die Die;
  while (P->Debug && dwarf_get_units(P->Debug, Cu, &Cu, nullptr, &Type, &Die,
                                     nullptr) == 0) {
    Dwarf_Attribute A;
    if (dwarf_tag(&Die) != DW_TAG_compile_unit ||
        !dwarf_attr(&Die, DW_AT_stmt_list, &A))
      continue;
    Dwarf_Addr Base, Low, High;
    ptrdiff_t Offset = 0;
    while ((Offset = dwarf_ranges(&Die, Offset, &Base, &Low, &High)) > 0)
      if (Low < High && P->inText(Low))
        P->UnitRanges.push_back({Low, High, P->Units.size()});
    P->Units.push_back({Die, nullptr});
  }
  std::sort(P->UnitRanges.begin(), P->UnitRanges.end(),
            [](const auto &A, const auto &B) { return A.Begin < B.Begin; });
  return std::unique_ptr<DebugInfo>(new DebugInfo(std::move(P)));
}

const std::string &DebugInfo::path() const { return P->Path; }
const std::string &DebugInfo::buildId() const { return P->BuildId; }
bool DebugInfo::isX86_64() const { return P->X86_64; }
const std::vector<TextSection> &DebugInfo::text() const { return P->Text; }
size_t DebugInfo::unitCount() const { return P->Units.size(); }

std::vector<std::string> DebugInfo::unitFiles(size_t I) const {
  std::vector<std::string> Names;
  Dwarf_Files *Files;
  size_t Count;
  if (dwarf_getsrcfiles(&P->Units[I].Die, &Files, &Count) != 0)
    return Names;
  for (size_t F = 0; F < Count; ++F)
    if (const char *Name = dwarf_filesrc(Files, F, nullptr, nullptr))
      Names.push_back(normalPath(Name));
  return Names;
}

const CodeUnit &DebugInfo::unit(size_t I) {
  Impl::UnitDie &Unit = P->Units[I];
  if (!Unit.Read)
    Unit.Read = UnitReader(&Unit.Die, [this](uint64_t A) {
                  return P->inText(A);
                }).read();
  return *Unit.Read;
}

const CodeUnit *DebugInfo::unitAt(uint64_t Address) {
  auto It = std::upper_bound(
      P->UnitRanges.begin(), P->UnitRanges.end(), Address,
      [](uint64_t A, const Impl::UnitRange &R) { return A < R.Begin; });
  if (It == P->UnitRanges.begin())
    return nullptr;
  --It;
  return Address < It->End ? &unit(It->Unit) : nullptr;
}

std::string confirm::readBuildId(const std::string &Path) {
  std::string Error;
  elf_version(EV_CURRENT);
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return "";
  std::string Id;
  if (Elf *File = elf_begin(Fd, ELF_C_READ_MMAP, nullptr)) {
    Id = hexBuildId(File);
    elf_end(File);
  }
  close(Fd);
  return Id;
}
