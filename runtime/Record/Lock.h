//===- Lock.h - A small lock ------------------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Taken for each event, mostly by one thread at a time: few instructions in
/// line, and a kernel call only for those that have to wait. Letting go is a
/// plain store, without a fence: a thread that goes to sleep just then may be
/// overlooked, so nobody sleeps for long.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_LOCK_H
#define TORCHTIDY_RUNTIME_RECORD_LOCK_H

#include <atomic>

namespace torchtidy::record {

class Lock {
public:
  void lock() {
    int Expected = Free;
    if (!State.compare_exchange_strong(Expected, Held,
                                       std::memory_order_acquire))
      wait();
  }
  void unlock() {
    State.store(Free, std::memory_order_release);
    if (__builtin_expect(Sleepers.load(std::memory_order_relaxed) != 0, 0))
      wake();
  }
  /// A forked child has no threads that could wait.
  void forgetSleepers() { Sleepers.store(0, std::memory_order_relaxed); }

private:
  void wait();
  void wake();

  enum : int { Free, Held };
  std::atomic<int> State{Free};
  std::atomic<int> Sleepers{0};
};

class Guard {
public:
  explicit Guard(Lock &L) : L(L) { L.lock(); }
  ~Guard() { L.unlock(); }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  Lock &L;
};

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_LOCK_H
