//===- StatementMap.cpp - From a statement to its machine code ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/StatementMap.h"
#include <algorithm>
#include <capstone/capstone.h>
#include <map>
#include <optional>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;

bool confirm::inRange(const SourceSpan &Range, unsigned Line, unsigned Column) {
  if (Line < Range.Line || Line > Range.EndLine)
    return false;
  if (Column && Range.Column && Line == Range.Line && Column < Range.Column)
    return false;
  // The end column lies behind the last character.
  return !(Column && Range.EndColumn && Line == Range.EndLine &&
           Column >= Range.EndColumn);
}

bool StatementPoints::owned() const {
  return std::any_of(Points.begin(), Points.end(),
                     [](const Point &P) { return P.Kind != PointKind::Blind; });
}

namespace {

class Disassembler {
public:
  Disassembler() {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &Handle) != CS_ERR_OK)
      return;
    cs_option(Handle, CS_OPT_DETAIL, CS_OPT_ON);
    Instruction = cs_malloc(Handle);
  }
  ~Disassembler() {
    if (Instruction)
      cs_free(Instruction, 1);
    if (Handle)
      cs_close(&Handle);
  }
  Disassembler(const Disassembler &) = delete;
  Disassembler &operator=(const Disassembler &) = delete;

  /// Calls \p Visit for each instruction of [Begin, End).
  template <typename Fn>
  void walk(const TextSection &Text, uint64_t Begin, uint64_t End, Fn Visit) {
    if (!Instruction)
      return;
    const uint8_t *Code = Text.Bytes + (Begin - Text.Begin);
    size_t Left = std::min(End, Text.End) - Begin;
    uint64_t Address = Begin;
    while (Left && cs_disasm_iter(Handle, &Code, &Left, &Address, Instruction))
      Visit(*Instruction);
  }

  bool isCall(const cs_insn &I) const {
    return cs_insn_group(Handle, &I, X86_GRP_CALL);
  }

  static bool isLocked(const cs_insn &I) {
    const cs_x86 &X = I.detail->x86;
    for (uint8_t Prefix : X.prefix)
      if (Prefix == X86_PREFIX_LOCK)
        return true;
    if (I.id != X86_INS_XCHG)
      return false;
    for (int Op = 0; Op < X.op_count; ++Op)
      if (X.operands[Op].type == X86_OP_MEM)
        return true;
    return false;
  }

  static std::optional<uint64_t> jumpTarget(const cs_insn &I) {
    const cs_x86 &X = I.detail->x86;
    if (I.id != X86_INS_JMP || X.op_count != 1 ||
        X.operands[0].type != X86_OP_IMM)
      return std::nullopt;
    return static_cast<uint64_t>(X.operands[0].imm);
  }

private:
  csh Handle = 0;
  cs_insn *Instruction = nullptr;
};

/// Maps one unit; what it learns of functions goes to the shared tables, since
/// a header's function has copies in other units.
class UnitMapper {
public:
  struct Instance {
    uint64_t Entry = 0;
    bool Strong = false;
  };
  using InstanceKey = std::pair<size_t, int>; ///< unit, scope

  struct Shared {
    std::vector<std::map<uint64_t, PointKind>> Points;
    std::vector<std::map<InstanceKey, Instance>> Instances;
    std::vector<std::set<std::string>> Functions;
  };

  UnitMapper(const CodeUnit &Unit, size_t UnitIndex, const DebugInfo &Module,
             const std::vector<SourceSpan> &Statements, Disassembler &Code,
             Shared &Out)
      : Unit(Unit), UnitIndex(UnitIndex), Module(Module),
        Statements(Statements), Code(Code), Out(Out) {
    FileMatches.resize(Unit.Files.size());
    for (size_t F = 0; F < Unit.Files.size(); ++F)
      for (size_t S = 0; S < Statements.size(); ++S)
        if (samePath(Unit.Files[F], Statements[S].File))
          FileMatches[F].push_back(S);
    CallMatches.resize(Unit.Scopes.size());
    for (size_t I = 0; I < Unit.Scopes.size(); ++I) {
      const CodeScope &Scope = Unit.Scopes[I];
      if (Scope.Inlined)
        CallMatches[I] =
            statementsAt(Scope.CallFile, Scope.CallLine, Scope.CallColumn);
    }
  }

  void run() {
    for (size_t I = 0; I < Unit.Rows.size(); ++I) {
      const LineRow &Row = Unit.Rows[I];
      if (Row.End <= Row.Address)
        continue; // another row follows at the address
      int Scope = Unit.scopeAt(Row.Address);
      std::vector<size_t> Candidates =
          statementsAt(Row.File, Row.Line, Row.Column);
      addCallers(Scope, Candidates);
      for (size_t S : Candidates)
        if (auto Owner = owner(S, Row, Scope))
          mapRow(S, I, *Owner);
    }
  }

private:
  std::vector<size_t> statementsAt(int File, unsigned Line,
                                   unsigned Column) const {
    std::vector<size_t> Found;
    if (File >= 0 && Line)
      for (size_t S : FileMatches[File])
        if (inRange(Statements[S], Line, Column))
          Found.push_back(S);
    return Found;
  }

  void addCallers(int Scope, std::vector<size_t> &Candidates) const {
    for (int X = Scope; X >= 0; X = Unit.Scopes[X].Parent)
      for (size_t S : CallMatches[X])
        if (std::find(Candidates.begin(), Candidates.end(), S) ==
            Candidates.end())
          Candidates.push_back(S);
  }

  bool calledFrom(size_t S, int Scope) const {
    const auto &Calls = CallMatches[Scope];
    return std::find(Calls.begin(), Calls.end(), S) != Calls.end();
  }

  /// The scope whose statement \p S owns the row (-1 without debug entry), or
  /// nothing. GCC places statement markers inside the inlined callee, so a row
  /// in the range still climbs the chain.
  std::optional<int> owner(size_t S, const LineRow &Row, int Scope) const {
    std::optional<int> Found;
    auto Direct = statementsAt(Row.File, Row.Line, Row.Column);
    bool IsDirect = std::find(Direct.begin(), Direct.end(), S) != Direct.end();
    if (IsDirect)
      Found = Scope;
    for (int X = Scope; X >= 0; X = Unit.Scopes[X].Parent)
      if (calledFrom(S, X)) {
        Found = Unit.Scopes[X].Parent;
        if (!IsDirect)
          break;
      }
    return Found;
  }

  /// Another statement's row at the same address: the address proves nothing.
  bool isShared(size_t S, size_t Index) const {
    const LineRow &Last = Unit.Rows[Index];
    for (size_t J = Index; J-- > 0 && Unit.Rows[J].Address == Last.Address;) {
      const LineRow &Row = Unit.Rows[J];
      if (Row.Line && !owner(S, Row, Unit.scopeAt(Row.Address)))
        return true;
    }
    return false;
  }

  bool leavesFunction(uint64_t Target, int Scope) const {
    while (Scope >= 0 && Unit.Scopes[Scope].Parent >= 0)
      Scope = Unit.Scopes[Scope].Parent;
    return Scope >= 0 && !Unit.Scopes[Scope].contains(Target);
  }

  void mapRow(size_t S, size_t Index, int OwnerScope) {
    const LineRow &Row = Unit.Rows[Index];
    Instance &Where = Out.Instances[S][{UnitIndex, OwnerScope}];
    if (OwnerScope >= 0) {
      Where.Entry = Unit.Scopes[OwnerScope].Entry;
      Out.Functions[S].insert(Unit.Scopes[OwnerScope].key());
    }
    if (!isShared(S, Index))
      Out.Points[S].emplace(Row.Address, PointKind::Weak);
    for (const TextSection &Text : Module.text()) {
      if (Row.Address < Text.Begin || Row.Address >= Text.End)
        continue;
      Code.walk(Text, Row.Address, Row.End, [&](const cs_insn &I) {
        int Scope = Unit.scopeAt(I.address);
        auto Target = Disassembler::jumpTarget(I);
        bool Strong = Code.isCall(I) || Disassembler::isLocked(I) ||
                      (Target && leavesFunction(*Target, Scope));
        // The row holds for the whole stretch, the inline scope may not.
        if (!Strong || !owner(S, Row, Scope))
          return;
        Out.Points[S][I.address] = PointKind::Strong;
        Where.Strong = true;
      });
    }
  }

  const CodeUnit &Unit;
  size_t UnitIndex;
  const DebugInfo &Module;
  const std::vector<SourceSpan> &Statements;
  Disassembler &Code;
  Shared &Out;
  std::vector<std::vector<size_t>> FileMatches, CallMatches;
};

/// Copies of the enclosing function in which the statement left no strong
/// point, also those without any row of it.
void addBlindPoints(
    const std::vector<std::pair<size_t, const CodeUnit *>> &Units,
    UnitMapper::Shared &Found) {
  for (size_t S = 0; S < Found.Points.size(); ++S) {
    if (Found.Functions[S].empty())
      continue;
    for (auto [Index, Unit] : Units)
      for (size_t I = 0; I < Unit->Scopes.size(); ++I)
        if (Found.Functions[S].count(Unit->Scopes[I].key()))
          Found.Instances[S][{Index, static_cast<int>(I)}].Entry =
              Unit->Scopes[I].Entry;
    for (const auto &[Key, Where] : Found.Instances[S])
      if (!Where.Strong && Where.Entry)
        Found.Points[S].emplace(Where.Entry, PointKind::Blind);
  }
}

} // namespace

std::vector<StatementPoints>
confirm::mapStatements(DebugInfo &Module,
                       const std::vector<SourceSpan> &Statements) {
  std::vector<StatementPoints> Result(Statements.size());
  UnitMapper::Shared Found;
  Found.Points.resize(Statements.size());
  Found.Instances.resize(Statements.size());
  Found.Functions.resize(Statements.size());
  Disassembler Code;
  std::vector<std::pair<size_t, const CodeUnit *>> Units;

  for (size_t U = 0; U < Module.unitCount(); ++U) {
    bool Any = false;
    for (const std::string &File : Module.unitFiles(U))
      for (size_t S = 0; S < Statements.size(); ++S)
        if (samePath(File, Statements[S].File))
          Any = Result[S].FileSeen = true;
    if (!Any)
      continue;
    Units.emplace_back(U, &Module.unit(U));
    UnitMapper(*Units.back().second, U, Module, Statements, Code, Found).run();
  }
  addBlindPoints(Units, Found);
  for (size_t S = 0; S < Statements.size(); ++S)
    for (auto [Address, Kind] : Found.Points[S])
      Result[S].Points.push_back({Kind, Address});
  return Result;
}
