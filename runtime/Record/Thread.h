//===- Thread.h - What the recorder knows of a thread -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_THREAD_H
#define TORCHTIDY_RUNTIME_RECORD_THREAD_H

#include "Process.h"
#include "Stacks.h"
#include <cstdint>

namespace torchtidy::record {

/// A running Engine::execute of this thread.
struct Backward {
  const char *Frame; ///< of the hook; an exception may end it unseen
  const void *Task;
  uint32_t Stack;
  bool KeepGraph;
};

/// What an engine thread works for.
struct EngineTask {
  const void *Task;
  uint32_t Stack; ///< that launched it
  bool KeepGraph;
};

struct ThreadState {
  uint32_t Index;
  uint32_t Fork;     ///< generation that Index belongs to
  bool Busy;         ///< inside the recorder
  uint8_t ModeFlags; ///< grad and inference mode as last written, 255: never

  /// Where LibTorch keeps this thread's modes, null if that is not known; what
  /// was there last, and what it means.
  const volatile uint8_t *ModeByte;
  uint8_t ModeByteSeen, ModeSeen;

  void *LastNode; ///< further outputs of one operator need no event
  uint64_t LastNodeDeaths;

  static constexpr unsigned MaxBackwards = 96; ///< LibTorch nests 60
  Backward Backwards[MaxBackwards];            ///< outermost first
  unsigned BackwardCount;
  const char *StepFrame; ///< of the outermost step, null outside of any

  EngineTask Task;
  uint64_t TaskCount; ///< tasks begun anywhere when Task was looked up

  ThreadState *NextFree;
  StackCache Stacks;
};

// Loaded with the program, so the fast kind of thread-local storage is there.
extern __attribute__((tls_model("initial-exec"))) __thread ThreadState *Mine;
extern uint32_t ForkCount;

/// Entered by every hook that records. False if recording is off, or for a call
/// that the recorder itself has caused.
class Recording {
public:
  Recording() {
    ThreadState *S = Mine;
    if (S && !S->Busy && S->Fork == ForkCount &&
        CurrentPhase.load(std::memory_order_acquire) == Phase::On) {
      S->Busy = true;
      T = S;
    } else {
      T = enterAnew();
    }
  }
  ~Recording() {
    if (T)
      T->Busy = false;
  }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  explicit operator bool() const { return T != nullptr; }
  ThreadState *operator->() const { return T; }
  ThreadState &operator*() const { return *T; }

private:
  static ThreadState *enterAnew();
  ThreadState *T;
};

/// A forked child counts its threads anew.
void forgetThreads();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_THREAD_H
