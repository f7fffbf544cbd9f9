//===- Lock.cpp - A small lock --------------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lock.h"
#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace torchtidy::record;

void Lock::wait() {
  int Error = errno; // the program's
  // The holder is about to be done: try a little before going to sleep.
  for (int I = 0; I < 100; ++I) {
    int Expected = Free;
    if (State.compare_exchange_weak(Expected, Held, std::memory_order_acquire))
      return;
    __builtin_ia32_pause();
  }
  while (State.exchange(Awaited, std::memory_order_acquire) != Free)
    syscall(SYS_futex, &State, FUTEX_WAIT_PRIVATE, Awaited, nullptr, nullptr,
            0);
  errno = Error;
}

void Lock::wake() {
  int Error = errno;
  syscall(SYS_futex, &State, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = Error;
}
