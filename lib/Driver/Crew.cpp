//===- Crew.cpp - forked processes that have a file each ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Crew.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace torchtidy::driver;

/// Of one question: the modules and the order.
static constexpr size_t MaxMessages = 2;

bool Crew::start(size_t Job) {
  waitForPlace();
  return fork(Job, /*Beside=*/false, /*Counts=*/true);
}

bool Crew::startBeside(size_t Job, bool Counts) {
  return fork(Job, /*Beside=*/true, Counts);
}

bool Crew::fork(size_t Job, bool Beside, bool Counts) {
  int Line[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Line) != 0) {
    Lost(Job);
    return false;
  }
  const pid_t Parent = getpid();
  const pid_t Child = ::fork();
  if (Child == 0) {
    followParent(Parent);
    // Else the others' lines would stay open as long as this process runs.
    for (const Member &M : Members)
      close(M.Line);
    Members.clear();
    close(Line[0]);
    Own = Line[1];
    return true;
  }
  close(Line[1]);
  if (Child > 0) {
    Members.push_back({Child, Job, Line[0], Beside, Counts});
  } else {
    close(Line[0]);
    Lost(Job);
  }
  return false;
}

Crew::Question Crew::waitForQuestion() {
  Channel::Message Q[MaxMessages];
  ssize_t N = send(Own, "", 1, MSG_NOSIGNAL);
  while (N == 1 && (N = recv(Own, Q, sizeof Q, 0)) < 0 && errno == EINTR)
    N = 1;
  if (N <= 0 || N % sizeof *Q)
    _exit(0);
  return {Q, Q + N / sizeof *Q};
}

bool Crew::ask(size_t Job, const Question &Q) {
  waitForPlace();
  for (Member &M : Members)
    if (M.Job == Job && M.Waits) {
      const size_t Size = Q.size() * sizeof Q.front();
      if (send(M.Line, Q.data(), Size, MSG_NOSIGNAL) !=
          static_cast<ssize_t>(Size))
        return false;
      M.Waits = false;
      return true;
    }
  return false;
}

void Crew::reap() {
  std::vector<pollfd> Lines;
  for (const Member &M : Members)
    Lines.push_back({M.Line, POLLIN, 0});
  if (poll(Lines.data(), Lines.size(), -1) < 0)
    return;
  for (size_t I = Lines.size(); I--;) {
    if (!Lines[I].revents)
      continue;
    Member &M = Members[I];
    char Done;
    if (recv(M.Line, &Done, 1, MSG_DONTWAIT) == 1 &&
        count_if(Members, [](const Member &M) { return M.Waits; }) < Waiting)
      M.Waits = true;
    else
      end(M);
  }
}

pid_t Crew::process(size_t Job) const {
  for (const Member &M : Members)
    if (M.Job == Job)
      return M.Process;
  return 0;
}

void Crew::dismiss() {
  for (size_t I = Members.size(); I--;)
    if (Members[I].Waits)
      end(Members[I]);
}

bool Crew::isWorking() const {
  return any_of(Members, [](const Member &M) { return !M.Beside && !M.Waits; });
}

void Crew::waitForPlace() {
  auto HasPlace = [](const Member &M) { return M.Counts && !M.Waits; };
  while (count_if(Members, HasPlace) >= AtWork)
    reap();
}

void Crew::end(Member &M) {
  close(M.Line);
  int Status = 0;
  while (waitpid(M.Process, &Status, 0) < 0 && errno == EINTR) {
  }
  // Who failed has said nothing.
  if (Status != 0)
    Lost(M.Job);
  Members.erase(Members.begin() + (&M - Members.data()));
}
