//===- Lock.cpp - A small lock --------------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lock.h"
#include <cerrno>
#include <ctime>
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
  const timespec AMillisecond = {0, 1'000'000};
  Sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (State.exchange(Held, std::memory_order_acquire) != Free)
    syscall(SYS_futex, &State, FUTEX_WAIT_PRIVATE, Held, &AMillisecond, nullptr,
            0);
  Sleepers.fetch_sub(1, std::memory_order_relaxed);
  errno = Error;
}

void Lock::wake() {
  int Error = errno;
  syscall(SYS_futex, &State, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = Error;
}
