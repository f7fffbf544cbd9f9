//===- Symbols.cpp - From return addresses to source places ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Symbols.h"
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <sys/stat.h>

using namespace torchtidy;
using namespace torchtidy::confirm;

std::string confirm::demangled(const char *Name) {
  if (!Name)
    return "";
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name, nullptr, nullptr, &Status);
  std::string Result = Status == 0 && Text ? Text : Name;
  std::free(Text);
  return Result;
}

namespace {

int64_t modifiedAt(const std::string &Path) {
  struct stat S;
  return stat(Path.c_str(), &S) == 0 ? static_cast<int64_t>(S.st_mtime) : 0;
}

bool sameModule(const LoadedModule &Loaded, const DebugInfo &OnDisk) {
  if (!Loaded.BuildId.empty() || !OnDisk.buildId().empty())
    return Loaded.BuildId == OnDisk.buildId();
  return !Loaded.LoadedAt || modifiedAt(Loaded.Path) <= Loaded.LoadedAt;
}

std::string nameOf(const CodeScope &Scope) {
  if (Scope.Linkage)
    return demangled(Scope.Linkage);
  return Scope.Name ? Scope.Name : "";
}

std::vector<Frame> chainAt(const CodeUnit &Unit, uint64_t Address) {
  std::vector<Frame> Chain;
  const LineRow *Row = Unit.rowAt(Address);
  int Scope = Unit.scopeAt(Address);
  auto fileName = [&](int File) {
    return File >= 0 ? Unit.Files[File] : std::string();
  };
  if (Row && Row->Line)
    Chain.push_back({fileName(Row->File), Row->Line, Row->Column,
                     Scope >= 0 ? nameOf(Unit.Scopes[Scope]) : ""});
  for (; Scope >= 0 && Unit.Scopes[Scope].Inlined;
       Scope = Unit.Scopes[Scope].Parent) {
    const CodeScope &Inlined = Unit.Scopes[Scope];
    Chain.push_back(
        {fileName(Inlined.CallFile), Inlined.CallLine, Inlined.CallColumn,
         Inlined.Parent >= 0 ? nameOf(Unit.Scopes[Inlined.Parent]) : ""});
  }
  return Chain;
}

} // namespace

Symbols::Symbols(std::vector<LoadedModule> Loaded) {
  std::sort(Loaded.begin(), Loaded.end(),
            [](const auto &A, const auto &B) { return A.Begin < B.Begin; });
  for (LoadedModule &M : Loaded) {
    Opened O;
    std::string Error;
    O.Info = DebugInfo::open(M.Path, Error);
    if (O.Info && !sameModule(M, *O.Info)) {
      Changed.push_back(M.Path);
      O.Info.reset();
    }
    Lines |= O.Info && O.Info->unitCount();
    O.Loaded = std::move(M);
    Modules.push_back(std::move(O));
  }
}

const std::vector<Frame> &Symbols::frames(uint64_t ReturnAddress) {
  auto [It, New] = Known.try_emplace(ReturnAddress);
  if (!New)
    return It->second;
  auto M = std::upper_bound(
      Modules.begin(), Modules.end(), ReturnAddress,
      [](uint64_t A, const Opened &O) { return A < O.Loaded.Begin; });
  if (M == Modules.begin())
    return It->second;
  --M;
  if (!M->Info || ReturnAddress > M->Loaded.End)
    return It->second;
  // The call lies before the address it returns to.
  uint64_t Call = ReturnAddress - 1 - M->Loaded.Bias;
  if (const CodeUnit *Unit = M->Info->unitAt(Call))
    It->second = chainAt(*Unit, Call);
  return It->second;
}

bool Symbols::knowsFile(const std::string &File, std::string *OlderModule) {
  bool Found = false;
  for (Opened &O : Modules) {
    if (!O.Info)
      continue;
    if (!O.FilesRead) {
      for (size_t U = 0; U < O.Info->unitCount(); ++U)
        for (std::string &Name : O.Info->unitFiles(U))
          O.Files.push_back(std::move(Name));
      std::sort(O.Files.begin(), O.Files.end());
      O.Files.erase(std::unique(O.Files.begin(), O.Files.end()), O.Files.end());
      O.FilesRead = true;
    }
    if (std::none_of(O.Files.begin(), O.Files.end(),
                     [&](const auto &Name) { return samePath(Name, File); }))
      continue;
    Found = true;
    if (OlderModule && modifiedAt(File) > modifiedAt(O.Loaded.Path))
      *OlderModule = O.Loaded.Path;
  }
  return Found;
}
