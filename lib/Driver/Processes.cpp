//===- Processes.cpp - forked processes among themselves ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Processes.h"
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

using namespace torchtidy::driver;

namespace {

void closeOnce(int &FD) {
  if (FD >= 0)
    ::close(FD);
  FD = -1;
}

void open2(int (&Ends)[2]) {
  if (pipe2(Ends, O_CLOEXEC) != 0)
    Ends[0] = Ends[1] = -1;
}

/// What the program opens closes itself when another is started; the rest came
/// with it.
void closeInherited() {
  std::vector<int> Open;
  if (DIR *Own = opendir("/proc/self/fd")) {
    while (const dirent *Entry = readdir(Own))
      if (const int FD = std::atoi(Entry->d_name);
          FD > 2 && FD != dirfd(Own) && (fcntl(FD, F_GETFD) & FD_CLOEXEC) == 0)
        Open.push_back(FD);
    closedir(Own);
  }
  for (int FD : Open)
    ::close(FD);
}

} // namespace

bool torchtidy::driver::endsAlone() {
  for (const char *Name : {"CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION",
                           "CODEBUILD_BUILD_ID"})
    if (const char *Value = std::getenv(Name); Value && *Value)
      return true;
  return getpid() == 1 || getppid() <= 1;
}

void torchtidy::driver::followParent(pid_t Parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != Parent)
    _exit(1);
}

Channel::Channel() : Memory(memfd_create("torchtidy", MFD_CLOEXEC)) {
  open2(Pipe);
}

void Channel::closeWriter() { closeOnce(Pipe[1]); }

void Channel::close() {
  for (int *FD : {&Memory, &Pipe[0], &Pipe[1]})
    closeOnce(*FD);
}

bool Channel::send(size_t Job, const std::string &Text) {
  const std::string Own = "/proc/self/fd/" + std::to_string(Memory);
  int FD = open(Own.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (FD < 0 ||
      write(FD, Text.data(), Text.size()) != static_cast<ssize_t>(Text.size()))
    return false;
  const off_t End = lseek(FD, 0, SEEK_CUR);
  const Message M{Job, static_cast<uint64_t>(End) - Text.size(), Text.size()};
  return write(Pipe[1], &M, sizeof M) == sizeof M;
}

bool Channel::receive(Message &M) {
  ssize_t N;
  while ((N = read(Pipe[0], &M, sizeof M)) < 0 && errno == EINTR) {
  }
  return N == sizeof M;
}

std::string Channel::text(const Message &M) const {
  std::string Text(M.Length, '\0');
  if (pread(Memory, Text.data(), M.Length, static_cast<off_t>(M.Offset)) !=
      static_cast<ssize_t>(M.Length))
    Text.clear();
  return Text;
}

int HandOver::Answer = -1;

HandOver::HandOver() {
  open2(Told);
  // What the child is told may arrive before it follows its parent.
  sigset_t Signal;
  sigemptyset(&Signal);
  sigaddset(&Signal, SIGUSR1);
  sigprocmask(SIG_BLOCK, &Signal, &Before);
}

void HandOver::started() {
  closeOnce(Told[1]);
  sigprocmask(SIG_SETMASK, &Before, nullptr);
}

void HandOver::accept() {
  closeOnce(Told[0]);
  closeInherited();
  if (int Null = open("/dev/null", O_RDWR | O_CLOEXEC); Null >= 0) {
    for (int FD : {0, 1, 2})
      dup2(Null, FD);
    closeOnce(Null);
  }
  Answer = Told[1];
  struct sigaction S = {};
  S.sa_handler = [](int) {
    const int Error = errno;
    prctl(PR_SET_PDEATHSIG, 0);
    (void)!write(Answer, "", 1);
    errno = Error;
  };
  S.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &S, nullptr);
  // Whoever started the program may have blocked it.
  sigdelset(&Before, SIGUSR1);
  sigprocmask(SIG_SETMASK, &Before, nullptr);
}

void HandOver::complete(pid_t Child) {
  char Got;
  // The other end closes if the child has ended meanwhile.
  if (kill(Child, SIGUSR1) == 0)
    while (read(Told[0], &Got, 1) < 0 && errno == EINTR) {
    }
}
