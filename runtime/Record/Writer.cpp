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
#include <cerrno>
#include <cstring>
#include <ctime>
#include <unistd.h>

#define ZSTD_STATIC_LINKING_ONLY // a context in memory of our own
#include <zstd.h>

using namespace torchtidy::record;
using namespace torchtidy::trace;

WriterLock::State WriterLock::Writer;

namespace {

/// A buffer is handed on when it is less than half full.
constexpr uint32_t ChunkTarget = 96 * 1024;
constexpr size_t MaxText = 4096;
constexpr uint64_t FlushInterval = 50'000'000; // ns
/// A young log is flushed more often: programs that crash do it soon.
constexpr uint64_t FlushShare = 16; ///< of the log's age

constexpr int Level = -1; ///< the quick kind: it is the program that waits

struct Buffer {
  unsigned char *Data;
  size_t Size;
  uint32_t Events;
};

char Prefix[4096];
Lock FileLock; ///< taken while holding the writer's

// Under the writer's lock.
unsigned char *Filling, *Spare;
bool Begun, Beginning, Dead;
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

bool allocate() {
  if (Context)
    return true;
  size_t ContextSize = ZSTD_estimateCCtxSize(1);
  size_t PackedSize = sizeof(ChunkHeader) + ZSTD_compressBound(MaxChunk);
  // Aligned for zstd: the buffers are whole pages.
  auto *P = static_cast<unsigned char *>(
      mapPages(ContextSize + 2 * MaxChunk + PackedSize));
  if (!P)
    return false;
  Filling = P;
  Spare = P + MaxChunk;
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

} // namespace

namespace torchtidy::record {

/// What needs the writer's insides, under its lock.
struct WriterParts {
  static WriterLock::State &state() { return WriterLock::Writer; }

  static void startChunk() {
    auto &W = state();
    W.Enc.start(Filling);
    W.HandOver = Filling + ChunkTarget;
    W.Events = 0;
    W.LastThread = 0;
    W.Enc.tag(Kind::Clock);
    W.Enc.number(nanosecondsSinceStart());
  }

  /// With FileLock held as well.
  static Buffer takeFilled() {
    auto &W = state();
    Buffer Full = {Filling, static_cast<size_t>(W.Enc.position() - Filling),
                   W.Events};
    Filling = Spare;
    Spare = Full.Data;
    startChunk();
    LastFlush = now(CLOCK_MONOTONIC_COARSE);
    return Full;
  }

  static void die() {
    Dead = true;
    state().Open = false;
  }
};

} // namespace torchtidy::record

bool WriterLock::begin() {
  if (Begun || Dead)
    return false;
  FileHeader H = {};
  std::memcpy(H.Magic, FileMagic, sizeof(H.Magic));
  H.Version = FormatVersion;
  Guard G(FileLock);
  if (!Prefix[0] || !allocate() || !File.create(Prefix, getpid()) ||
      !File.append(&H, sizeof(H))) {
    WriterParts::die();
    return false;
  }
  Begun = true;
  Writer.Open = true;
  Start = now(CLOCK_MONOTONIC);
  LastFlush = now(CLOCK_MONOTONIC_COARSE);
  WriterParts::startChunk();
  Beginning = true;
  writePrologue();
  Beginning = false;
  return Writer.Open;
}

void WriterLock::handOver() {
  if (!Writer.Open) {
    Writer.Access.unlock();
    return;
  }
  int Error = errno; // the program's
  writeHooks(false);
  // In this order, so that chunks are written in the order they were filled.
  FileLock.lock();
  Buffer Full = WriterParts::takeFilled();
  Writer.Access.unlock();
  bool Written = writeChunk(Full);
  FileLock.unlock();
  if (!Written) {
    Guard G(Writer.Access);
    WriterParts::die();
  }
  errno = Error;
}

void WriterLock::mark() {
  uint64_t Now = now(CLOCK_MONOTONIC_COARSE), Since = Now - LastFlush;
  Due |= Since > FlushInterval || Since > (Now - Start) / FlushShare;
}

Encoder &torchtidy::record::openRecord(size_t Text) {
  auto &W = WriterLock::Writer;
  if (!W.Open || W.Enc.position() + MaxRecord + Text <= Filling + MaxChunk)
    return W.Enc;
  // Tables are written in one go and may be longer than any chunk; those that a
  // log begins with, under FileLock already.
  if (!Beginning)
    FileLock.lock();
  bool Written = writeChunk(WriterParts::takeFilled());
  if (!Beginning)
    FileLock.unlock();
  if (!Written)
    WriterParts::die();
  return W.Enc;
}

void torchtidy::record::setLogPrefix(const char *P) {
  std::strncpy(Prefix, P, sizeof(Prefix) - 1);
}

uint64_t torchtidy::record::nanosecondsSinceStart() {
  return now(CLOCK_MONOTONIC) - Start;
}

bool torchtidy::record::logBegun() { return Begun; }

void torchtidy::record::putText(Encoder &E, const char *Text, size_t Size) {
  E.text(Text, Size < MaxText ? Size : MaxText);
}

void torchtidy::record::putText(Encoder &E, const char *Text) {
  putText(E, Text, std::strlen(Text));
}

void torchtidy::record::lockForFork() {
  WriterParts::state().Access.lock();
  FileLock.lock();
}

void torchtidy::record::unlockAfterFork(bool InChild) {
  if (InChild) {
    // Only this thread lives here, and it holds both.
    File.forget();
    Begun = false;
    Dead = false;
    WriterParts::state().Open = false;
    FileLock.forgetSleepers();
    WriterParts::state().Access.forgetSleepers();
  }
  FileLock.unlock();
  WriterParts::state().Access.unlock();
}
