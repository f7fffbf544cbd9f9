//===- Thread.cpp - What the recorder knows of a thread -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thread.h"
#include "Pages.h"
#include "Process.h"
#include "Writer.h"
#include <cstddef>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::RareKind;

namespace {

// Loaded with the program, so the fast kind of thread-local storage is there.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState *Mine;

pthread_mutex_t ListLock = PTHREAD_MUTEX_INITIALIZER;
ThreadState *FreeList;
pthread_key_t Key;
bool HasKey;
uint32_t NextIndex, ForkCount = 1;
constexpr uint32_t MaxIndex = UINT16_MAX;

void release(void *P) {
  auto *T = static_cast<ThreadState *>(P);
  Mine = nullptr;
  Guard G(ListLock);
  T->NextFree = FreeList;
  FreeList = T;
}

ThreadState *acquire() {
  ThreadState *T;
  {
    Guard G(ListLock);
    if (!HasKey)
      HasKey = pthread_key_create(&Key, release) == 0;
    T = FreeList;
    if (T)
      FreeList = T->NextFree;
  }
  if (!T)
    T = static_cast<ThreadState *>(mapPages(sizeof(ThreadState)));
  else
    std::memset(static_cast<void *>(T), 0, offsetof(ThreadState, Stacks));
  if (!T)
    return nullptr;
  T->Stacks.High = 0; // another thread's stack
  T->ModeFlags = 255;
  Mine = T;
  pthread_setspecific(Key, T);
  return T;
}

void announce(ThreadState &T) {
  WriterLock Lock;
  T.Fork = ForkCount;
  T.Index = NextIndex < MaxIndex ? NextIndex++ : MaxIndex;
  T.LastNode = nullptr;
  T.ModeFlags = 255;
  if (!Lock.ready())
    return;
  Encoder &E = openRecord();
  E.rare(RareKind::ThreadStart);
  E.number(T.Index);
  E.number(static_cast<uint64_t>(syscall(SYS_gettid)));
}

} // namespace

Recording::Recording() {
  if (!recordingActive())
    return;
  ThreadState *S = Mine;
  if (!S && !(S = acquire()))
    return;
  if (S->Busy)
    return;
  S->Busy = true;
  T = S;
  if (S->Fork != ForkCount) {
    if (torchReady())
      announce(*S);
    else
      leave();
  }
}

void Recording::leave() {
  T->Busy = false;
  T = nullptr;
}

void torchtidy::record::forgetThreads() {
  ListLock = PTHREAD_MUTEX_INITIALIZER;
  NextIndex = 0;
  ++ForkCount;
}
