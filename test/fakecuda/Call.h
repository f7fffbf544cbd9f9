//===- Call.h - One call of an entry point ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts the call, holds the machine's lock for its length, answers for what
/// is common to all: planned failures, missing initialization, earlier faults.
/// Time passes when it ends.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_CALL_H
#define FAKECUDA_CALL_H

#include "Machine.h"

namespace fakecuda {

class Call {
public:
  explicit Call(Entry E);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// Not 0: the call has failed already, and this is what to return.
  int error() const { return Failed; }
  /// Passes an outcome on: what the entry point returns.
  int done(Outcome O = {});
  int fail(int Error, const char *Why) { return done({Error, Why}); }
  /// The latency is for that many units and bytes, not for one and 0.
  void charge(uint64_t NewTimes, uint64_t NewBytes) {
    Times = NewTimes;
    Bytes = NewBytes;
  }

  Machine &machine() { return M; }
  ThreadState &thread() { return M.thread(); }
  /// Device of the current context.
  int device() { return M.thread().current(); }
  /// Null is not what it looks like: the default stream. False: no such one.
  bool findStream(void *Handle, Stream *&S);
  bool findEvent(void *Handle, Event *&E);
  /// Whether this thread may do during a capture what could spoil it.
  bool unsafeAllowed() { return M.thread().CaptureMode == abi::CaptureRelaxed; }

private:
  Outcome prepare();

  Machine &M;
  std::lock_guard<std::mutex> Guard;
  const Entry Which;
  int Failed = abi::Success;
  uint64_t Times = 1, Bytes = 0;
};

} // namespace fakecuda

#endif // FAKECUDA_CALL_H
