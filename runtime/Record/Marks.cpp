//===- Marks.cpp - The program's own marks, and what follows every mark ---===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"
#include "torchtidy/torchtidy.h"

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::Kind;

namespace {

void recordScope(Kind K, const char *Name) {
  Recording R;
  if (!R || !Name)
    return;
  uint32_t Id = nameId(Name);
  uint32_t Stack = K == Kind::ScopeBegin ? stackOf(*R) : 0;
  unsigned Mode = currentMode(*R);
  {
    WriterLock Lock;
    if (!Lock.ready())
      return;
    noteMode(*R, Lock, Mode);
    Encoder &E = Lock.event(R->Index, K);
    E.number(Id);
    if (K == Kind::ScopeBegin)
      E.stack(Stack);
  }
  if (K == Kind::ScopeEnd)
    afterMark(*R, K);
}

} // namespace

uint32_t torchtidy::record::stackOf(ThreadState &T) {
  // A thread that called backward itself has the way to it on its own stack.
  uint32_t Root = T.BackwardCount ? 0 : T.Task.Stack;
  return currentStack(T.Stacks, Root);
}

void torchtidy::record::afterMark(ThreadState &T, Kind Mark) {
  uint64_t Heap = 0;
  bool HasHeap = sampleHeap(Mark, Heap);
  WriterLock Lock;
  if (!Lock.ready())
    return;
  pollSharedNodes(T, Lock);
  if (HasHeap)
    Lock.event(T.Index, Kind::Heap).number(Heap);
  Lock.mark();
}

extern "C" {

TORCHTIDY_EXPORT int torchtidy_recording(void) { return Recording() ? 1 : 0; }

TORCHTIDY_EXPORT void torchtidy_iteration(void) {
  Recording R;
  if (!R)
    return;
  uint32_t Stack = stackOf(*R);
  unsigned Mode = currentMode(*R);
  {
    WriterLock Lock;
    if (!Lock.ready())
      return;
    noteMode(*R, Lock, Mode);
    Lock.event(R->Index, Kind::Iteration).stack(Stack);
  }
  afterMark(*R, Kind::Iteration);
}

TORCHTIDY_EXPORT void torchtidy_scope_begin(const char *Name) {
  recordScope(Kind::ScopeBegin, Name);
}

TORCHTIDY_EXPORT void torchtidy_scope_end(const char *Name) {
  recordScope(Kind::ScopeEnd, Name);
}

} // extern "C"
