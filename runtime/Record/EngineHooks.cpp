//===- EngineHooks.cpp - Backward passes ----------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

using namespace torchtidy::record;
using namespace torchtidy::trace;

namespace {

/// Graph tasks in progress anywhere: device threads look up what they work for.
/// Under the writer's lock.
constexpr unsigned MaxTasks = 64;
EngineTask Tasks[MaxTasks];
unsigned NextTask;
std::atomic<uint64_t> TaskCount;

void beginTask(ThreadState &T, const void *Task) {
  if (!T.BackwardCount)
    return;
  Backward &B = T.Backwards[T.BackwardCount - 1];
  B.Task = Task;
  WriterLock Lock;
  fired(HookId::ExecuteTask);
  EngineTask *Place = nullptr;
  for (EngineTask &E : Tasks)
    if (E.Task == Task || (!E.Task && !Place))
      Place = &E;
  // All taken: exceptions have left some behind.
  if (!Place)
    Place = &Tasks[NextTask++ % MaxTasks];
  *Place = {Task, B.Stack, B.KeepGraph};
  TaskCount.fetch_add(1, std::memory_order_relaxed);
}

/// Before a node is evaluated: on whose behalf?
void findTask(ThreadState &T, const void *Task) {
  uint64_t Count = TaskCount.load(std::memory_order_relaxed);
  if (T.Task.Task == Task && T.TaskCount == Count)
    return;
  WriterLock Lock;
  T.TaskCount = Count;
  T.Task = {Task, 0, false};
  for (const EngineTask &E : Tasks)
    if (E.Task == Task)
      T.Task = E;
}

void recordEvaluation(ThreadState &T, const void *Task, const void *Node) {
  bool Keep;
  if (T.BackwardCount) {
    Keep = T.Backwards[T.BackwardCount - 1].KeepGraph;
  } else {
    findTask(T, Task);
    Keep = T.Task.KeepGraph;
  }
  if (recordAccumulation(T, Node))
    return;
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(HookId::EvaluateFunction);
  Lock.event(T.Index, Kind::NodeEvaluated, Keep ? KeepGraph : 0).node(Node);
}

void recordBackward(ThreadState &T, const char *Frame, void *const *Roots,
                    unsigned Flags) {
  // A vector of Edge, which is {Node *, control block, input number}.
  constexpr size_t EdgeWords = 3;
  auto **Begin = static_cast<void **>(Roots[0]);
  auto **End = static_cast<void **>(Roots[1]);
  uint32_t Stack = stackOf(T);
  unsigned Mode = currentMode(T);
  if (T.BackwardCount < ThreadState::MaxBackwards)
    T.Backwards[T.BackwardCount++] = {Frame, nullptr, Stack,
                                      (Flags & KeepGraph) != 0};
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(HookId::Execute);
  noteMode(T, Lock, Mode);
  Encoder &E = Lock.event(T.Index, Kind::BackwardBegin, Flags);
  E.node(Begin != End ? *Begin : nullptr);
  E.number(static_cast<size_t>(End - Begin) / EdgeWords);
  E.stack(Stack);
}

void endBackward(ThreadState &T) {
  const void *Task = T.Backwards[--T.BackwardCount].Task;
  WriterLock Lock;
  for (EngineTask &E : Tasks)
    if (Task && E.Task == Task)
      E = {};
  if (Lock.ready())
    Lock.event(T.Index, Kind::BackwardEnd);
}

} // namespace

void torchtidy::record::closeBackwards(ThreadState &T, const char *Frame) {
  // The stack grows downwards: a frame below the one that runs now is gone.
  while (T.BackwardCount && T.Backwards[T.BackwardCount - 1].Frame < Frame)
    endBackward(T);
  if (T.StepFrame && T.StepFrame < Frame)
    T.StepFrame = nullptr;
}

extern "C" {

using Execute = void *(void *, void *, void **, void *, bool, bool, bool,
                       void **);
TORCHTIDY_EXPORT Execute torchtidyExecute asm(
    "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_IN2at"
    "6TensorESaIS9_EEbbbS7_");
void *torchtidyExecute(void *Result, void *Self, void **Roots, void *Inputs,
                       bool Keep, bool Create, bool Accumulate,
                       void **Outputs) {
  auto *Frame = static_cast<const char *>(__builtin_frame_address(0));
  if (Recording R; R) {
    closeBackwards(*R, Frame);
    // backward() on leaves accumulates as well, with or without a list.
    recordBackward(*R, Frame, Roots,
                   (Keep ? KeepGraph : 0) | (Create ? CreateGraph : 0) |
                       (Accumulate ? 0 : ReturnsGrads));
  }
  void *Value = real<Execute>(HookId::Execute)(
      Result, Self, Roots, Inputs, Keep, Create, Accumulate, Outputs);
  if (Recording R; R) {
    closeBackwards(*R, Frame);
    if (R->BackwardCount && R->Backwards[R->BackwardCount - 1].Frame == Frame)
      endBackward(*R);
    if (!R->BackwardCount)
      afterMark(*R, Kind::BackwardEnd);
  }
  return Value;
}

using ExecuteTask = void *(void *, void *, void **, void *, void *);
TORCHTIDY_EXPORT ExecuteTask torchtidyExecuteTask asm(
    "_ZN5torch8autograd6Engine23execute_with_graph_taskERKSt10shared_ptrINS0_"
    "9GraphTaskEES2_INS0_4NodeEEONS0_11InputBufferE");
void *torchtidyExecuteTask(void *Result, void *Self, void **Task, void *Root,
                           void *Input) {
  // It may return before the work is done: the task ends with its backward.
  if (Recording R; R)
    beginTask(*R, *Task);
  return real<ExecuteTask>(HookId::ExecuteTask)(Result, Self, Task, Root,
                                                Input);
}

using Evaluate = void(void *, void **, void *, void *, void *);
TORCHTIDY_EXPORT Evaluate torchtidyEvaluate asm(
    "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_"
    "9GraphTaskEEPNS0_4NodeERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE");
void torchtidyEvaluate(void *Self, void **Task, void *Node, void *Input,
                       void *Queue) {
  if (Recording R; R)
    recordEvaluation(*R, *Task, Node);
  real<Evaluate>(HookId::EvaluateFunction)(Self, Task, Node, Input, Queue);
}

} // extern "C"
