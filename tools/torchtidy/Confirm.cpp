//===- Confirm.cpp - torchtidy confirm ------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClangTool.h"
#include "Commands.h"
#include "Confirm/Judge.h"
#include "Confirm/Modules.h"
#include "Launch.h"
#include "Report/AtomicFile.h"
#include "Report/Json.h"
#include "Report/Text.h"
#include "Trace/Reader.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::tools;
namespace fs = std::filesystem;

extern char **environ;

namespace {

struct Options {
  std::string Build, FindingsFile, Format = "text", Output;
  std::vector<std::string> Files, Logs, Command;
  bool NoBreakpoints = false;
};

struct Formatter : CLI::Formatter {
  std::string make_usage(const CLI::App *, std::string) const override {
    return "Usage: torchtidy confirm [OPTIONS] [FILES...] -- PROGRAM "
           "[ARGS...]\n"
           "       torchtidy confirm [OPTIONS] [FILES...] --run=LOG\n";
  }
};

/// A failure that ends the command with status 2.
struct Failure {
  std::string Text;
};

constexpr int Wrong = 2;

/// A folder of our own below the temporary one, gone at the end.
class WorkFolder {
public:
  WorkFolder() {
    std::string Name =
        (fs::temp_directory_path() / "torchtidy-confirm-XXXXXX").string();
    if (!mkdtemp(Name.data()))
      throw Failure{"cannot make a temporary folder: " +
                    std::string(std::strerror(errno))};
    Path = Name;
  }
  ~WorkFolder() {
    std::error_code Ignored;
    fs::remove_all(Path, Ignored);
  }
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;

  std::string file(const char *Name) const { return (Path / Name).string(); }

private:
  fs::path Path;
};

bool toStdout(const Options &O) { return O.Output.empty() || O.Output == "-"; }

/// While it lives, if asked to, what this process and its children write to
/// standard output goes to standard error.
class StdoutToStderr {
public:
  explicit StdoutToStderr(bool Wanted)
      : Saved(Wanted ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1) {
    std::cout << std::flush;
    if (Saved >= 0)
      dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutToStderr() {
    if (Saved < 0)
      return;
    dup2(Saved, STDOUT_FILENO);
    close(Saved);
  }
  StdoutToStderr(const StdoutToStderr &) = delete;
  StdoutToStderr &operator=(const StdoutToStderr &) = delete;

private:
  int Saved;
};

/// Runs the checks; their summary on standard output is not ours to show.
/// Returns the status as a shell would, or throws.
int runQuietly(const std::vector<std::string> &Command) {
  std::vector<char *> Argv;
  for (const std::string &A : Command)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  pid_t Child;
  int Error =
      posix_spawn(&Child, Argv[0], &Actions, nullptr, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  if (Error)
    throw Failure{"cannot start " + Command[0] + ": " + std::strerror(Error)};
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

report::Document readFindings(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  if (!In)
    throw Failure{"cannot read " + Path + ": " + std::strerror(errno)};
  std::string Text((std::istreambuf_iterator<char>(In)), {}), Error;
  auto Document = report::fromJson(Text, Error);
  if (!Document)
    throw Failure{Path + ": " + Error};
  return std::move(*Document);
}

report::Document findFindings(const Options &O, const WorkFolder &Work) {
  if (!O.FindingsFile.empty())
    return readFindings(O.FindingsFile);
  std::string Tool = clangToolPath();
  if (Tool.empty())
    throw Failure{"the checks need torchtidy-clang beside this program, and it "
                  "is not there: give their findings with --findings=JSON"};
  std::string Json = Work.file("findings.json");
  std::vector<std::string> Command{
      Tool, "check",           "--format=json",     "-o",
      Json, "--fail-on=never", "--allow-incomplete"};
  if (!O.Build.empty())
    Command.insert(Command.end(), {"-p", O.Build});
  Command.insert(Command.end(), O.Files.begin(), O.Files.end());
  int Status = runQuietly(Command);
  if (Status != 0 || !fs::exists(Json))
    throw Failure{"'torchtidy check' ended with status " +
                  std::to_string(Status)};
  return readFindings(Json);
}

/// Positions of the findings that have a place: the others stay as they are.
void makeAbsolute(std::vector<Finding> &Findings) {
  auto absolute = [](SourceSpan &S) {
    if (S.valid() && !S.File.empty())
      S.File = fs::absolute(S.File).lexically_normal().string();
  };
  for (Finding &F : Findings) {
    absolute(F.Where);
    absolute(F.Range);
    for (SourceSpan &P : F.Producers)
      absolute(P);
  }
}

std::vector<trace::Trace> readLogs(const std::vector<std::string> &Logs,
                                   std::vector<std::string> &Remarks,
                                   bool AllMustRead) {
  std::vector<trace::Trace> Traces;
  for (const std::string &Log : Logs) {
    std::string Error;
    if (auto T = trace::readTrace(Log, Error))
      Traces.push_back(std::move(*T));
    else if (AllMustRead)
      throw Failure{Log + ": " + Error};
    else
      Remarks.push_back("log " + Log + " could not be read: " + Error);
  }
  return Traces;
}

/// Runs the program under the recorder, and under breakpoints if wanted.
void judgeRun(const Options &O, const WorkFolder &Work, report::Document &D) {
  std::vector<Finding> Places = D.Findings;
  makeAbsolute(Places);

  std::optional<confirm::Watch> Watch;
  std::optional<confirm::HitTable> Hits;
  std::vector<trace::Trace> Traces;
  std::string WhyNoLog;
  if (O.Command.empty()) {
    Traces = readLogs(O.Logs, D.Remarks, true);
    D.Program = report::ProgramRun();
    if (!Traces.empty()) {
      D.Program->Command = Traces.front().Arguments;
      if (Traces.front().ExitStatus >= 0)
        D.Program->Status = Traces.front().ExitStatus;
    }
  } else {
    LaunchOptions Run;
    Run.Command = O.Command;
    Run.LogPrefix = Work.file("log");
    if (!O.NoBreakpoints) {
      Watch.emplace(confirm::statementsOf(Places));
      for (const std::string &Path :
           confirm::candidateModules(O.Command, O.Build)) {
        std::string Ignored; // what cannot be read is not watched
        if (auto Module = confirm::DebugInfo::open(Path, Ignored))
          Watch->addModule(*Module);
      }
      if (Watch->slots()) {
        std::ofstream(Work.file("plan")) << Watch->plan();
        Run.Environment.emplace_back(trace::BreakpointsVariable,
                                     Work.file("plan"));
      }
    }
    LaunchResult Ran;
    {
      // What the program prints must not end up inside the report.
      StdoutToStderr Redirected(toStdout(O));
      Ran = launch(Run);
    }
    if (!Ran.Error.empty())
      throw Failure{Ran.Error};
    D.Program = report::ProgramRun{O.Command, Ran.Status};
    if (Watch)
      Hits = confirm::HitTable::read(Work.file("plan"), Watch->slots());
    Traces = readLogs(Ran.Logs, D.Remarks, false);
    WhyNoLog = Ran.NoLogReason;
    if (WhyNoLog.empty() && Traces.empty())
      WhyNoLog = "the program ended before the first of it was written";
    if (Ran.Status != 0)
      D.Remarks.push_back(O.Command[0] + " ended with " +
                          (Ran.Status > 128
                               ? "signal " + std::to_string(Ran.Status - 128)
                               : "status " + std::to_string(Ran.Status)));
  }

  confirm::Judgement J =
      confirm::judge(Places, Traces, WhyNoLog, Watch ? &*Watch : nullptr,
                     Hits ? &*Hits : nullptr);
  for (size_t I = 0; I < D.Findings.size(); ++I)
    D.Findings[I].Judged = J.Verdicts[I];
  D.Unattributed.emplace();
  for (const confirm::Unattributed &U : J.Unexplained)
    D.Unattributed->push_back(
        {U.File, U.Line, U.Function, U.BytesPerIteration});
  D.Remarks.insert(D.Remarks.end(), J.Remarks.begin(), J.Remarks.end());
}

void write(const Options &O, const report::Document &D) {
  std::string Text;
  if (O.Format == "json") {
    Text = report::toJson(D);
  } else {
    report::TextOptions T;
    T.Brief = true;
    T.Colour =
        O.Output.empty() && isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
    std::error_code Ignored;
    T.BaseDirectory = fs::current_path(Ignored).string();
    Text = report::toText(D, T);
  }
  if (toStdout(O)) {
    std::cout << Text << std::flush;
    if (!std::cout)
      throw Failure{"cannot write the report"};
  } else if (std::string Error = report::writeFileAtomically(O.Output, Text);
             !Error.empty()) {
    throw Failure{O.Output + ": " + Error};
  }
}

/// Returns an exit status if the command is over already.
std::optional<int> parse(std::vector<std::string> Args, Options &O) {
  CLI::App App("Findings of the checks with a verdict from a real run: "
               "confirmed, contradicted,\nnot exercised or undecided.",
               "torchtidy confirm");
  App.formatter(std::make_shared<Formatter>());
  App.footer("Exit status: 0 nothing was confirmed, 1 a finding was confirmed, "
             "2 it could not be done.\nThe program's own status stands in the "
             "JSON.");
  App.add_option("-p", O.Build,
                 "build folder: compile_commands.json for the checks, programs "
                 "and libraries to watch")
      ->type_name("BUILD");
  App.add_option("--findings", O.FindingsFile,
                 "findings of an earlier 'torchtidy check --format=json'")
      ->type_name("JSON");
  App.add_option("--run", O.Logs,
                 "log of an earlier 'torchtidy run', instead of a program")
      ->type_name("LOG");
  App.add_option("--format", O.Format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("F");
  App.add_option("-o", O.Output, "write the report to this file")
      ->type_name("FILE");
  App.add_flag("--no-breakpoints", O.NoBreakpoints,
               "do not ask by breakpoints whether flagged statements ran");
  App.add_option("files", O.Files, "check only these files");

  auto Dashes = std::find(Args.begin(), Args.end(), "--");
  if (Dashes != Args.end()) {
    O.Command.assign(Dashes + 1, Args.end());
    Args.erase(Dashes, Args.end());
  }
  // CLI11 takes them from the back.
  std::reverse(Args.begin(), Args.end());
  try {
    App.parse(Args);
  } catch (const CLI::ParseError &E) {
    return App.exit(E) == 0 ? 0 : Wrong;
  }
  if (O.Command.empty() == O.Logs.empty()) {
    std::cerr << "torchtidy confirm: give either a program behind '--' or "
                 "--run=LOG; see 'torchtidy confirm --help'\n";
    return Wrong;
  }
  return std::nullopt;
}

} // namespace

int tools::confirmMain(std::vector<std::string> Args) {
  Options O;
  if (auto Status = parse(std::move(Args), O))
    return *Status;
  try {
    WorkFolder Work;
    report::Document D = findFindings(O, Work);
    judgeRun(O, Work, D);
    write(O, D);
    return std::any_of(
        D.Findings.begin(), D.Findings.end(), [](const Finding &F) {
          return F.Judged && F.Judged->State == VerdictState::Confirmed;
        });
  } catch (const Failure &F) {
    std::cerr << "torchtidy confirm: " << F.Text << "\n";
    return Wrong;
  }
}
