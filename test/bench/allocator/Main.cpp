//===- Main.cpp - Replays one trace, prints one line of JSON --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Replay.h"
#include "TraceText.h"
#include "fakecuda.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace torchtidy::bench;

namespace {
struct Options {
  SubjectOptions Under;
  std::string Trace, Load, Dump;
  Shape Wanted;
  uint64_t Limit = 0; ///< bytes; 0: Ratio of the ideal peak
  double Ratio = 1.3;
  bool Timing = false, StopWhenFull = false;
};

int usage(const char *Wrong) {
  std::fprintf(stderr,
               "%s\nusage: PROGRAM --subject=NAME (%s)\n"
               "  --trace=NAME [--seed=N] [--iterations=N] [--batch=N] "
               "[--stable] | --load=FILE\n"
               "  --dump=FILE         write the trace, replay nothing\n"
               "  --limit-ratio=R     the device has R of the ideal peak "
               "(1.3), or\n"
               "  --limit=BYTES\n"
               "  --fraction=F        the allocator may use F of it\n"
               "  --stop-when-full    end with the first failed request\n"
               "  --timing            CPU time per block, no kernels\n"
               "traces:",
               Wrong, listSubjects());
  for (const Generator &G : generators())
    std::fprintf(stderr, " %s", G.Name);
  std::fputc('\n', stderr);
  return 2;
}

/// Empty, or what is wrong.
std::string parse(int Count, char **Args, Options &O) {
  for (int I = 1; I != Count; ++I) {
    std::string Arg = Args[I];
    size_t Equal = Arg.find('=');
    std::string Name = Arg.substr(0, Equal);
    std::string Text = Equal == Arg.npos ? "" : Arg.substr(Equal + 1);
    char *End = nullptr;
    double Number = std::strtod(Text.c_str(), &End);
    bool IsNumber = !Text.empty() && !*End && Number >= 0 && Number < 1e15;
    if (Name == "--subject" && !Text.empty())
      O.Under.Name = Text;
    else if (Name == "--trace" && !Text.empty())
      O.Trace = Text;
    else if (Name == "--load" && !Text.empty())
      O.Load = Text;
    else if (Name == "--dump" && !Text.empty())
      O.Dump = Text;
    else if (Name == "--seed" && IsNumber)
      O.Wanted.Seed = uint64_t(Number);
    else if (Name == "--iterations" && IsNumber)
      O.Wanted.Iterations = unsigned(Number);
    else if (Name == "--batch" && IsNumber)
      O.Wanted.Batch = unsigned(Number);
    else if (Name == "--limit" && IsNumber)
      O.Limit = uint64_t(Number);
    else if (Name == "--limit-ratio" && IsNumber)
      O.Ratio = Number;
    else if (Name == "--fraction" && IsNumber)
      O.Under.Fraction = Number;
    else if (Arg == "--stable")
      O.Wanted.Stable = true;
    else if (Arg == "--timing")
      O.Timing = true;
    else if (Arg == "--stop-when-full")
      O.StopWhenFull = true;
    else
      return "cannot read " + Arg;
  }
  return {};
}

/// Empty, or what is wrong.
std::string traceOf(const Options &O, Trace &T) {
  if (!O.Load.empty()) {
    std::ifstream In(O.Load);
    if (!In)
      return "cannot read " + O.Load;
    std::string Wrong = load(In, T);
    return Wrong.empty() ? Wrong : O.Load + ": " + Wrong;
  }
  for (const Generator &G : generators()) {
    if (O.Trace == G.Name) {
      T = G.Make(O.Wanted);
      return {};
    }
  }
  return "no trace \"" + O.Trace + "\"";
}

void print(const char *Name, double Value) {
  std::printf(", \"%s\": %.10g", Name, Value);
}

/// Quotes and backslashes do not occur in what the fake says.
void print(const char *Name, const std::string &Text) {
  std::printf(", \"%s\": \"%s\"", Name, Text.c_str());
}

void report(const Trace &T, const Result &R) {
  print("device_peak", double(R.DevicePeak));
  print("reserved_peak", double(R.Statistics.ReservedPeak));
  print("running_ratio", R.RunningRatio);
  print("retries", double(R.Statistics.Retries));
  print("ooms", double(R.Statistics.OutOfMemory));
  print("dropped", double(R.Dropped));
  print("fatal", R.Fatal);
  print("pairs", double(R.Pairs));
  print("late_calls", double(R.LateCalls));
  print("late_iterations", double(T.Iterations / 3));
  print("driver_ns", double(R.DriverNs));
  print("stall_ns", double(R.StallNs));
  print("end_ns", double(R.EndNs));
  print("faults", double(R.Faults));
  print("races", double(R.Races));
  print("first_fault", R.FirstFault);
  std::printf(", \"calls\": {");
  const char *Comma = "";
  for (const auto &[Name, Calls] : R.Calls) {
    std::printf("%s\"%s\": %llu", Comma, Name.c_str(),
                static_cast<unsigned long long>(Calls));
    Comma = ", ";
  }
  std::putchar('}');
}

uint64_t limitOf(const Options &O, const Trace &T) {
  uint64_t Bytes = O.Limit;
  if (!Bytes)
    Bytes = uint64_t(double(T.IdealPeak) * O.Ratio);
  // The driver hands out 2 MiB at a time.
  return (Bytes + 2 * MiB - 1) / (2 * MiB) * (2 * MiB);
}
} // namespace

int main(int Count, char **Args) {
  Options O;
  std::string Wrong = parse(Count, Args, O);
  Trace T;
  if (Wrong.empty())
    Wrong = traceOf(O, T);
  if (!Wrong.empty())
    return usage(Wrong.c_str());
  if (!O.Dump.empty()) {
    std::ofstream Out(O.Dump);
    dump(T, Out);
    return Out.flush() ? 0 : 1;
  }
  uint64_t Limit = limitOf(O, T);
  fakecuda_set_limit(0, Limit);
  if (int Error = useDevice()) {
    std::fprintf(stderr, "no device: error %d\n", Error);
    return 1;
  }
  std::unique_ptr<Subject> S = makeSubject(O.Under);
  if (!S)
    return usage("no such subject");
  std::printf("{\"subject\": \"%s\", \"trace\": \"%s\"", O.Under.Name.c_str(),
              (O.Load.empty() ? O.Trace : O.Load).c_str());
  print("seed", double(O.Wanted.Seed));
  print("ideal", double(T.IdealPeak));
  uint64_t Sum = 0;
  for (uint64_t Peak : T.StreamPeaks)
    Sum += Peak;
  print("ideal_per_stream", double(Sum));
  print("limit", double(Limit));
  print("blocks", double(T.Blocks));
  print("iterations", double(T.Iterations));
  if (O.Timing)
    print("cpu_ns", cpuPerPair(T, *S));
  else
    report(T, replay(T, *S, O.StopWhenFull));
  std::puts("}");
  return 0;
}
