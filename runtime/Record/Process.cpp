//===- Process.cpp - Start and end of recording in a process --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "ElfSymbols.h"
#include "LogFile.h"
#include "Modules.h"
#include "Names.h"
#include "Stacks.h"
#include "Symbols.h"
#include "Thread.h"
#include "TorchVersion.h"
#include "Writer.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::Kind;
using torchtidy::trace::RareKind;
using torchtidy::trace::StatusKnown;

std::atomic<Phase> torchtidy::record::CurrentPhase;

namespace {

/// Of LibTorch, empty if it cannot be told. Under the writer's lock.
char Version[32];
std::atomic<bool> TorchChecked;
pid_t Self; ///< whose memory this is

void beforeFork() { lockForFork(); }
void afterForkParent() { unlockAfterFork(false); }
void afterForkChild() {
  Self = getpid();
  forgetThreads();
  unlockAfterFork(true);
}

void writeText(Encoder &E, const char *Text) { putText(E, Text); }

void writeProcess() {
  char Program[4096], Directory[4096], Arguments[16384];
  ssize_t N = readlink("/proc/self/exe", Program, sizeof(Program) - 1);
  Program[N > 0 ? N : 0] = 0;
  if (!getcwd(Directory, sizeof(Directory)))
    Directory[0] = 0;
  size_t Size = 0;
  int Fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  while (Fd >= 0 && Size < sizeof(Arguments) - 1) {
    N = read(Fd, Arguments + Size, sizeof(Arguments) - 1 - Size);
    if (N <= 0)
      break;
    Size += static_cast<size_t>(N);
  }
  if (Fd >= 0)
    close(Fd);
  Arguments[Size] = 0;
  unsigned Count = 0;
  for (size_t I = 0; I < Size; I += std::strlen(Arguments + I) + 1)
    ++Count;

  timespec Now;
  clock_gettime(CLOCK_REALTIME, &Now);
  Encoder &E = openRecord(32 * 1024);
  E.rare(RareKind::Process);
  E.number(static_cast<uint64_t>(getpid()));
  E.number(static_cast<uint64_t>(getppid()));
  E.number(static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000u +
           static_cast<uint64_t>(Now.tv_nsec));
  writeText(E, TORCHTIDY_VERSION);
  writeText(E, Program);
  writeText(E, Directory);
  E.number(Count);
  for (size_t I = 0; I < Size; I += std::strlen(Arguments + I) + 1)
    writeText(E, Arguments + I);
}

/// With LibTorch there for the first time: is it one we know? Several threads
/// may ask at once, so each reads for itself.
bool checkTorch() {
  char Read[sizeof(Version)] = {};
  readTorchVersion(Read, sizeof(Read));
  if (!torchSupported(Read)) {
    say("not recording: LibTorch ", Read,
        " is not supported (1.13 to 2.15 are)");
    return false;
  }
  resolveHooks();
  WriterLock Lock;
  std::memcpy(Version, Read, sizeof(Version));
  return true;
}

void onExit(int Status, void *) { endRecording(true, Status); }
void onQuickExit() { endRecording(false, 0); }

} // namespace

bool torchtidy::record::startRecording() {
  Phase Expected = Phase::Unstarted;
  if (!CurrentPhase.compare_exchange_strong(Expected, Phase::Starting))
    return false;
  const char *Prefix = std::getenv("TORCHTIDY_LOG");
  if (!Prefix || !*Prefix) {
    CurrentPhase = Phase::Off;
    return false;
  }
  char Absolute[8192];
  char Directory[4096];
  if (*Prefix != '/' && getcwd(Directory, sizeof(Directory))) {
    std::snprintf(Absolute, sizeof(Absolute), "%s/%s", Directory, Prefix);
    Prefix = Absolute;
  }
  setLogPrefix(Prefix);
  Self = getpid();
  pthread_atfork(beforeFork, afterForkParent, afterForkChild);
  // First registered, last run: the program's own exit handlers are recorded.
  on_exit(onExit, nullptr);
  at_quick_exit(onQuickExit);
  CurrentPhase = Phase::On;
  return true;
}

void torchtidy::record::writePrologue() {
  writeProcess();
  Encoder &E = openRecord(sizeof(Version));
  E.rare(RareKind::Torch);
  writeText(E, Version);
  writeModules(true);
  rewriteNames();
  rewriteFrames();
  writeHooks(true);
}

bool torchtidy::record::torchReady() {
  if (TorchChecked.load(std::memory_order_acquire))
    return true;
  if (!checkTorch()) {
    CurrentPhase = Phase::Off;
    return false;
  }
  TorchChecked.store(true, std::memory_order_release);
  return true;
}

void torchtidy::record::flushRecording() {
  if (CurrentPhase != Phase::On || getpid() != Self)
    return;
  WriterLock Lock;
  if (logBegun())
    Lock.flush();
}

void torchtidy::record::endRecording(bool Known, int Status) {
  // A child by vfork leaves; its parent, whose memory this is, goes on.
  if (getpid() != Self)
    return;
  Phase Expected = Phase::On;
  if (!CurrentPhase.compare_exchange_strong(Expected, Phase::Off))
    return;
  // A LibTorch of which nothing was seen must say so; the others stay silent.
  if (!torchLoaded())
    return;
  resolveHooks();
  WriterLock Lock;
  if (!Lock.ready())
    return;
  if (modulesChanged())
    writeModules(false);
  writeHooks(true);
  Encoder &E = openRecord();
  E.tag(Kind::Exit, Known ? StatusKnown : 0);
  E.number(static_cast<uint64_t>(Status & 0xff));
  Lock.flush();
}

extern "C" {

// A process may leave without any exit handler.
__attribute__((visibility("default"))) void _exit(int Status) {
  endRecording(true, Status);
  for (;;)
    syscall(SYS_exit_group, Status);
}
__attribute__((visibility("default"))) void _Exit(int Status) { _exit(Status); }

// An uncaught exception ends here: what led to it is worth having.
__attribute__((visibility("default"))) void abort() {
  if (!Mine || !Mine->Busy)
    flushRecording();
  if (void *Real = findElfSymbol("abort", false))
    reinterpret_cast<void (*)()>(Real)();
  for (;;)
    __builtin_trap();
}

} // extern "C"

__attribute__((constructor)) static void startWithProgram() {
  recordingActive();
}
