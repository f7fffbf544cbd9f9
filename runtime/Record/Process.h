//===- Process.h - Start and end of recording in a process ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_PROCESS_H
#define TORCHTIDY_RUNTIME_RECORD_PROCESS_H

#include <atomic>

namespace torchtidy::record {

enum class Phase : int { Unstarted, Starting, On, Off };
extern std::atomic<Phase> CurrentPhase;

/// Reads the environment; LibTorch's initialisers may run before ours.
bool startRecording();

inline bool recordingActive() {
  Phase P = CurrentPhase.load(std::memory_order_acquire);
  return P == Phase::On || (P == Phase::Unstarted && startRecording());
}

/// With the first event: is this a LibTorch that we know? If not, says so and
/// ends recording. Not under the writer's lock.
bool torchReady();

/// The last records: exit status, hooks. Nothing is recorded afterwards.
void endRecording(bool StatusKnown, int Status);

/// Writes out what there is; the process is about to vanish.
void flushRecording();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_PROCESS_H
