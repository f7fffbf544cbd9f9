//===- Program.cpp - All files of a program, linked -----------------------===//
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

static const std::string &idOf(const Module &M, DeclRef D) {
  static const std::string None;
  return D && D <= M.Decls.size() ? M.Decls[D - 1].Id : None;
}

/// The members and globals that an event changes.
static void touched(const Module &M, const portable::Event &E,
                    llvm::function_ref<void(const std::string &)> Show) {
  if (E.Target.K == portable::Place::Root)
    if (const std::string &Id = idOf(M, E.Target.D); !Id.empty())
      Show(Id);
  for (uint64_t Step : E.Target.Path)
    if (Step % 2 == 0)
      if (const std::string &Id = idOf(M, DeclRef(Step / 2)); !Id.empty())
        Show(Id);
}

Program::Program(std::vector<std::shared_ptr<const Module>> All)
    : Files(std::move(All)), Local(Files.size()), LocalCallers(Files.size()) {
  for (uint32_t N = 0; N < Files.size(); ++N) {
    const Module &M = *Files[N];
    for (uint32_t I = 0; I < M.Functions.size(); ++I) {
      const portable::Function &F = M.Functions[I];
      const FunctionRef Ref{N, I};
      Local[N][F.D] = I;
      if (const std::string &Id = idOf(M, F.D); !Id.empty())
        Definitions[Id].push_back(Ref);
      for (const std::string &Base : F.Overrides)
        Overriders[Base].push_back(Ref);
      for (portable::CallRef C : F.Calls) {
        if (!C || C > M.Calls.size())
          continue;
        const DeclRef Callee = M.Calls[C - 1].Callee;
        if (const std::string &Id = idOf(M, Callee); !Id.empty())
          Callers[Id].push_back(Ref);
        else
          LocalCallers[N][Callee].push_back(Ref);
      }
      for (const portable::Event &E : F.Events)
        touched(M, E, [&](const std::string &Id) {
          Refs &List = Touching[Id];
          if (List.empty() || List.back() < Ref)
            List.push_back(Ref);
        });
    }
  }
}

/// From one file outwards.
class Program::Search {
public:
  Search(const Program &P, uint32_t Own) : P(P), Own(Own) {}

  void run() {
    const Module &M = *P.Files[Own];
    for (uint32_t I = 0; I < M.Functions.size(); ++I) {
      up({Own, I});
      down({Own, I});
      for (const portable::Event &E : M.Functions[I].Events)
        touched(M, E, [&](const std::string &Id) {
          for (FunctionRef F : find(P.Touching, Id))
            down(F);
        });
    }
    // What callers do besides, round the call.
    const std::set<FunctionRef> Callers = Above;
    for (FunctionRef F : Callers)
      down(F);
  }

  LinkedFiles result() const {
    std::set<FunctionRef> All = Above;
    All.insert(Below.begin(), Below.end());
    LinkedFiles R;
    uint32_t Last = Own;
    for (FunctionRef F : All) {
      if (F.File == Own)
        continue;
      if (R.Slices.empty() || F.File != Last)
        R.Slices.push_back({P.Files[F.File], {}});
      Last = F.File;
      R.Slices.back().Functions.push_back(F.Index);
    }
    return R;
  }

private:
  static const Refs &find(const llvm::StringMap<Refs> &In, llvm::StringRef Id) {
    static const Refs None;
    auto It = In.find(Id);
    return It == In.end() ? None : It->second;
  }

  void up(FunctionRef F) {
    std::vector<FunctionRef> Work{F};
    while (!Work.empty()) {
      const FunctionRef Next = Work.back();
      Work.pop_back();
      if (!Above.insert(Next).second)
        continue;
      const portable::Function &X = P.function(Next);
      const Module &M = *P.Files[Next.File];
      auto Add = [&](const Refs &List) {
        Work.insert(Work.end(), List.begin(), List.end());
      };
      if (const std::string &Id = idOf(M, X.D); !Id.empty())
        Add(find(P.Callers, Id));
      else if (auto It = P.LocalCallers[Next.File].find(X.D);
               It != P.LocalCallers[Next.File].end())
        Add(It->second);
      for (const std::string &Base : X.Overrides)
        Add(find(P.Callers, Base));
    }
  }

  void down(FunctionRef F) {
    std::vector<FunctionRef> Work{F};
    while (!Work.empty()) {
      const FunctionRef Next = Work.back();
      Work.pop_back();
      if (!Below.insert(Next).second)
        continue;
      const Module &M = *P.Files[Next.File];
      for (portable::CallRef C : P.function(Next).Calls) {
        if (!C || C > M.Calls.size())
          continue;
        const DeclRef Callee = M.Calls[C - 1].Callee;
        const std::string &Id = idOf(M, Callee);
        if (Id.empty()) {
          if (auto It = P.Local[Next.File].find(Callee);
              It != P.Local[Next.File].end())
            Work.push_back({Next.File, It->second});
          continue;
        }
        // The definition of this file itself, or the first of any other.
        const Refs &Here = find(P.Definitions, Id);
        auto Mine = llvm::find_if(
            Here, [&](FunctionRef D) { return D.File == Next.File; });
        if (Mine != Here.end())
          Work.push_back(*Mine);
        else if (!Here.empty())
          Work.push_back(Here.front());
        for (FunctionRef O : find(P.Overriders, Id))
          Work.push_back(O);
      }
    }
  }

  const Program &P;
  const uint32_t Own;
  std::set<FunctionRef> Above, Below;
};

LinkedFiles Program::neededBy(const Module &File) const {
  for (uint32_t N = 0; N < Files.size(); ++N)
    if (Files[N].get() == &File) {
      Search S(*this, N);
      S.run();
      return S.result();
    }
  return {};
}
