//===- Thread.cpp - What the recorder knows of a thread -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thread.h"
#include "Lock.h"
#include "Pages.h"
#include "Process.h"
#include "Writer.h"
#include <cstddef>
#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::RareKind;

__thread ThreadState *torchtidy::record::Mine;
uint32_t torchtidy::record::ForkCount = 1;

namespace {

Lock ListLock;
ThreadState *FreeList;
pthread_key_t Key;
bool HasKey;
uint32_t NextIndex;
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

ThreadState *Recording::enterAnew() {
  if (!recordingActive())
    return nullptr;
  ThreadState *S = Mine;
  if (!S && !(S = acquire()))
    return nullptr;
  if (S->Busy)
    return nullptr;
  S->Busy = true;
  if (S->Fork != ForkCount) {
    if (!torchReady()) {
      S->Busy = false;
      return nullptr;
    }
    announce(*S);
  }
  return S;
}

void torchtidy::record::forgetThreads() {
  new (&ListLock) Lock; // another thread may have held it
  NextIndex = 0;
  ++ForkCount;
}
