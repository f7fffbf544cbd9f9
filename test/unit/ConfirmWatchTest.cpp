//===- ConfirmWatchTest.cpp - "Did it run?" on programs of known truth ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds test/Inputs/ran with the compilers at hand, runs it under
/// breakpoints and compares the answers with what its comments say.
///
//===----------------------------------------------------------------------===//

#include "Confirm/Symbols.h"
#include "Confirm/Watch.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::confirm;
namespace fs = std::filesystem;

namespace {

const std::string Inputs = TORCHTIDY_TEST_INPUTS "/ran/";
const std::string Preload = TORCHTIDY_BUILD_DIR "/lib/libtorchtidy_preload.so";

struct Statement {
  std::string Name;
  bool Runs;
  SourceSpan Range;
};

/// Reads the `//@ NAME yes|no ...` comments of \p File.
void readStatements(const std::string &File, std::vector<Statement> &Into) {
  std::ifstream In(Inputs + File);
  std::string Line;
  for (unsigned Number = 1; std::getline(In, Line); ++Number) {
    size_t At = Line.find("//@ ");
    if (At == std::string::npos || Line.compare(0, 2, "//") == 0)
      continue;
    std::istringstream Words(Line.substr(At + 4));
    Statement S;
    std::string Truth, More;
    Words >> S.Name >> Truth >> More;
    S.Runs = Truth == "yes";
    S.Range = {Inputs + File, Number, 0, Number, 0};
    if (More.compare(0, 6, "lines=") == 0)
      S.Range.Line -= std::stoul(More.substr(6)) - 1;
    else if (!More.empty()) {
      S.Range.Column = std::stoul(More);
      S.Range.EndColumn = std::stoul(More.substr(More.find('-') + 1));
    }
    Into.push_back(S);
  }
}

std::vector<Statement> allStatements() {
  std::vector<Statement> All;
  for (const char *File : {"Sink.h", "Other.cpp", "Plugin.cpp", "Main.cpp"})
    readStatements(File, All);
  return All;
}

int shell(const std::string &Command) {
  int Status = std::system(Command.c_str());
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

bool have(const std::string &Compiler) {
  return shell("command -v " + Compiler + " >/dev/null 2>&1") == 0;
}

/// A folder that goes away with the test.
struct TempFolder {
  fs::path Path;
  TempFolder() {
    std::string Name = (fs::temp_directory_path() / "tt-ran-XXXXXX").string();
    Path = mkdtemp(Name.data());
  }
  ~TempFolder() {
    std::error_code Ignored;
    fs::remove_all(Path, Ignored);
  }
};

std::unique_ptr<DebugInfo> openModule(const fs::path &Path) {
  std::string Error;
  auto Module = DebugInfo::open(Path.string(), Error);
  EXPECT_TRUE(Module) << Error;
  return Module;
}

/// Hostile.cpp, built and planned.
struct Hostile {
  TempFolder Folder;
  std::string Dir = Folder.Path.string() + "/";
  std::vector<Statement> Statements;
  std::unique_ptr<Watch> W;

  Hostile() {
    std::string Compiler = have("clang++-19") ? "clang++-19" : "g++";
    EXPECT_EQ(shell(Compiler + " -std=c++17 -pthread -O1 -g " + Inputs +
                    "Hostile.cpp -o " + Dir + "hostile"),
              0);
    readStatements("Hostile.cpp", Statements);
    std::vector<SourceSpan> Ranges;
    for (const Statement &S : Statements)
      Ranges.push_back(S.Range);
    W = std::make_unique<Watch>(Ranges);
    W->addModule(*openModule(Dir + "hostile"));
    std::ofstream(Dir + "plan") << W->plan();
  }
  std::string command(const std::string &Prefix = "") const {
    return "TORCHTIDY_BREAKPOINTS=" + Dir + "plan LD_PRELOAD=" + Preload + " " +
           Prefix + Dir + "hostile";
  }
  void expectTruth() const {
    HitTable Hits = HitTable::read(Dir + "plan", W->slots());
    for (size_t I = 0; I < Statements.size(); ++I)
      EXPECT_EQ(W->answer(I, Hits).DidRun,
                Statements[I].Runs ? Ran::Yes : Ran::No)
          << Statements[I].Name;
  }
};

struct Build {
  std::string Compiler, Flags;
  unsigned FewestRight;
};

class ConfirmWatch : public testing::TestWithParam<Build> {};

} // namespace

TEST_P(ConfirmWatch, NeverWrong) {
  const Build &B = GetParam();
  if (!have(B.Compiler))
    GTEST_SKIP() << B.Compiler << " is not installed";
  ASSERT_TRUE(fs::exists(Preload)) << Preload;
  TempFolder Folder;
  std::string Dir = Folder.Path.string() + "/";
  std::string Compile = B.Compiler + " -std=c++17 -pthread -w -fPIC " + B.Flags;
  ASSERT_EQ(shell(Compile + " " + Inputs + "Main.cpp " + Inputs +
                  "Other.cpp -o " + Dir + "main -ldl"),
            0);
  ASSERT_EQ(shell(Compile + " -shared " + Inputs + "Plugin.cpp -o " + Dir +
                  "plugin.so"),
            0);

  auto Statements = allStatements();
  ASSERT_GE(Statements.size(), 30u);
  std::vector<SourceSpan> Ranges;
  for (const Statement &S : Statements)
    Ranges.push_back(S.Range);
  Watch W(Ranges);
  for (const char *Name : {"main", "plugin.so"}) {
    auto Module = openModule(Dir + Name);
    W.addModule(*Module);
  }
  std::ofstream(Dir + "plan") << W.plan();
  std::string Plain = Dir + "main 20 " + Dir + "plugin.so > " + Dir;
  ASSERT_EQ(shell(Plain + "plain"), 0);
  ASSERT_EQ(shell("TORCHTIDY_BREAKPOINTS=" + Dir +
                  "plan LD_PRELOAD=" + Preload + " " + Plain + "watched"),
            0);
  ASSERT_EQ(shell("cmp " + Dir + "plain " + Dir + "watched"), 0);

  HitTable Hits = HitTable::read(Dir + "plan", W.slots());
  EXPECT_EQ(Hits.Processes, 1u); // the forked child shares the table
  unsigned Right = 0;
  std::string Unknowns;
  for (size_t I = 0; I < Statements.size(); ++I) {
    Watch::Answer A = W.answer(I, Hits);
    if (A.DidRun == Ran::Unknown) {
      Unknowns += " " + Statements[I].Name;
      continue;
    }
    EXPECT_EQ(A.DidRun == Ran::Yes, Statements[I].Runs) << Statements[I].Name;
    Right += (A.DidRun == Ran::Yes) == Statements[I].Runs;
  }
  RecordProperty("right", static_cast<int>(Right));
  RecordProperty("of", static_cast<int>(Statements.size()));
  EXPECT_GE(Right, B.FewestRight) << "unknown:" << Unknowns;
}

TEST_P(ConfirmWatch, SymbolsNameTheStatementOfEachPoint) {
  const Build &B = GetParam();
  if (!have(B.Compiler))
    GTEST_SKIP() << B.Compiler << " is not installed";
  TempFolder Folder;
  std::string Dir = Folder.Path.string() + "/";
  ASSERT_EQ(shell(B.Compiler + " -std=c++17 -pthread -w -fPIC -shared " +
                  B.Flags + " " + Inputs + "Plugin.cpp -o " + Dir +
                  "plugin.so"),
            0);
  std::vector<Statement> Statements;
  readStatements("Plugin.cpp", Statements);
  std::vector<SourceSpan> Ranges;
  for (const Statement &S : Statements)
    Ranges.push_back(S.Range);
  auto Module = openModule(Dir + "plugin.so");
  auto Points = mapStatements(*Module, Ranges);

  constexpr uint64_t Bias = 0x7f0000000000;
  Symbols Names({{Dir + "plugin.so", Module->buildId(), Bias, Bias + (1 << 20),
                  Bias, 0}});
  EXPECT_TRUE(Names.hasLines());
  EXPECT_TRUE(Names.knowsFile(Inputs + "Plugin.cpp"));
  EXPECT_FALSE(Names.knowsFile(Inputs + "Main.cpp"));
  unsigned Strong = 0;
  for (size_t I = 0; I < Ranges.size(); ++I)
    for (const Point &P : Points[I].Points) {
      if (P.Kind != PointKind::Strong)
        continue;
      ++Strong;
      // A return address lies behind its call: one byte is enough here.
      auto &Frames = Names.frames(P.Address + 1 + Bias);
      EXPECT_TRUE(std::any_of(Frames.begin(), Frames.end(), [&](auto &F) {
        return inRange(Ranges[I], F.Line, F.Column) &&
               samePath(F.File, Ranges[I].File);
      })) << Statements[I].Name;
      ASSERT_FALSE(Frames.empty());
      EXPECT_TRUE(Frames.back().Function.find("plugin") != std::string::npos ||
                  Frames.back().Function.find("local") != std::string::npos)
          << Frames.back().Function;
    }
  EXPECT_GE(Strong, 2u);

  // Another build at the same path gives nothing and is named.
  Symbols Stale({{Dir + "plugin.so", "0123", Bias, Bias + (1 << 20), Bias, 0}});
  EXPECT_EQ(Stale.changed().size(), 1u);
  EXPECT_FALSE(Stale.hasLines());
}

TEST(ConfirmSymbols, FunctionNames) {
  EXPECT_EQ(functionName("_ZN7Program11forwardLossEv"), "Program::forwardLoss");
  EXPECT_EQ(functionName("_ZN12_GLOBAL__N_15trainERSt6vectorIiSaIiEE"),
            "(anonymous namespace)::train");
  // void addTo<int>(std::vector<int, std::allocator<int> >&, int const&, int)
  EXPECT_EQ(functionName("_Z5addToIiEvRSt6vectorIT_SaIS1_EERKS1_i"),
            "addTo<int>");
  EXPECT_EQ(functionName("_ZZ4mainENKUlvE_clEv"),
            "main::{lambda()#1}::operator()");
  EXPECT_EQ(functionName("_ZN1AplERKS_"), "A::operator+");
  EXPECT_EQ(functionName("_ZN1AlsERKS_"), "A::operator<<");
  EXPECT_EQ(functionName("main"), "main");
  EXPECT_EQ(functionName(nullptr), "");
}

TEST(ConfirmWatchHostile, OwnHandlerBlockedSignalsThreadsAndFork) {
  Hostile H;
  EXPECT_EQ(shell(H.command() + " > " + H.Dir + "out"), 0);
  H.expectTruth();
}

TEST(ConfirmWatchHostile, HitsSurviveKill) {
  Hostile H;
  // The shell gives 128 + SIGKILL.
  EXPECT_EQ(shell(H.command() + " kill; exit $?"), 137);
  H.expectTruth();
}

TEST(ConfirmWatchHostile, ThroughAShell) {
  Hostile H;
  EXPECT_EQ(shell(H.command("sh -c 'exec \"$0\"' ") + " > " + H.Dir + "out"),
            0);
  EXPECT_EQ(HitTable::read(H.Dir + "plan", H.W->slots()).Processes, 1u);
  H.expectTruth();
}

TEST(ConfirmWatchHostile, OffUnderADebugger) {
  Hostile H;
  pid_t Child = fork();
  if (Child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    setenv("TORCHTIDY_BREAKPOINTS", (H.Dir + "plan").c_str(), 1);
    setenv("LD_PRELOAD", Preload.c_str(), 1);
    int Null = open("/dev/null", O_WRONLY);
    dup2(Null, 1);
    execl((H.Dir + "hostile").c_str(), "hostile", nullptr);
    _exit(99);
  }
  int Status = 0;
  bool First = true;
  while (waitpid(Child, &Status, 0) == Child && WIFSTOPPED(Status)) {
    // The stop after exec is ours; every other signal belongs to the program.
    ptrace(PTRACE_CONT, Child, nullptr, First ? 0 : WSTOPSIG(Status));
    First = false;
  }
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
  HitTable Hits = HitTable::read(H.Dir + "plan", H.W->slots());
  EXPECT_TRUE(Hits.Traced);
  for (size_t I = 0; I < H.Statements.size(); ++I)
    EXPECT_EQ(H.W->answer(I, Hits).DidRun, Ran::Unknown);
}

TEST(ConfirmWatchHostile, RunsAsBeforeWithoutAPlan) {
  Hostile H;
  EXPECT_EQ(shell("LD_PRELOAD=" + Preload + " " + H.Dir + "hostile > " + H.Dir +
                  "out"),
            0);
  HitTable Hits = HitTable::read(H.Dir + "plan", H.W->slots());
  EXPECT_EQ(Hits.Processes, 0u);
  EXPECT_EQ(H.W->answer(0, Hits).DidRun, Ran::Unknown);
}

INSTANTIATE_TEST_SUITE_P(
    Builds, ConfirmWatch,
    testing::Values(Build{"clang++-19", "-O0 -g", 31},
                    Build{"clang++-19", "-O2 -g", 20},
                    Build{"clang++-19", "-O2 -gline-tables-only", 20},
                    Build{"g++", "-O0 -g", 30}, Build{"g++", "-O2 -g", 20},
                    Build{"g++", "-O3 -g1", 20}),
    [](const auto &Info) {
      std::string Name = Info.param.Compiler + Info.param.Flags;
      for (char &C : Name)
        if (!std::isalnum(static_cast<unsigned char>(C)))
          C = C == '+' ? 'x' : '_';
      return Name;
    });
