//===- Evidence.cpp - One process of a run, ready to be asked -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Evidence.h"
#include "Confirm/StatementMap.h"
#include <algorithm>
#include <map>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

std::vector<LoadedModule> loadedModules(const trace::Trace &T) {
  std::vector<LoadedModule> Modules;
  for (const trace::Module &M : T.Modules) {
    if (M.Path.find("/libtorchtidy") != std::string::npos)
      continue; // ours: no code of the program
    // The rounding makes a file that was written in the starting second old.
    auto Started = static_cast<int64_t>(T.StartNanoseconds / 1000000000);
    Modules.push_back({M.Path, M.BuildId, M.Low, M.High, M.Bias, Started});
  }
  return Modules;
}

} // namespace

uint64_t Clock::at(uint64_t Time) const {
  return static_cast<uint64_t>(
      std::lower_bound(Ticks.begin(), Ticks.end(), Time) - Ticks.begin());
}

Evidence::Evidence(const trace::Trace &T) : T(T), Places(loadedModules(T)) {
  collect();
  collectMarks();
}

void Evidence::collect() {
  std::unordered_map<uint64_t, uint32_t> LiveBlock; // address -> index
  std::unordered_map<uint32_t, uint32_t> NodeOf;    // event -> index
  struct Save {
    uint32_t Block, NodeEvent;
  };
  std::vector<Save> Saves;
  auto died = [](const trace::Event &E) {
    return E.Link == trace::NoLink ? Never : uint64_t(E.Link);
  };
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const trace::Event &E = T.Events[I];
    switch (E.Kind) {
    case EventKind::Alloc:
      LiveBlock[E.Pointer] = static_cast<uint32_t>(Blocks.size());
      Blocks.push_back(
          {I, died(E), E.Value, E.Stack, E.Thread, E.has(trace::GradOn)});
      break;
    case EventKind::Free:
      LiveBlock.erase(E.Pointer);
      break;
    case EventKind::NodeMade: {
      NodeOf[I] = static_cast<uint32_t>(Nodes.size());
      Node N;
      N.Born = I;
      N.Died = died(E);
      N.Stack = E.Stack;
      N.Type = static_cast<uint32_t>(E.Value);
      N.Thread = E.Thread;
      N.Evaluated = E.has(trace::Evaluated);
      N.Released = E.has(trace::Released);
      Nodes.push_back(std::move(N));
      break;
    }
    case EventKind::NodeEvaluated:
      if (auto It = NodeOf.find(E.Link); It != NodeOf.end()) {
        Node &N = Nodes[It->second];
        N.Evaluated = true;
        if (N.Backward == trace::NoLink)
          N.Backward = static_cast<uint32_t>(E.Value);
      }
      break;
    case EventKind::Saved:
      if (auto It = LiveBlock.find(E.Pointer); It != LiveBlock.end())
        Saves.push_back({It->second, E.Link});
      break;
    default:
      break;
    }
  }
  for (const Save &S : Saves)
    if (auto It = NodeOf.find(S.NodeEvent); It != NodeOf.end())
      Nodes[It->second].Saved.push_back(S.Block);
}

void Evidence::collectMarks() {
  Clock Iterations{"iterations", {}}, Steps{"steps", {}},
      Backwards{"backward calls", {}};
  for (uint32_t I = 0; I < T.Events.size(); ++I)
    switch (T.Events[I].Kind) {
    case EventKind::Iteration:
      Iterations.Ticks.push_back(I);
      break;
    case EventKind::StepEnd:
      Steps.Ticks.push_back(I);
      break;
    case EventKind::BackwardEnd:
      Backwards.Ticks.push_back(I);
      break;
    default:
      break;
    }
  for (Clock *C : {&Iterations, &Steps, &Backwards})
    if (!C->Ticks.empty())
      Marks.push_back(std::move(*C));
}

const std::vector<const Frame *> &Evidence::places(uint32_t Stack) {
  auto [It, New] = PlacesOf.try_emplace(Stack);
  if (New)
    for (uint64_t Address : T.stack(Stack))
      for (const Frame &F : Places.frames(Address))
        It->second.push_back(&F); // Symbols keeps it where it is
  return It->second;
}

void Evidence::setPlaces(uint32_t Stack, std::vector<Frame> Where) {
  std::vector<const Frame *> &Places = PlacesOf[Stack];
  Places.clear();
  for (Frame &F : Where) {
    Given.push_back(std::move(F));
    Places.push_back(&Given.back());
  }
}

namespace {

/// Headers of LibTorch and of the system: a place there tells users nothing.
bool isLibrary(const std::string &File) {
  for (const char *Part : {"/torch/csrc/", "/include/torch/", "/include/ATen/",
                           "/include/c10/", "/include/caffe2/"})
    if (File.find(Part) != std::string::npos)
      return true;
  return File.compare(0, 5, "/usr/") == 0 &&
         File.compare(0, 11, "/usr/local/") != 0 &&
         File.compare(0, 9, "/usr/src/") != 0;
}

} // namespace

const Frame *Evidence::userPlace(uint32_t Stack) {
  for (const Frame *F : places(Stack))
    if (!isLibrary(F->File))
      return F;
  return nullptr;
}

bool Evidence::passes(uint32_t Stack, const std::vector<SourceSpan> &Ranges) {
  for (const Frame *F : places(Stack))
    for (const SourceSpan &Range : Ranges)
      if (inRange(Range, F->Line, F->Column) && samePath(F->File, Range.File))
        return true;
  return false;
}

Life Evidence::life(const Block &B, const Clock &By) const {
  return {By.at(B.Born), B.Died == Never ? Never : By.at(B.Died), B.Stack,
          B.Bytes};
}

Life Evidence::life(const Node &N, const Clock &By) const {
  return {By.at(N.Born), N.Died == Never ? Never : By.at(N.Died), N.Stack, 0};
}

namespace {

struct HeapSample {
  uint64_t Tick;
  double Bytes;
};

/// The median of the slopes between any two of them: what happens once, early
/// or late in the run, or goes to and fro, does not tilt it.
double medianSlope(const std::vector<HeapSample> &All) {
  constexpr size_t Enough = 256;
  std::vector<HeapSample> Samples;
  for (size_t I = 0; I < std::min(All.size(), Enough); ++I)
    Samples.push_back(All[I * All.size() / std::min(All.size(), Enough)]);
  std::vector<double> Slopes;
  for (size_t I = 0; I < Samples.size(); ++I)
    for (size_t J = I + 1; J < Samples.size(); ++J)
      if (Samples[J].Tick != Samples[I].Tick)
        Slopes.push_back(
            (Samples[J].Bytes - Samples[I].Bytes) /
            static_cast<double>(Samples[J].Tick - Samples[I].Tick));
  auto Middle = Slopes.begin() + static_cast<ptrdiff_t>(Slopes.size() / 2);
  std::nth_element(Slopes.begin(), Middle, Slopes.end());
  return Middle == Slopes.end() ? 0 : *Middle;
}

} // namespace

std::optional<double> Evidence::heapPerTick(const Clock &By) const {
  // Samples behind the warm-up; what comes after the last mark is tidying up.
  // The heap breathes within an iteration: only what was sampled after marks of
  // one kind is comparable.
  const uint64_t Marks = By.Ticks.size();
  const uint64_t WarmUp = GrowthRule::warmUp(Marks);
  std::map<EventKind, std::vector<HeapSample>> AfterKind;
  std::map<uint16_t, EventKind> LastMark; // by thread
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const trace::Event &E = T.Events[I];
    switch (E.Kind) {
    case EventKind::Iteration:
    case EventKind::StepEnd:
    case EventKind::BackwardEnd:
    case EventKind::ScopeEnd:
      LastMark[E.Thread] = E.Kind;
      break;
    case EventKind::Heap:
      if (uint64_t Tick = By.at(I); Tick >= WarmUp && Tick <= Marks)
        AfterKind[LastMark[E.Thread]].push_back(
            {Tick, static_cast<double>(E.Value)});
      break;
    default:
      break;
    }
  }
  const std::vector<HeapSample> *Best = nullptr;
  for (const auto &[Kind, Samples] : AfterKind) {
    uint64_t Span = Samples.back().Tick - Samples.front().Tick;
    if (Samples.size() >= 3 && Span >= Marks / 4 && Span > 0 &&
        (!Best || Samples.size() > Best->size()))
      Best = &Samples;
  }
  if (!Best)
    return std::nullopt;
  return medianSlope(*Best);
}

bool Evidence::hookMissing(const std::string &Part) const {
  bool Any = false;
  for (const trace::Hook &H : T.Hooks)
    if (H.Name.find(Part) != std::string::npos) {
      if (H.State == trace::HookState::Present)
        return false;
      Any = true;
    }
  return Any;
}
