//===- Timeline.h - Virtual time, streams and events ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When work on the devices begins and ends, and what the host knows of it. The
/// host's time only moves by what calls cost, by advance() and by waiting.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_TIMELINE_H
#define FAKECUDA_TIMELINE_H

#include "HandleTable.h"
#include "Outcome.h"
#include "VectorClock.h"
#include <array>

namespace fakecuda {

struct Stream {
  int Device = 0;
  uint32_t Clock = 0;   // its index in vector clocks
  uint64_t Tail = 0;    // end of its last work
  VectorClock Seen;     // what is done once that work is done
  uint64_t Capture = 0; // 0: not under capture
  int CaptureStatus = abi::CaptureNone;
};

struct Event {
  int Device = 0;
  bool Timing = true, Recorded = false, KnownDone = false;
  uint64_t Time = 0; // of completion
  VectorClock Seen;
  uint64_t Capture = 0; // recorded in that capture
};

class Timeline {
public:
  Timeline() : Streams(0x5e), Events(0x5f) {}
  void reset(int Devices);

  uint64_t now() const { return Now; }
  void advance(uint64_t Ns) { Now += Ns; }
  uint64_t stall() const { return Stall; }
  void resetStall() { Stall = 0; }
  void setEventDelay(uint64_t Ns) { EventDelay = Ns; }

  void *addStream(int Device);
  void removeStream(void *Handle);
  /// Null, 1 and 2 are the default stream of \p Device. Null: no such stream.
  Stream *stream(void *Handle, int Device);
  void *addEvent(int Device, bool Timing);
  void removeEvent(void *Handle) { Events.remove(Handle); }
  Event *event(void *Handle) { return Events.get(Handle); }

  /// A piece of work of \p Ns; its end is the stream's new tail.
  Epoch submit(Stream &S, uint64_t Ns);
  Outcome record(Event &E, Stream &S);
  Outcome wait(Stream &S, const Event &E);
  Outcome query(Event &E, bool UnsafeAllowed);
  Outcome query(Stream &S, bool UnsafeAllowed);
  Outcome synchronize(Event &E, bool UnsafeAllowed);
  Outcome synchronize(Stream &S, bool UnsafeAllowed);
  Outcome synchronize(int Device, bool UnsafeAllowed);
  /// As synchronize(), whatever is under capture.
  void awaitDevice(int Device);
  Outcome elapsed(const Event &Begin, const Event &End, float &Milliseconds);

  void setCapturing(Stream &S, bool On);
  bool capturing() const { return Captures != 0; }
  /// What was not allowed during a capture spoils all of them.
  Outcome spoilCaptures(int Error, const char *Why);

private:
  template <typename F> void forEachStream(F Function);
  void awaitUntil(uint64_t Time);
  void endCapture(Stream &S);
  Outcome refuseUnsafe(bool UnsafeAllowed);

  HandleTable<Stream> Streams;
  HandleTable<Event> Events;
  std::array<Stream, MaxDevices> Defaults;
  // What destroyed streams left behind.
  std::array<uint64_t, MaxDevices> RetiredTails;
  std::array<VectorClock, MaxDevices> RetiredSeen;
  VectorClock Host; // what the host knows to be done
  uint64_t Now = 0, Stall = 0, EventDelay = 0;
  uint32_t NextClock = 0;
  uint64_t NextCapture = 1;
  int Captures = 0, Devices = 0; // streams under capture
};

} // namespace fakecuda

#endif // FAKECUDA_TIMELINE_H
