//===- LogFile.cpp - The file behind the writer ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LogFile.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchtidy::record;

void torchtidy::record::say(const char *A, const char *B, const char *C,
                            const char *D) {
  char Line[1024];
  int N =
      std::snprintf(Line, sizeof(Line), "torchtidy: %s%s%s%s\n", A, B, C, D);
  if (N > 0) {
    size_t Size = static_cast<size_t>(N) < sizeof(Line) ? N : sizeof(Line) - 1;
    [[maybe_unused]] ssize_t W = write(STDERR_FILENO, Line, Size);
  }
}

bool LogFile::create(const char *Prefix, int Pid) {
  int New = -1;
  for (unsigned Try = 0; New < 0 && Try < 1000; ++Try) {
    // The same process may run a second program by exec.
    int N =
        Try ? std::snprintf(Path, sizeof(Path), "%s.%d.%u", Prefix, Pid, Try)
            : std::snprintf(Path, sizeof(Path), "%s.%d", Prefix, Pid);
    if (N < 0 || static_cast<size_t>(N) >= sizeof(Path))
      return fail(ENAMETOOLONG);
    New = open(Path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (New < 0 && errno != EEXIST)
      return fail(errno);
  }
  // High up: programs count on getting the lowest numbers.
  int High = fcntl(New, F_DUPFD_CLOEXEC, 700);
  if (High >= 0) {
    close(New);
    New = High;
  }
  Fd = New;
  Length = 0;
  struct stat S;
  if (fstat(Fd, &S) != 0)
    return fail(errno);
  Device = S.st_dev;
  Inode = S.st_ino;
  return true;
}

bool LogFile::ours() const {
  struct stat S;
  return Fd >= 0 && fstat(Fd, &S) == 0 && S.st_dev == Device &&
         S.st_ino == Inode;
}

bool LogFile::fail(int Error) {
  say("recording stops, the program goes on: cannot write ", Path, ": ",
      std::strerror(Error));
  Fd = -1;
  return false;
}

bool LogFile::append(const void *Data, size_t Size) {
  if (!ours()) {
    // The program closed all descriptors, as daemons do.
    if (!Path[0])
      return false;
    Fd = open(Path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (!ours())
      return fail(errno ? errno : EBADF);
  }
  // A file size limit raises a signal that would kill the program.
  sigset_t Limit, Before, Pending;
  sigemptyset(&Limit);
  sigaddset(&Limit, SIGXFSZ);
  sigpending(&Pending);
  bool WasPending = sigismember(&Pending, SIGXFSZ) == 1;
  pthread_sigmask(SIG_BLOCK, &Limit, &Before);
  const auto *P = static_cast<const char *>(Data);
  size_t Left = Size;
  int Error = 0;
  while (Left) {
    ssize_t N = write(Fd, P, Left);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      Error = N < 0 ? errno : ENOSPC;
      break;
    }
    P += N;
    Left -= static_cast<size_t>(N);
  }
  if (Error == EFBIG && !WasPending) {
    timespec Zero = {0, 0};
    sigtimedwait(&Limit, nullptr, &Zero);
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (Error) {
    // Half a chunk would look like damage.
    if (Left != Size) [[maybe_unused]]
      int R = ftruncate(Fd, static_cast<off_t>(Length));
    close(Fd);
    return fail(Error);
  }
  Length += Size;
  return true;
}

void LogFile::forget() {
  if (ours())
    close(Fd);
  Fd = -1;
  Path[0] = 0;
}
