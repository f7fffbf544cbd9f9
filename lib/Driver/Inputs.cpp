//===- Inputs.cpp - what the result of a parse depends on -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Inputs.h"
#include <chrono>
#include <ctime>
#include <sys/stat.h>
#include <thread>

using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// Time stamps of files move in steps of the kernel's clock, 4 to 10 ms.
constexpr int64_t ClockStep = 20'000'000;

int64_t nanoseconds(const timespec &T) {
  return static_cast<int64_t>(T.tv_sec) * 1'000'000'000 + T.tv_nsec;
}

std::string stateOf(const struct stat &S) {
  // The change time as well: an editor or a package manager may set the other.
  return std::to_string(S.st_size) + "," +
         std::to_string(nanoseconds(S.st_mtim)) + "," +
         std::to_string(nanoseconds(S.st_ctim));
}

} // namespace

int64_t torchtidy::driver::now() {
  timespec T;
  clock_gettime(CLOCK_REALTIME, &T);
  return nanoseconds(T);
}

std::string torchtidy::driver::inputState(const std::string &File) {
  struct stat S;
  return stat(File.c_str(), &S) == 0 ? stateOf(S) : "-";
}

StringRef torchtidy::driver::takeLine(StringRef &Text) {
  auto [First, Rest] = Text.split('\n');
  Text = Rest;
  return First;
}

bool torchtidy::driver::takeCount(StringRef &Text, StringRef Label, size_t &N) {
  StringRef L = takeLine(Text);
  return L.consume_front(Label) && !L.trim().getAsInteger(10, N);
}

bool Inputs::read(StringRef &Text) {
  size_t N = 0;
  if (!takeCount(Text, "inputs ", N))
    return false;
  for (; N; --N) {
    auto [State, File] = takeLine(Text).split(' ');
    if (File.empty())
      return false;
    Found.emplace(File, State);
  }
  if (!takeCount(Text, "missing ", N))
    return false;
  for (; N; --N)
    Missing.insert(takeLine(Text).str());
  return true;
}

std::string Inputs::text() const {
  std::string Text = "inputs " + std::to_string(Found.size()) + "\n";
  for (const auto &[Path, State] : Found)
    Text += State + " " + Path + "\n";
  Text += "missing " + std::to_string(Missing.size()) + "\n";
  for (const std::string &Path : Missing)
    Text += Path + "\n";
  return Text;
}

void InputRecorder::note(const Twine &Path) {
  SmallString<256> P;
  Path.toVector(P);
  if (!Known.insert(P).second)
    return;
  (void)getUnderlyingFS().makeAbsolute(P);
  const std::string Name(P);
  if (Name.find('\n') != std::string::npos)
    All.Doubt = "a path has a line break in it";
  struct stat S;
  bool There = stat(Name.c_str(), &S) == 0;
  // What is in a folder is asked for by name.
  if (There && S_ISDIR(S.st_mode))
    return;
  if (There && now() < nanoseconds(S.st_ctim) + ClockStep) {
    // Not for every file, where the clock was set back.
    if (nanoseconds(S.st_ctim) < now() + ClockStep)
      std::this_thread::sleep_for(std::chrono::nanoseconds(ClockStep));
    There = stat(Name.c_str(), &S) == 0;
    if (There && now() < nanoseconds(S.st_ctim) + ClockStep)
      All.Doubt = "'" + Name + "' keeps changing, or its time lies ahead";
  }
  if (There)
    All.Found.emplace(Name, stateOf(S));
  else
    All.Missing.insert(Name);
}

ErrorOr<vfs::Status> InputRecorder::status(const Twine &Path) {
  note(Path);
  return ProxyFileSystem::status(Path);
}

ErrorOr<std::unique_ptr<vfs::File>>
InputRecorder::openFileForRead(const Twine &Path) {
  note(Path);
  auto File = ProxyFileSystem::openFileForRead(Path);
  // Not for what it is: too many open files, a server that does not answer.
  if (!File && ProxyFileSystem::status(Path))
    All.Doubt = "'" + Path.str() + "' could not be opened";
  return File;
}

std::string InputCheck::state(StringRef File) {
  {
    std::lock_guard<std::mutex> L(Lock);
    if (auto It = States.find(File); It != States.end())
      return It->second;
  }
  std::string State = inputState(File.str());
  std::lock_guard<std::mutex> L(Lock);
  return States.try_emplace(File, std::move(State)).first->second;
}

bool InputCheck::unchanged(StringRef &Text) {
  size_t N = 0;
  if (!takeCount(Text, "inputs ", N) || N == 0)
    return false;
  for (; N; --N) {
    auto [State, File] = takeLine(Text).split(' ');
    if (File.empty() || state(File) != State)
      return false;
  }
  if (!takeCount(Text, "missing ", N))
    return false;
  for (; N; --N)
    if (StringRef File = takeLine(Text); File.empty() || state(File) != "-")
      return false;
  return true;
}
