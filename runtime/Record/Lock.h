//===- Lock.h - A small lock ------------------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Taken for each event, mostly by one thread at a time: two instructions in
/// line, and a kernel call only for those that have to wait.
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
    if (State.exchange(Free, std::memory_order_release) == Awaited)
      wake();
  }

private:
  void wait();
  void wake();

  enum : int { Free, Held, Awaited };
  std::atomic<int> State{Free};
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
