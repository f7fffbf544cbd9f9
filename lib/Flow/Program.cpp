//===- Program.cpp - All files of a project, linked -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Program.h"
#include "Flow/Summary.h"

using namespace torchtidy::flow;
using portable::Declaration;
using portable::DeclRef;
using portable::Module;

/// Callers of one function that are followed; further ones can only add
/// findings.
static constexpr size_t MaxCallers = 64;

static const std::string &idOf(const Module &M, DeclRef D) {
  static const std::string None;
  return D && D <= M.Decls.size() ? M.Decls[D - 1].Id : None;
}

const std::string &Program::id(FunctionRef F) const {
  return idOf(*Files[F.File], function(F).D);
}

Program::Program(std::vector<std::shared_ptr<const Module>> All, bool Whole)
    : Files(std::move(All)), Whole(Whole), Local(Files.size()),
      LocalCallers(Files.size()), Idle(Files.size()) {
  for (uint32_t N = 0; N < Files.size(); ++N)
    for (uint32_t I = 0; I < Files[N]->Functions.size(); ++I)
      index({N, I});
  dropAmbiguous();
  findIdle();
}

void Program::index(FunctionRef Ref) {
  const Module &M = *Files[Ref.File];
  const portable::Function &F = function(Ref);
  Local[Ref.File][F.D] = Ref.Index;
  if (const std::string &Id = id(Ref); !Id.empty())
    Definitions[Id].push_back(Ref);
  for (const std::string &Base : F.Overrides)
    Overriders[Base].push_back(Ref);
  for (portable::CallRef C : F.Calls) {
    const DeclRef Callee = M.Calls[C - 1].Callee;
    const std::string &Id = idOf(M, Callee);
    Refs &List = Id.empty() ? LocalCallers[Ref.File][Callee] : Callers[Id];
    if (List.empty() || !(List.back() == Ref))
      List.push_back(Ref);
  }
  for (DeclRef D : F.Mentions)
    if (const std::string &Id = idOf(M, D); !Id.empty())
      Mentioning[Id].push_back(Ref);
}

/// Where the body stands: the same for what a header defines.
static std::tuple<std::string, uint32_t, uint32_t>
placeOf(const Module &M, const portable::Function &F) {
  if (!F.Body)
    return {};
  const portable::Location &L = M.Nodes[F.Body - 1].Where;
  return {L.File ? M.Files[L.File - 1] : std::string(), L.Line, L.Column};
}

void Program::dropAmbiguous() {
  for (auto &Entry : Definitions) {
    const Refs &List = Entry.second;
    for (FunctionRef F : List)
      if (placeOf(*Files[F.File], function(F)) !=
          placeOf(*Files[List.front().File], function(List.front())))
        Ambiguous.insert(Entry.first());
  }
}

void Program::findIdle() {
  for (uint32_t N = 0; N < Files.size(); ++N) {
    Idle[N].resize(Files[N]->Functions.size());
    for (uint32_t I = 0; I < Idle[N].size(); ++I)
      // Without a body: it was not analysed.
      Idle[N][I] = function({N, I}).Events.empty() && function({N, I}).Body;
    // Values may pass through it.
    const Module &M = *Files[N];
    auto Passes = [&](DeclRef F) {
      if (auto It = Local[N].find(F); It != Local[N].end())
        Idle[N][It->second] = false;
    };
    for (const portable::Edge &E : M.Edges)
      for (const portable::Point &P : {E.From, E.To}) {
        if (P.K == FlowNode::Return)
          Passes(P.Of);
        else if (P.K == FlowNode::Variable && P.Of &&
                 M.Decls[P.Of - 1].K == Declaration::Parameter)
          Passes(M.Decls[P.Of - 1].Owner);
      }
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t N = 0; N < Files.size(); ++N)
      for (uint32_t I = 0; I < Idle[N].size(); ++I) {
        if (!Idle[N][I])
          continue;
        Refs Callees;
        for (portable::CallRef C : function({N, I}).Calls)
          targets(N, Files[N]->Calls[C - 1].Callee, Callees);
        if (llvm::any_of(Callees, [&](FunctionRef F) { return !isIdle(F); })) {
          Idle[N][I] = false;
          Changed = true;
        }
      }
  }
}

void Program::targets(uint32_t File, DeclRef Callee, Refs &Out) const {
  const std::string &Id = idOf(*Files[File], Callee);
  // The definition of this file itself, or the first of any other.
  if (auto It = Local[File].find(Callee); It != Local[File].end())
    Out.push_back({File, It->second});
  else if (!Id.empty() && !Ambiguous.contains(Id))
    if (auto Known = Definitions.find(Id); Known != Definitions.end())
      Out.push_back(Known->second.front());
  if (!Id.empty())
    if (auto Known = Overriders.find(Id); Known != Overriders.end())
      Out.insert(Out.end(), Known->second.begin(), Known->second.end());
}

/// Could a check report it, if it knew who calls?
static bool isReportable(const portable::Event &E) {
  switch (E.K) {
  case Event::Forward:
  case Event::Store:
  case Event::Backward:
  case Event::Step:
  case Event::ZeroGrad:
  case Event::SetsGrad:
    return true;
  default:
    return false;
  }
}

/// Does it change what holds wherever its object is used: frozen parameters,
/// scaled gradients, a divided learning rate?
static bool actsAtADistance(const portable::Function &F) {
  return F.DividesRate || llvm::any_of(F.Events, [](const portable::Event &E) {
           return E.K == Event::Freeze || E.K == Event::ScaleGrad;
         });
}

/// From one file outwards.
class Program::Search {
public:
  Search(const Program &P, uint32_t Own) : P(P), Own(Own) {}

  LinkedFiles run() {
    const Module &M = *P.Files[Own];
    for (uint32_t I = 0; I < M.Functions.size(); ++I) {
      const FunctionRef F{Own, I};
      down(F);
      if (!isJudgedHere(F))
        continue;
      up(F);
      for (const portable::Event &E : M.Functions[I].Events)
        mentioning(E.Target);
    }
    const bool NeedsNothing =
        llvm::all_of(Above, [&](FunctionRef F) { return F.File == Own; });
    if (!NeedsNothing || P.Files[Own]->AsksOthers)
      for (uint32_t N = 0; N < P.Files.size(); ++N)
        for (uint32_t I = 0; I < P.Files[N]->Functions.size(); ++I)
          if (actsAtADistance(P.function({N, I})))
            up({N, I});
    // What callers do besides, round the call.
    const std::set<FunctionRef> Callers = Above;
    for (FunctionRef F : Callers)
      down(F);
    return result();
  }

private:
  bool isJudgedHere(FunctionRef F) const {
    const std::string &Id = P.id(F);
    if (!Id.empty() && !(P.Definitions.find(Id)->second.front() == F))
      return false; // another file has it as well
    return llvm::any_of(P.function(F).Events, isReportable);
  }

  LinkedFiles result() const {
    std::set<FunctionRef> All = Above;
    All.insert(Below.begin(), Below.end());
    LinkedFiles R;
    uint32_t Last = Own;
    for (FunctionRef F : All) {
      if (F.File == Own || (P.isIdle(F) && !Above.count(F)))
        continue;
      if (R.Slices.empty() || F.File != Last)
        R.Slices.push_back({P.Files[F.File], {}});
      Last = F.File;
      R.Slices.back().Functions.push_back(F.Index);
    }
    const bool Asks = P.Whole && P.Files[Own]->AsksOthers;
    R.Whole = P.Whole;
    R.Matter = !R.Slices.empty() || Asks;
    if (!Asks)
      return R;
    for (uint32_t N = 0; N < P.Files.size(); ++N)
      for (uint32_t I = 0; N != Own && I < P.Idle[N].size(); ++I)
        if (const std::string &Id = P.id({N, I});
            !All.count({N, I}) && !Id.empty() && !P.Ambiguous.contains(Id))
          R.Irrelevant.emplace_back(
              P.Files[N]->Decls[P.function({N, I}).D - 1].Name, Id);
    return R;
  }

  void mentioning(const portable::Place &Target) {
    const Module &M = *P.Files[Own];
    auto Add = [&](DeclRef D) {
      if (const std::string &Id = idOf(M, D); !Id.empty())
        if (auto It = P.Mentioning.find(Id); It != P.Mentioning.end())
          for (FunctionRef F : It->second)
            down(F);
    };
    if (Target.K == portable::Place::Root)
      Add(Target.D);
    for (uint64_t Step : Target.Path)
      if (Step % 2 == 0)
        Add(DeclRef(Step / 2));
  }

  void up(FunctionRef F) {
    std::vector<FunctionRef> Work{F};
    while (!Work.empty()) {
      const FunctionRef Next = Work.back();
      Work.pop_back();
      if (!Above.insert(Next).second)
        continue;
      const portable::Function &X = P.function(Next);
      auto Add = [&](const Refs &List) {
        Work.insert(Work.end(), List.begin(),
                    List.begin() + std::min(List.size(), MaxCallers));
      };
      auto AddCallers = [&](llvm::StringRef Id) {
        if (!P.Ambiguous.contains(Id))
          if (auto It = P.Callers.find(Id); It != P.Callers.end())
            Add(It->second);
      };
      if (const std::string &Id = P.id(Next); !Id.empty())
        AddCallers(Id);
      else if (auto It = P.LocalCallers[Next.File].find(X.D);
               It != P.LocalCallers[Next.File].end())
        Add(It->second);
      for (const std::string &Base : X.Overrides)
        AddCallers(Base);
    }
  }

  void down(FunctionRef F) {
    std::vector<FunctionRef> Work{F};
    while (!Work.empty()) {
      const FunctionRef Next = Work.back();
      Work.pop_back();
      if (P.isIdle(Next) || !Below.insert(Next).second)
        continue;
      for (portable::CallRef C : P.function(Next).Calls)
        P.targets(Next.File, P.Files[Next.File]->Calls[C - 1].Callee, Work);
    }
  }

  const Program &P;
  const uint32_t Own;
  std::set<FunctionRef> Above, Below;
};

LinkedFiles Program::neededBy(const Module &File) const {
  for (uint32_t N = 0; N < Files.size(); ++N)
    if (Files[N].get() == &File)
      return Search(*this, N).run();
  return {};
}
