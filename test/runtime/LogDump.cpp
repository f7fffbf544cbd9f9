//===- LogDump.cpp - Prints what a run log says, for the tests ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One JSON object: who, which hooks, totals, and per mark the bytes and nodes
/// alive. Marks are the program's own iterations, else steps.
///
//===----------------------------------------------------------------------===//

#include "Trace/Reader.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

using namespace torchtidy::trace;

namespace {

struct Mark {
  uint64_t Live, Peak, Nodes, Unused, Saved, Heap;
};

std::string quoted(const std::string &S) {
  std::string R = "\"";
  for (char C : S) {
    if (C == '"' || C == '\\')
      R += '\\';
    R += C == '\n' ? ' ' : C;
  }
  return R + '"';
}

std::vector<Mark> marks(const Trace &T) {
  bool Own = summarize(T).Iterations != 0;
  std::vector<Mark> Result;
  Mark M = {};
  std::unordered_set<uint32_t> SavedBlocks; ///< in this interval, by Alloc
  std::unordered_map<uint64_t, uint32_t> Live;
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    switch (E.Kind) {
    case Kind::Alloc:
      M.Live += E.Value;
      M.Peak = std::max(M.Peak, M.Live);
      Live[E.Pointer] = I;
      break;
    case Kind::Free:
      M.Live -= E.Value;
      Live.erase(E.Pointer);
      break;
    case Kind::NodeMade:
      ++M.Nodes;
      break;
    case Kind::NodeDied:
      if (E.Link != NoLink) {
        --M.Nodes;
        M.Unused += !E.has(Evaluated);
      }
      break;
    case Kind::Saved: {
      // Each block once, as long as it lives.
      auto It = Live.find(E.Pointer);
      if (It != Live.end() && SavedBlocks.insert(It->second).second)
        M.Saved += E.Value;
      break;
    }
    case Kind::Heap:
      M.Heap = E.Value;
      break;
    default:
      break;
    }
    if (E.Kind == (Own ? Kind::Iteration : Kind::StepEnd)) {
      Result.push_back(M);
      M.Peak = M.Live;
      M.Unused = M.Saved = 0;
    }
  }
  return Result;
}

/// Samples of the C heap that follow a mark, with the marks until then.
std::vector<std::pair<uint64_t, uint64_t>> heapSamples(const Trace &T) {
  Kind Of = summarize(T).Iterations ? Kind::Iteration : Kind::StepEnd;
  std::vector<std::pair<uint64_t, uint64_t>> Result;
  uint64_t Marks = 0;
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    if (T.Events[I].Kind == Of)
      ++Marks;
    else if (T.Events[I].Kind == Kind::Heap && I && T.Events[I - 1].Kind == Of)
      Result.emplace_back(Marks, T.Events[I].Value);
  }
  return Result;
}

const char *name(HookState S) {
  return S == HookState::Present   ? "present"
         : S == HookState::Missing ? "missing"
                                   : "waiting";
}

void dump(const Trace &T) {
  Summary S = summarize(T);
  std::printf("{\"pid\":%u,\"parent\":%u,\"program\":%s,\"torch\":%s,"
              "\"complete\":%s,\"status\":%d,\"events\":%zu,\"raw\":%llu,"
              "\"packed\":%llu,\"threads\":%zu,\"stacks\":%zu,\"modules\":%zu,",
              T.Pid, T.ParentPid, quoted(T.Program).c_str(),
              quoted(T.TorchVersion).c_str(), T.Complete ? "true" : "false",
              T.ExitStatus, T.Events.size(), (unsigned long long)T.RawBytes,
              (unsigned long long)T.PackedBytes, T.Threads.size(),
              T.Frames.size() - 1, T.Modules.size());
  std::printf("\"peak\":%llu,\"live\":%llu,\"nodes\":%llu,\"live_nodes\":%llu,"
              "\"unused_nodes\":%llu,\"steps\":%llu,\"backwards\":%llu,"
              "\"iterations\":%llu,\"device_allocations\":%llu,"
              "\"device_peak\":%llu,\"device_live\":%llu,",
              (unsigned long long)S.PeakBytes, (unsigned long long)S.LiveBytes,
              (unsigned long long)S.Nodes, (unsigned long long)S.LiveNodes,
              (unsigned long long)S.UnusedNodes, (unsigned long long)S.Steps,
              (unsigned long long)S.Backwards, (unsigned long long)S.Iterations,
              (unsigned long long)S.DeviceAllocations,
              (unsigned long long)S.DevicePeakBytes,
              (unsigned long long)S.DeviceLiveBytes);

  std::map<int, uint64_t> Kinds;
  uint64_t Stacked = 0, InProgram = 0, UnknownSaves = 0, Inheriting = 0;
  uint64_t Accumulated = 0, OnDefined = 0;
  std::set<uint32_t> Loose;
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    ++Kinds[static_cast<int>(E.Kind)];
    UnknownSaves += E.Kind == Kind::Saved && E.Link == NoLink;
    if (E.Kind == Kind::GradAccumulated) {
      ++Accumulated;
      OnDefined += E.has(WasDefined);
    }
    if (E.Kind != Kind::Alloc && E.Kind != Kind::NodeMade)
      continue;
    ++Stacked;
    bool Reached = false;
    for (uint64_t A : T.stack(E.Stack)) {
      const Module *M = T.moduleAt(A, I);
      Reached |= M && M->Path == T.Program;
      if (!M)
        Loose.insert(E.Stack);
    }
    InProgram += Reached;
    for (uint32_t F = E.Stack; F; F = T.Frames[F].Parent)
      if (T.Frames[F].Inherited) {
        ++Inheriting;
        break;
      }
  }
  std::printf("\"stacked\":%llu,\"reach_program\":%llu,\"inheriting\":%llu,"
              "\"outside_modules\":%zu,\"unowned_saves\":%llu,"
              "\"accumulated\":%llu,\"on_defined\":%llu,",
              (unsigned long long)Stacked, (unsigned long long)InProgram,
              (unsigned long long)Inheriting, Loose.size(),
              (unsigned long long)UnknownSaves, (unsigned long long)Accumulated,
              (unsigned long long)OnDefined);
  std::printf("\"kinds\":{");
  const char *Comma = "";
  for (auto [K, N] : Kinds) {
    std::printf("%s\"%d\":%llu", Comma, K, (unsigned long long)N);
    Comma = ",";
  }
  std::printf("},\"hooks\":[");
  Comma = "";
  for (const Hook &H : T.Hooks) {
    std::printf("%s[%s,\"%s\",%llu]", Comma, quoted(H.Name).c_str(),
                name(H.State), (unsigned long long)H.Fired);
    Comma = ",";
  }
  std::printf("],\"marks\":[");
  Comma = "";
  for (const Mark &M : marks(T)) {
    std::printf("%s[%llu,%llu,%llu,%llu,%llu,%llu]", Comma,
                (unsigned long long)M.Live, (unsigned long long)M.Peak,
                (unsigned long long)M.Nodes, (unsigned long long)M.Unused,
                (unsigned long long)M.Saved, (unsigned long long)M.Heap);
    Comma = ",";
  }
  std::printf("],\"heap\":[");
  Comma = "";
  for (auto [Marks, Bytes] : heapSamples(T)) {
    std::printf("%s[%llu,%llu]", Comma, (unsigned long long)Marks,
                (unsigned long long)Bytes);
    Comma = ",";
  }
  std::printf("]}\n");
}

} // namespace

int main(int Argc, char **Argv) {
  int Status = 0;
  for (int I = 1; I < Argc; ++I) {
    std::string Error;
    auto T = readTrace(Argv[I], Error);
    if (!T) {
      std::fprintf(stderr, "%s\n", Error.c_str());
      Status = 1;
      continue;
    }
    dump(*T);
  }
  return Status;
}
