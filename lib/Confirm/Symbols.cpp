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

std::string confirm::functionName(const char *Name) {
  if (!Name)
    return "";
  int Status = 0;
  char *Demangled = abi::__cxa_demangle(Name, nullptr, nullptr, &Status);
  std::string Text = Status == 0 && Demangled ? Demangled : Name;
  std::free(Demangled);

  // The parameters begin at the first parenthesis outside template arguments
  // that names no scope; what a template returns ends at the last blank before.
  const size_t Operator = Text.find("operator");
  size_t Begin = 0, End = Text.size();
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (I == Operator && !Depth) { // its name may hold any of these characters
      size_t Open = Text.find('(', I + 8);
      End = Text.compare(I, 10, "operator()") == 0 ? I + 10 : Open;
      break;
    }
    char C = Text[I];
    Depth += C == '<' || C == '{';
    Depth -= C == '>' || C == '}';
    if (Depth)
      continue;
    if (C == ' ')
      Begin = I + 1;
    if (C != '(')
      continue;
    size_t Close = Text.find(')', I);
    bool Scope =
        Close != std::string::npos && Text.compare(Close, 3, ")::") == 0;
    if (!Scope && Text.compare(I, 7, "(lambda") != 0) {
      End = I;
      break;
    }
    I = Close;
  }
  return Text.substr(Begin, End == std::string::npos ? End : End - Begin);
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
    return functionName(Scope.Linkage);
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
