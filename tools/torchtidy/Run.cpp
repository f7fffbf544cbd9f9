//===- Run.cpp - torchtidy run --------------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Launch.h"
#include "Trace/Reader.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::tools;
namespace fs = std::filesystem;

namespace {

constexpr int Wrong = 2;

struct Options {
  std::string Output = "torchtidy.log", Allocator = "native", Limit;
  std::vector<std::string> Command;
};

struct Formatter : CLI::Formatter {
  std::string make_usage(const CLI::App *, std::string) const override {
    return "Usage: torchtidy run [OPTIONS] -- PROGRAM [ARGS...]\n";
  }
};

std::optional<int> parse(std::vector<std::string> Args, Options &O) {
  CLI::App App("Records what an unmodified LibTorch program allocates, keeps "
               "for backward and\nnever uses. The program's exit status is "
               "passed on.",
               "torchtidy run");
  App.formatter(std::make_shared<Formatter>());
  App.footer("The log is for 'torchtidy confirm --run=LOG'. If several "
             "processes use LibTorch,\neach writes its own, LOG.<pid>.");
  App.add_option("-o", O.Output, "the log (torchtidy.log)")->type_name("FILE");
  App.add_option("--allocator", O.Allocator, "native")
      ->check(CLI::IsMember({"native", "vmm"}))
      ->type_name("A");
  App.add_option("--limit", O.Limit, "not available yet")->type_name("BYTES");
  auto Dashes = std::find(Args.begin(), Args.end(), "--");
  if (Dashes != Args.end()) {
    O.Command.assign(Dashes + 1, Args.end());
    Args.erase(Dashes, Args.end());
  }
  std::reverse(Args.begin(), Args.end()); // CLI11 takes them from the back
  try {
    App.parse(Args);
  } catch (const CLI::ParseError &E) {
    return App.exit(E) == 0 ? 0 : Wrong;
  }
  if (O.Command.empty()) {
    std::cerr << "torchtidy run: which program? Give it behind '--'; see "
                 "'torchtidy run --help'\n";
    return Wrong;
  }
  if (O.Allocator == "vmm" || !O.Limit.empty()) {
    std::cerr << "torchtidy run: "
              << (O.Limit.empty() ? "--allocator=vmm" : "--limit")
              << " is not available yet\n";
    return Wrong;
  }
  return std::nullopt;
}

std::string bytes(uint64_t N) {
  const char *Units[] = {"bytes", "kB", "MB", "GB", "TB"};
  unsigned Unit = 0;
  auto V = static_cast<double>(N);
  for (; V >= 1000 && Unit < 4; ++Unit)
    V /= 1000;
  char Text[32];
  std::snprintf(Text, sizeof(Text), Unit ? "%.1f %s" : "%.0f %s", V,
                Units[Unit]);
  return Text;
}

std::string counted(uint64_t N, const char *What) {
  return std::to_string(N) + " " + What + (N == 1 ? "" : "s");
}

/// Features that this LibTorch lacks: what they would show is not known.
std::string missing(const trace::Trace &T) {
  std::string List;
  for (const char *Name : {"alloc", "free", "node-made", "node-died",
                           "node-evaluated", "saved", "backward", "step"})
    if (T.hook(Name).State == trace::HookState::Missing)
      List += std::string(List.empty() ? "" : ", ") + Name;
  return List;
}

void describe(const trace::Trace &T) {
  trace::Summary S = trace::summarize(T);
  auto &Out = std::cerr;
  Out << "torchtidy: " << T.Path << ": LibTorch "
      << (T.TorchVersion.empty() ? "of unknown version" : T.TorchVersion)
      << ", pid " << T.Pid << ", " << counted(S.Steps, "step") << ", "
      << counted(S.Backwards, "backward");
  if (S.Iterations)
    Out << ", " << counted(S.Iterations, "iteration");
  Out << "; " << counted(T.Events.size(), "event") << " in "
      << bytes(T.PackedBytes) << "\n";
  Out << "torchtidy:   host tensors: peak " << bytes(S.PeakBytes) << ", "
      << bytes(S.LiveBytes) << " alive at the end; ";
  if (S.DeviceAllocations)
    Out << "CUDA: peak " << bytes(S.DevicePeakBytes) << ", "
        << bytes(S.DeviceLiveBytes) << " alive\n";
  else
    Out << "CUDA memory not observed\n";
  Out << "torchtidy:   graph nodes: " << S.Nodes << " made, " << S.UnusedNodes
      << " died unused, " << S.LiveNodes << " alive at the end\n";
  if (!T.Complete)
    Out << "torchtidy:   the log ends before the process did: killed, crashed "
           "or out of disk space\n";
  if (T.LostEvents)
    Out << "torchtidy:   " << counted(T.LostEvents, "event") << " lost\n";
  if (std::string List = missing(T); !List.empty())
    Out << "torchtidy:   not in this LibTorch, so not seen: " << List << "\n";
  if (S.Allocations == 0 && S.DeviceAllocations == 0)
    Out << "torchtidy:   no allocation was seen: the program brings its own "
           "allocator, or does nothing with LibTorch\n";
}

/// The final names: one log is FILE itself.
std::vector<std::string> settle(const std::vector<std::string> &Logs,
                                const std::string &Prefix,
                                const std::string &Output) {
  std::vector<std::string> Result;
  for (const std::string &Log : Logs) {
    std::string Name =
        Logs.size() == 1 ? Output : Output + Log.substr(Prefix.size());
    std::error_code EC;
    fs::rename(Log, Name, EC);
    Result.push_back(EC ? Log : Name);
  }
  return Result;
}

} // namespace

int tools::runMain(std::vector<std::string> Args) {
  Options O;
  if (auto Status = parse(std::move(Args), O))
    return *Status;
  LaunchOptions L;
  L.Command = O.Command;
  std::error_code EC;
  // Apart from what an earlier run may have left under the same name.
  L.LogPrefix =
      fs::absolute(O.Output, EC).string() + ".part" + std::to_string(getpid());
  LaunchResult R = launch(L);
  if (!R.Error.empty()) {
    std::cerr << "torchtidy run: " << R.Error << "\n";
    return R.Status;
  }
  if (R.Status > 128)
    std::cerr << "torchtidy: " << O.Command[0] << " ended by signal "
              << R.Status - 128 << "\n";
  else if (R.Status)
    std::cerr << "torchtidy: " << O.Command[0] << " ended with status "
              << R.Status << "\n";
  if (!R.NoLogReason.empty())
    std::cerr << "torchtidy: nothing recorded: " << R.NoLogReason << "\n";
  for (const std::string &Log : settle(R.Logs, L.LogPrefix, O.Output)) {
    std::string Error;
    if (auto T = trace::readTrace(Log, Error))
      describe(*T);
    else
      std::cerr << "torchtidy: " << Error << "\n";
  }
  return R.Status;
}
