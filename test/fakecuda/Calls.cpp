//===- Calls.cpp - Counts, costs and failures of entry points -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "CudaAbi.h"
#include <cstring>
#include <unordered_map>

using namespace fakecuda;

static const EntryPoint Table[] = {
#define FAKECUDA_DRIVER(Name, Symbol, Need, Ns, NsPerMib)                      \
  {#Name, false, Needs::Need, Ns, NsPerMib},
#define FAKECUDA_RUNTIME(Name, Need, Ns, NsPerMib)                             \
  {#Name, true, Needs::Need, Ns, NsPerMib},
#include "EntryPoints.def"
};

const EntryPoint &Calls::entry(Entry E) { return Table[unsigned(E)]; }

int Calls::find(const std::string &Name) {
  static const auto *Index = [] {
    auto *M = new std::unordered_map<std::string, int>;
    for (unsigned I = 0; I < Size; ++I)
      (*M)[Table[I].Name] = I;
    return M;
  }();
  size_t Length = Name.size();
  if (Length > 3 && Name[Length - 3] == '_' && Name[Length - 2] == 'v')
    Length -= 3;
  auto It = Index->find(Name.substr(0, Length));
  return It == Index->end() ? -1 : It->second;
}

void Calls::reset() {
  resetCounts();
  Plan.clear();
  for (unsigned I = 0; I < Size; ++I)
    Latencies[I] = {Table[I].Ns, Table[I].NsPerMib};
}

void Calls::resetCounts() {
  for (auto &C : Counts)
    C.store(0, std::memory_order_relaxed);
}

uint64_t Calls::cost(Entry E, uint64_t Times, uint64_t Bytes) const {
  const Latency &L = Latencies[unsigned(E)];
  // In two parts: bytes times nanoseconds could overflow.
  uint64_t Mib = Bytes >> 20, Rest = Bytes & 0xfffff;
  return Times * L.Ns + Mib * L.NsPerMib + (Rest * L.NsPerMib >> 20);
}

std::string Calls::setLatency(const char *Name, uint64_t Ns,
                              uint64_t NsPerMib) {
  int Index = Name ? find(Name) : -1;
  if (Index < 0)
    return std::string("no entry point '") + (Name ? Name : "") + "'";
  Latencies[Index] = {Ns, NsPerMib};
  return "";
}

static bool parseNumber(const std::string &Text, uint64_t &Number) {
  if (Text.empty() || Text.size() > 18 ||
      Text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  Number = std::stoull(Text);
  return true;
}

static bool parseError(const std::string &Text, int &Error) {
  uint64_t Number;
  if (parseNumber(Text, Number) && Number > 0 && Number < 1000) {
    Error = Number;
    return true;
  }
#define FAKECUDA_ERROR(Name, Value, Driver, Runtime, Description)              \
  if (Value && (Text == Driver || Text == Runtime)) {                          \
    Error = Value;                                                             \
    return true;                                                               \
  }
#include "Errors.def"
  return false;
}

std::string Calls::parseFailure(const std::string &Item, Failure &F) {
  size_t Operator = Item.find_first_of("@%"), Equals = Item.rfind('=');
  if (Operator == std::string::npos || Equals == std::string::npos ||
      Equals < Operator)
    return "expected NAME@N=ERR, NAME@N+M=ERR or NAME%K=ERR";
  std::string Name = Item.substr(0, Operator);
  F.Index = find(Name);
  if (F.Index < 0)
    return "no entry point '" + Name + "'";
  // These return a text, or the error of an earlier call.
  if (Name.find("GetError") != std::string::npos ||
      Name.find("LastError") != std::string::npos)
    return "'" + Name + "' cannot fail";
  if (!parseError(Item.substr(Equals + 1), F.Error))
    return "no error '" + Item.substr(Equals + 1) + "'";
  std::string When = Item.substr(Operator + 1, Equals - Operator - 1);
  if (Item[Operator] == '%') {
    if (!parseNumber(When, F.Every) || F.Every == 0)
      return "'" + When + "' is no number from 1";
    return "";
  }
  size_t Plus = When.find('+');
  F.Count = 1;
  if (!parseNumber(When.substr(0, Plus), F.First) || F.First == 0 ||
      (Plus != std::string::npos &&
       (!parseNumber(When.substr(Plus + 1), F.Count) || F.Count == 0)))
    return "'" + When + "' is no N or N+M, both from 1";
  return "";
}

std::string Calls::setPlan(const char *Text) {
  std::vector<Failure> New;
  std::string Rest = Text ? Text : "";
  while (!Rest.empty()) {
    size_t End = Rest.find(';');
    std::string Item = Rest.substr(0, End);
    Rest = End == std::string::npos ? "" : Rest.substr(End + 1);
    if (Item.empty())
      continue;
    Failure F;
    std::string Wrong = parseFailure(Item, F);
    if (!Wrong.empty())
      return "failure plan: '" + Item + "': " + Wrong;
    New.push_back(F);
  }
  Plan = std::move(New);
  return "";
}

int Calls::nextInPlan(Entry E) {
  int Error = 0;
  for (Failure &F : Plan) {
    if (F.Index != int(E))
      continue;
    uint64_t N = ++F.Seen;
    if (F.Every ? N % F.Every == 0 : N >= F.First && N - F.First < F.Count)
      Error = Error ? Error : F.Error;
  }
  return Error;
}
