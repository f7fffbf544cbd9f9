//===- Watch.cpp - Did the flagged statements run? ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Watch.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::SlotState;

HitTable HitTable::read(const std::string &PlanPath, size_t Slots) {
  namespace fs = std::filesystem;
  HitTable Table;
  Table.Slots.resize(Slots, SlotState::NotLoaded);
  fs::path Plan(PlanPath);
  std::string Prefix = Plan.filename().string() + ".hits.";
  std::error_code Error;
  fs::path Folder = Plan.has_parent_path() ? Plan.parent_path() : ".";
  for (const auto &File : fs::directory_iterator(Folder, Error)) {
    if (File.path().filename().string().compare(0, Prefix.size(), Prefix) != 0)
      continue;
    std::ifstream In(File.path(), std::ios::binary);
    std::string Bytes((std::istreambuf_iterator<char>(In)), {});
    trace::HitHeader Header;
    if (Bytes.size() != sizeof Header + Slots)
      continue;
    std::memcpy(&Header, Bytes.data(), sizeof Header);
    if (std::memcmp(Header.Magic, trace::HitMagic, sizeof Header.Magic) != 0 ||
        Header.Slots != Slots)
      continue;
    ++Table.Processes;
    if (Header.Status == trace::HitStatus::Traced)
      Table.Traced = true;
    for (size_t I = 0; I < Slots; ++I) {
      auto State = static_cast<SlotState>(Bytes[sizeof Header + I]);
      auto &Known = Table.Slots[I];
      // A hit anywhere is a hit; a refusal beats "armed and not hit".
      if (Known != SlotState::Hit && (State == SlotState::Hit || State > Known))
        Known = State;
    }
  }
  return Table;
}

void Watch::addModule(DebugInfo &Module) {
  if (!Module.isX86_64() || !Module.unitCount())
    return;
  WatchedModule M;
  M.Points = mapStatements(Module, Statements);
  if (std::none_of(M.Points.begin(), M.Points.end(),
                   [](const StatementPoints &P) { return P.FileSeen; }))
    return;
  std::error_code Error;
  M.Path = std::filesystem::absolute(Module.path(), Error).string();
  M.BuildId = Module.buildId();
  for (const StatementPoints &P : M.Points)
    for (const Point &Where : P.Points)
      M.SlotOf.emplace(Where.Address, 0);
  for (auto &[Address, Slot] : M.SlotOf)
    Slot = SlotCount++;
  Modules.push_back(std::move(M));
}

std::string Watch::plan() const {
  std::ostringstream Out;
  Out << trace::PlanHeader << '\n';
  for (const WatchedModule &M : Modules) {
    Out << "module " << (M.BuildId.empty() ? "-" : M.BuildId) << ' ' << M.Path
        << '\n';
    for (const auto &[Address, Slot] : M.SlotOf)
      Out << std::hex << Address << '\n';
  }
  return Out.str();
}

Watch::Answer Watch::answer(size_t Statement, const HitTable &Hits) const {
  bool FileSeen = false, Owned = false, Loaded = false, Refused = false;
  bool HitOf[3] = {false, false, false};
  for (const WatchedModule &M : Modules) {
    const StatementPoints &P = M.Points[Statement];
    FileSeen |= P.FileSeen;
    Owned |= P.owned();
    for (const Point &Where : P.Points) {
      size_t Slot = M.SlotOf.at(Where.Address);
      SlotState State =
          Slot < Hits.Slots.size() ? Hits.Slots[Slot] : SlotState::NotLoaded;
      Loaded |= State != SlotState::NotLoaded;
      Refused |= State == SlotState::Refused;
      if (State == SlotState::Hit)
        HitOf[static_cast<int>(Where.Kind)] = true;
    }
  }
  auto unknown = [](const char *Why) { return Answer{Ran::Unknown, Why}; };
  if (HitOf[static_cast<int>(PointKind::Strong)])
    return {Ran::Yes, ""};
  if (!FileSeen)
    return unknown("its file is in no module with line tables");
  if (!Owned)
    return unknown("the compiler has left no code of its own of it");
  if (Hits.Traced)
    return unknown("the program ran under a debugger");
  if (!Loaded)
    return unknown("its module was not loaded");
  if (HitOf[static_cast<int>(PointKind::Weak)])
    return unknown("only parts that the compiler may have hoisted ran");
  if (HitOf[static_cast<int>(PointKind::Blind)])
    return unknown("a copy of its function ran in which it cannot be watched");
  if (Refused)
    return unknown("it could not be watched");
  return {Ran::No, ""};
}
