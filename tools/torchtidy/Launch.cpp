//===- Launch.cpp - Runs a program under the recorder ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Program.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::tools;
namespace fs = std::filesystem;

namespace {

volatile sig_atomic_t RunningChild;

void passOn(int Signal) {
  if (RunningChild > 0)
    kill(RunningChild, Signal);
}

/// While the program runs, Ctrl-C is its affair (the terminal sends it there as
/// well); what asks this process to end is passed on.
class Signals {
public:
  Signals() {
    struct sigaction Ignore = {}, Pass = {};
    Ignore.sa_handler = SIG_IGN;
    Pass.sa_handler = passOn;
    Pass.sa_flags = SA_RESTART;
    sigaction(SIGINT, &Ignore, &Old[0]);
    sigaction(SIGQUIT, &Ignore, &Old[1]);
    sigaction(SIGTERM, &Pass, &Old[2]);
    sigaction(SIGHUP, &Pass, &Old[3]);
  }
  ~Signals() { restore(); }
  Signals(const Signals &) = delete;
  Signals &operator=(const Signals &) = delete;

  void restore() const {
    sigaction(SIGINT, &Old[0], nullptr);
    sigaction(SIGQUIT, &Old[1], nullptr);
    sigaction(SIGTERM, &Old[2], nullptr);
    sigaction(SIGHUP, &Old[3], nullptr);
  }

private:
  struct sigaction Old[4];
};

/// LD_PRELOAD separates by colons and blanks and knows no quoting: a path with
/// one of them gets another name for the time of the run.
class Preloadable {
public:
  explicit Preloadable(std::string Library) : Path(std::move(Library)) {
    if (Path.find_first_of(" :\t\n") == std::string::npos)
      return;
    char Name[] = "/tmp/torchtidy-XXXXXX";
    if (!mkdtemp(Name))
      return;
    Folder = Name;
    fs::path Link = fs::path(Folder) / fs::path(Path).filename();
    std::error_code EC;
    fs::create_symlink(Path, Link, EC);
    Path = Link.string();
  }
  ~Preloadable() {
    std::error_code EC;
    if (!Folder.empty())
      fs::remove_all(Folder, EC);
  }
  Preloadable(const Preloadable &) = delete;
  Preloadable &operator=(const Preloadable &) = delete;

  std::string Path;

private:
  std::string Folder;
};

[[noreturn]] void becomeProgram(const std::string &Path, const LaunchOptions &O,
                                const std::string &Recorder,
                                const std::string &Prefix) {
  const char *Others = std::getenv("LD_PRELOAD");
  // First: its functions must be found before anybody else's.
  std::string Preload = Recorder;
  if (Others && *Others)
    Preload += std::string(":") + Others;
  setenv("LD_PRELOAD", Preload.c_str(), 1);
  setenv("TORCHTIDY_LOG", Prefix.c_str(), 1);
  for (const auto &[Name, Value] : O.Environment)
    setenv(Name.c_str(), Value.c_str(), 1);
  std::vector<char *> Argv;
  for (const std::string &A : O.Command)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  execv(Path.c_str(), Argv.data());
  // A script without a first line that names its interpreter: as shells do.
  if (errno == ENOEXEC) {
    Argv[0] = const_cast<char *>(Path.c_str());
    Argv.insert(Argv.begin(), const_cast<char *>("sh"));
    execv("/bin/sh", Argv.data());
  }
  _exit(126);
}

std::vector<std::string> findLogs(const std::string &Prefix, pid_t First) {
  std::vector<std::string> Logs;
  fs::path P(Prefix);
  std::string Start = P.filename().string() + ".";
  std::error_code EC;
  for (const auto &Entry : fs::directory_iterator(P.parent_path(), EC)) {
    std::string Name = Entry.path().filename().string();
    if (Name.compare(0, Start.size(), Start) == 0 &&
        Name.find_first_not_of("0123456789.", Start.size()) ==
            std::string::npos)
      Logs.push_back(Entry.path().string());
  }
  std::sort(Logs.begin(), Logs.end());
  std::string Own = Prefix + "." + std::to_string(First);
  auto It = std::find(Logs.begin(), Logs.end(), Own);
  if (It != Logs.end())
    std::rotate(Logs.begin(), It, It + 1);
  return Logs;
}

std::string reasonForNothing(const std::string &Path, const ProgramKind &Kind) {
  struct stat S;
  if (Kind.StaticallyLinked)
    return Path + " is statically linked: the recorder cannot be loaded into "
                  "it";
  if (stat(Path.c_str(), &S) == 0 && (S.st_mode & (S_ISUID | S_ISGID)))
    return Path + " is set-user-id: the recorder cannot be loaded into it";
  if (Kind.ContainsTorch)
    return "LibTorch is linked into " + Path +
           " statically: the recorder sees only shared ones";
  return "no LibTorch was loaded by " + Path +
         " or by a process that it started";
}

} // namespace

LaunchResult tools::launch(const LaunchOptions &O) {
  LaunchResult R;
  R.Status = 2;
#if !defined(__x86_64__) || !defined(__linux__)
  R.Error = "programs can be recorded on Linux on x86-64 only";
  return R;
#endif
  std::string Recorder = findRecorder(R.Error);
  if (Recorder.empty())
    return R;
  std::string Program = findProgram(O.Command[0]);
  if (Program.empty()) {
    R.Error = O.Command[0] + ": " +
              (errno == ENOENT ? "no such program" : std::strerror(errno));
    R.Status = errno == ENOENT || errno == ENOTDIR ? 127 : 126;
    return R;
  }
  ProgramKind Kind = inspectProgram(Program);
  if (!Kind.RightMachine) {
    R.Error = Program + " is not an x86-64 program";
    R.Status = 126;
    return R;
  }
  std::error_code EC;
  std::string Prefix = fs::absolute(O.LogPrefix, EC).string();
  if (access(fs::path(Prefix).parent_path().c_str(), W_OK) != 0) {
    R.Error = "no log can be written to " +
              fs::path(Prefix).parent_path().string() + ": " +
              std::strerror(errno);
    return R;
  }

  Preloadable Library(Recorder);
  Signals Handlers;
  pid_t Child = fork();
  if (Child < 0) {
    R.Error = std::string("cannot start a process: ") + std::strerror(errno);
    return R;
  }
  if (Child == 0) {
    Handlers.restore();
    becomeProgram(Program, O, Library.Path, Prefix);
  }
  RunningChild = Child;
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  RunningChild = 0;
  R.Status = WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
  R.Logs = findLogs(Prefix, Child);
  if (R.Logs.empty())
    R.NoLogReason = reasonForNothing(Program, Kind);
  return R;
}
