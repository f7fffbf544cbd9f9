//===- Writer.cpp - Writes the log of this process ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writer.h"
#include "LogFile.h"
#include "Pages.h"
#include "Symbols.h"
#include <cstring>
#include <ctime>
#include <unistd.h>

#define ZSTD_STATIC_LINKING_ONLY // a context in memory of our own
#include <zstd.h>

using namespace torchtidy::record;
using namespace torchtidy::trace;

namespace {

/// A buffer is handed on when it is half full, so that there is always room.
constexpr uint32_t ChunkTarget = 96 * 1024;
constexpr size_t MaxText = 4096;
constexpr uint64_t FlushInterval = 50'000'000; // ns
/// Programs without marks are looked at now and then.
constexpr uint32_t EventsPerLook = 512;

constexpr int Level = -1; ///< the quick kind: it is the program that waits

char Prefix[4096];
pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER; ///< everything but Out
pthread_mutex_t FileLock =
    PTHREAD_MUTEX_INITIALIZER; ///< taken while holding Lock

struct Buffer {
  unsigned char *Data;
  size_t Size;
  uint32_t Events;
};

Encoder Enc;
Buffer Filling, Spare;
uint32_t Events, LastThread;
bool Begun, Dead;
uint64_t Start, LastFlush;

// Under FileLock.
LogFile File;
unsigned char *Packed;
ZSTD_CCtx *Context;

uint64_t now(clockid_t Clock) {
  timespec T;
  clock_gettime(Clock, &T);
  return static_cast<uint64_t>(T.tv_sec) * 1'000'000'000u +
         static_cast<uint64_t>(T.tv_nsec);
}

size_t filled() { return static_cast<size_t>(Enc.position() - Filling.Data); }

void startChunk() {
  Enc.start(Filling.Data);
  Events = 0;
  LastThread = 0;
  Enc.tag(Kind::Clock);
  Enc.number(nanosecondsSinceStart());
}

bool allocate() {
  if (Context)
    return true;
  size_t ContextSize = ZSTD_estimateCCtxSize(1);
  size_t PackedSize = sizeof(ChunkHeader) + ZSTD_compressBound(MaxChunk);
  // Aligned for zstd: pages come first.
  auto *P = static_cast<unsigned char *>(
      mapPages(ContextSize + 2 * MaxChunk + PackedSize));
  if (!P)
    return false;
  Filling.Data = P;
  Spare.Data = P + MaxChunk;
  Packed = P + 2 * MaxChunk + ContextSize;
  Context = ZSTD_initStaticCCtx(P + 2 * MaxChunk, ContextSize);
  return Context != nullptr;
}

/// Under FileLock.
bool writeChunk(const Buffer &B) {
  ChunkHeader H;
  size_t Size =
      ZSTD_compressCCtx(Context, Packed + sizeof(H),
                        ZSTD_compressBound(MaxChunk), B.Data, B.Size, Level);
  if (ZSTD_isError(Size))
    return false;
  H = {ChunkMagic, static_cast<uint32_t>(B.Size), static_cast<uint32_t>(Size),
       B.Events, checksum(Packed + sizeof(H), Size)};
  std::memcpy(Packed, &H, sizeof(H));
  return File.append(Packed, sizeof(H) + Size);
}

bool beginLog() {
  FileHeader H = {};
  std::memcpy(H.Magic, FileMagic, sizeof(H.Magic));
  H.Version = FormatVersion;
  if (!Prefix[0] || !allocate() || !File.create(Prefix, getpid()) ||
      !File.append(&H, sizeof(H)))
    return false;
  Begun = true;
  Start = now(CLOCK_MONOTONIC);
  LastFlush = now(CLOCK_MONOTONIC_COARSE);
  startChunk();
  writePrologue();
  return true;
}

/// Takes over what is filled; the caller holds both locks.
Buffer takeFilled() {
  Buffer Full = {Filling.Data, filled(), Events};
  Filling.Data = Spare.Data;
  Spare.Data = Full.Data;
  startChunk();
  LastFlush = now(CLOCK_MONOTONIC_COARSE);
  return Full;
}

} // namespace

void torchtidy::record::setLogPrefix(const char *P) {
  std::strncpy(Prefix, P, sizeof(Prefix) - 1);
}

uint64_t torchtidy::record::nanosecondsSinceStart() {
  return now(CLOCK_MONOTONIC) - Start;
}

bool torchtidy::record::logBegun() { return Begun; }

WriterLock::WriterLock() { pthread_mutex_lock(&Lock); }

WriterLock::~WriterLock() {
  if (!Begun || Dead || (!Due && filled() < ChunkTarget)) {
    pthread_mutex_unlock(&Lock);
    return;
  }
  writeHooks(false);
  // In this order, so that chunks are written in the order they were filled.
  pthread_mutex_lock(&FileLock);
  Buffer Full = takeFilled();
  pthread_mutex_unlock(&Lock);
  bool Written = writeChunk(Full);
  pthread_mutex_unlock(&FileLock);
  if (!Written) {
    Guard G(Lock);
    Dead = true;
  }
}

bool WriterLock::ready() {
  if (!Begun && !Dead)
    Dead = !beginLog();
  return !Dead;
}

Encoder &WriterLock::event(unsigned Thread, Kind K, unsigned Flags) {
  if (Thread != LastThread) {
    Enc.tag(Kind::Thread);
    Enc.number(Thread);
    LastThread = Thread;
  }
  if (++Events % EventsPerLook == 0)
    Due |= now(CLOCK_MONOTONIC_COARSE) - LastFlush > FlushInterval;
  Enc.tag(K, Flags);
  return Enc;
}

void WriterLock::mark() {
  Due |= now(CLOCK_MONOTONIC_COARSE) - LastFlush > FlushInterval;
}

Encoder &torchtidy::record::openRecord(size_t Text) {
  // Tables are written in one go at the start of a log, past any chunk's size.
  if (Begun && !Dead && filled() + MaxRecord + Text > MaxChunk - ChunkTarget) {
    Guard G(FileLock);
    Dead = !writeChunk(takeFilled());
  }
  return Enc;
}

void torchtidy::record::putText(Encoder &E, const char *Text, size_t Size) {
  E.text(Text, Size < MaxText ? Size : MaxText);
}

void torchtidy::record::putText(Encoder &E, const char *Text) {
  putText(E, Text, std::strlen(Text));
}

void torchtidy::record::lockForFork() {
  pthread_mutex_lock(&Lock);
  pthread_mutex_lock(&FileLock);
}

void torchtidy::record::unlockAfterFork(bool InChild) {
  if (InChild) {
    // Only this thread lives here, and it holds both.
    File.forget();
    Begun = false;
    Dead = false;
  }
  pthread_mutex_unlock(&FileLock);
  pthread_mutex_unlock(&Lock);
}
