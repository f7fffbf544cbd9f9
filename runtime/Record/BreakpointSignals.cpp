//===- BreakpointSignals.cpp - SIGTRAP shared with the program ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BreakpointSignals.h"
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TORCHTIDY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Constant-initialised: the program may call before our constructors run.
bool Active;
struct sigaction ProgramAction;
bool ProgramHasAction;

using SigactionFn = int (*)(int, const struct sigaction *, struct sigaction *);
using MaskFn = int (*)(int, const sigset_t *, sigset_t *);

SigactionFn realSigaction() {
  static SigactionFn Real;
  if (!Real)
    Real = reinterpret_cast<SigactionFn>(dlsym(RTLD_NEXT, "sigaction"));
  return Real;
}

int setAction(int Signal, const struct sigaction *New, struct sigaction *Old) {
  SigactionFn Real = realSigaction();
  if (!Active)
    return Real(Signal, New, Old);
  if (Signal == SIGTRAP) {
    if (Old)
      *Old = ProgramAction;
    if (New) {
      ProgramAction = *New;
      ProgramHasAction = true;
    }
    return 0;
  }
  if (!New)
    return Real(Signal, New, Old);
  struct sigaction Clean = *New;
  sigdelset(&Clean.sa_mask, SIGTRAP);
  return Real(Signal, &Clean, Old);
}

int setMask(const char *Name, MaskFn &Real, int How, const sigset_t *New,
            sigset_t *Old) {
  if (!Real)
    Real = reinterpret_cast<MaskFn>(dlsym(RTLD_NEXT, Name));
  sigset_t Clean;
  if (Active && New && How != SIG_UNBLOCK) {
    Clean = *New;
    sigdelset(&Clean, SIGTRAP);
    New = &Clean;
  }
  return Real(How, New, Old);
}

} // namespace

bool torchtidy::record::ownTrap(void (*Handler)(int, siginfo_t *, void *)) {
  struct sigaction Ours{};
  Ours.sa_sigaction = Handler;
  // NODEFER: a hit while the program's own handler runs must not kill.
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&Ours.sa_mask);
  if (realSigaction()(SIGTRAP, &Ours, &ProgramAction) != 0)
    return false;
  ProgramHasAction = ProgramAction.sa_handler != SIG_DFL;
  Active = true;
  sigset_t Trap;
  sigemptyset(&Trap);
  sigaddset(&Trap, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &Trap, nullptr);
  return true;
}

void torchtidy::record::passTrapOn(int Signal, siginfo_t *Info, void *Context) {
  if (ProgramHasAction) {
    if (ProgramAction.sa_flags & SA_SIGINFO) {
      ProgramAction.sa_sigaction(Signal, Info, Context);
      return;
    }
    if (ProgramAction.sa_handler == SIG_IGN && Info->si_code <= 0)
      return;
    if (ProgramAction.sa_handler != SIG_DFL &&
        ProgramAction.sa_handler != SIG_IGN) {
      ProgramAction.sa_handler(Signal);
      return;
    }
  }
  // As without us: the default action ends the process.
  struct sigaction Default{};
  Default.sa_handler = SIG_DFL;
  realSigaction()(SIGTRAP, &Default, nullptr);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
}

TORCHTIDY_EXPORT int sigaction(int Signal, const struct sigaction *New,
                               struct sigaction *Old) noexcept {
  return setAction(Signal, New, Old);
}

TORCHTIDY_EXPORT sighandler_t signal(int Signal,
                                     sighandler_t Handler) noexcept {
  struct sigaction New{}, Old{};
  New.sa_handler = Handler;
  New.sa_flags = SA_RESTART;
  return setAction(Signal, &New, &Old) ? SIG_ERR : Old.sa_handler;
}

TORCHTIDY_EXPORT int pthread_sigmask(int How, const sigset_t *New,
                                     sigset_t *Old) noexcept {
  static MaskFn Real;
  return setMask("pthread_sigmask", Real, How, New, Old);
}

TORCHTIDY_EXPORT int sigprocmask(int How, const sigset_t *New,
                                 sigset_t *Old) noexcept {
  static MaskFn Real;
  return setMask("sigprocmask", Real, How, New, Old);
}
