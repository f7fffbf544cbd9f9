//===- Writer.h - Writes the log of this process ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One log per process, begun with its first event. Records are encoded into a
/// buffer under a lock; a full buffer is compressed and written by the thread
/// that filled it while others go on in a second one. What has been flushed
/// survives any death of the process.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_WRITER_H
#define TORCHTIDY_RUNTIME_RECORD_WRITER_H

#include "Lock.h"
#include "Trace/Format.h"
#include <cstddef>
#include <cstdint>

namespace torchtidy::record {

/// Where the log goes: "<Prefix>.<pid>". Must come before the first event.
void setLogPrefix(const char *Prefix);

/// Holds the right to write records. Nothing may be called under it that takes
/// the loader's lock (dlsym, dlopen): constructors run under that one.
class WriterLock {
public:
  WriterLock() { Writer.Access.lock(); }
  /// Lets others go on; compresses and writes if the buffer is full or a flush
  /// is due.
  ~WriterLock() {
    if (Due || Writer.Enc.position() >= Writer.HandOver)
      handOver();
    else
      Writer.Access.unlock();
  }
  WriterLock(const WriterLock &) = delete;
  WriterLock &operator=(const WriterLock &) = delete;

  /// False if there is no log to write to: the disk is full.
  bool ready() { return Writer.Open || begin(); }
  /// Begins an event of \p Thread; its fields follow.
  trace::Encoder &event(unsigned Thread, trace::Kind K, unsigned Flags = 0) {
    if (Thread != Writer.LastThread) {
      Writer.Enc.tag(trace::Kind::Thread);
      Writer.Enc.number(Thread);
      Writer.LastThread = Thread;
    }
    if (++Writer.Events % EventsPerLook == 0)
      mark();
    Writer.Enc.tag(K, Flags);
    return Writer.Enc;
  }
  /// The event is a mark: a flush follows if the last one is some time ago.
  void mark();
  /// Flushes when the lock is released.
  void flush() { Due = true; }

  struct State {
    Lock Access;
    bool Open; ///< begun, and not out of disk space
    uint32_t Events, LastThread;
    trace::Encoder Enc;
    /// From here on the buffer is handed on: there is always room for what one
    /// lock writes.
    unsigned char *HandOver;
  };

private:
  /// Programs without marks are looked at now and then.
  static constexpr uint32_t EventsPerLook = 512;
  static bool begin();
  void handOver();

  static State Writer;
  bool Due = false;
  friend trace::Encoder &openRecord(size_t Text);
  friend struct WriterParts;
};

/// Under the lock: room for one record with \p Text bytes of text.
trace::Encoder &openRecord(size_t Text = 0);
/// Under the lock: text cut to what a record may hold.
void putText(trace::Encoder &E, const char *Text, size_t Size);
void putText(trace::Encoder &E, const char *Text);
/// Under the lock: has this process a log already?
bool logBegun();
uint64_t nanosecondsSinceStart();

/// For fork: both locks are held over it, and the child begins anew.
void lockForFork();
void unlockAfterFork(bool InChild);

/// What a new log begins with; called under the lock. In Process.cpp.
void writePrologue();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_WRITER_H
