//===- Timeline.cpp - Virtual time, streams and events --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

using namespace fakecuda;
using namespace fakecuda::abi;

void Timeline::reset(int NewDevices) {
  Devices = NewDevices;
  Streams.clear();
  Events.clear();
  Defaults = {};
  RetiredTails = {};
  RetiredSeen = {};
  Host = {};
  Now = Stall = EventDelay = 0;
  Captures = 0;
  NextClock = 0;
  for (int D = 0; D < Devices; ++D) {
    Defaults[D].Device = D;
    Defaults[D].Clock = NextClock++;
  }
}

template <typename F> void Timeline::forEachStream(F Function) {
  for (int D = 0; D < Devices; ++D)
    Function(Defaults[D]);
  Streams.forEach(Function);
}

void *Timeline::addStream(int Device) {
  Stream S;
  S.Device = Device;
  S.Clock = NextClock++;
  return Streams.add(std::move(S));
}

void Timeline::removeStream(void *Handle) {
  Stream &S = *Streams.get(Handle);
  endCapture(S);
  RetiredTails[S.Device] = std::max(RetiredTails[S.Device], S.Tail);
  RetiredSeen[S.Device].merge(S.Seen);
  Streams.remove(Handle);
}

Stream *Timeline::stream(void *Handle, int Device) {
  if (reinterpret_cast<uintptr_t>(Handle) <= StreamPerThread)
    return &Defaults[Device];
  return Streams.get(Handle);
}

void *Timeline::addEvent(int Device, bool Timing) {
  Event E;
  E.Device = Device;
  E.Timing = Timing;
  return Events.add(std::move(E));
}

Epoch Timeline::submit(Stream &S, uint64_t Ns) {
  S.Seen.merge(Host);
  S.Tail = std::max(S.Tail, Now) + Ns;
  return S.Seen.tick(S.Clock);
}

Outcome Timeline::record(Event &E, Stream &S) {
  if (E.Device != S.Device)
    return {InvalidHandle, "event and stream are of different devices"};
  if (S.CaptureStatus == CaptureInvalidated)
    return {StreamCaptureInvalidated, "the capture was spoilt before"};
  E.Recorded = true;
  E.KnownDone = false;
  E.Capture = S.Capture;
  E.Time = std::max(S.Tail, Now) + EventDelay;
  E.Seen = S.Seen;
  return {};
}

Outcome Timeline::wait(Stream &S, const Event &E) {
  if (S.CaptureStatus == CaptureInvalidated)
    return {StreamCaptureInvalidated, "the capture was spoilt before"};
  if (!E.Recorded)
    return {};
  if (E.Capture) {
    bool UnderWay = false;
    forEachStream(
        [&](Stream &Other) { UnderWay |= Other.Capture == E.Capture; });
    if (!UnderWay)
      return invalid("an event of a capture that has ended");
    // The stream joins the capture.
    if (!S.Capture) {
      ++Captures;
      S.Capture = E.Capture;
      S.CaptureStatus = CaptureActive;
    }
    return {};
  }
  if (S.Capture)
    return spoilCaptures(StreamCaptureIsolation,
                         "a stream under capture waits for work outside");
  S.Tail = std::max(S.Tail, E.Time);
  S.Seen.merge(E.Seen);
  return {};
}

void Timeline::awaitUntil(uint64_t Time) {
  if (Time <= Now)
    return;
  Stall += Time - Now;
  Now = Time;
}

Outcome Timeline::refuseUnsafe(bool UnsafeAllowed) {
  if (!Captures || UnsafeAllowed)
    return {};
  return spoilCaptures(StreamCaptureUnsupported,
                       "not allowed while a stream is under capture");
}

Outcome Timeline::query(Event &E, bool UnsafeAllowed) {
  if (E.Capture)
    return spoilCaptures(CapturedEvent, "the event belongs to a capture");
  if (Outcome O = refuseUnsafe(UnsafeAllowed); O.Error)
    return O;
  if (!E.Recorded || E.KnownDone)
    return {};
  if (E.Time > Now)
    return {NotReady, "the event is not complete"};
  Host.merge(E.Seen);
  E.KnownDone = true;
  return {};
}

Outcome Timeline::synchronize(Event &E, bool UnsafeAllowed) {
  if (E.Capture)
    return spoilCaptures(CapturedEvent, "the event belongs to a capture");
  if (Outcome O = refuseUnsafe(UnsafeAllowed); O.Error)
    return O;
  if (E.Recorded)
    awaitUntil(E.Time);
  return query(E, true);
}

Outcome Timeline::query(Stream &S, bool UnsafeAllowed) {
  if (Outcome O = refuseUnsafe(UnsafeAllowed && !S.Capture); O.Error)
    return O;
  if (S.Tail > Now)
    return {NotReady, "the stream has work to do"};
  Host.merge(S.Seen);
  return {};
}

Outcome Timeline::synchronize(Stream &S, bool UnsafeAllowed) {
  if (Outcome O = refuseUnsafe(UnsafeAllowed && !S.Capture); O.Error)
    return O;
  awaitUntil(S.Tail);
  Host.merge(S.Seen);
  return {};
}

Outcome Timeline::synchronize(int Device, bool UnsafeAllowed) {
  bool Captured = false;
  forEachStream(
      [&](Stream &S) { Captured |= S.Device == Device && S.Capture; });
  if (Outcome O = refuseUnsafe(UnsafeAllowed && !Captured); O.Error)
    return O;
  awaitDevice(Device);
  return {};
}

void Timeline::awaitDevice(int Device) {
  uint64_t Tail = RetiredTails[Device];
  Host.merge(RetiredSeen[Device]);
  forEachStream([&](Stream &S) {
    if (S.Device != Device)
      return;
    Tail = std::max(Tail, S.Tail);
    Host.merge(S.Seen);
  });
  awaitUntil(Tail);
}

Outcome Timeline::elapsed(const Event &Begin, const Event &End,
                          float &Milliseconds) {
  if (!Begin.Timing || !End.Timing || !Begin.Recorded || !End.Recorded)
    return {InvalidHandle, "an event without timing, or not recorded"};
  if (Begin.Capture || End.Capture)
    return {CapturedEvent, "an event of a capture"};
  if (Begin.Device != End.Device)
    return {InvalidHandle, "events of different devices"};
  if (std::max(Begin.Time, End.Time) > Now)
    return {NotReady, "an event is not complete"};
  Milliseconds = (double(End.Time) - double(Begin.Time)) / 1e6;
  return {};
}

void Timeline::setCapturing(Stream &S, bool On) {
  if (!On)
    return endCapture(S);
  if (S.Capture)
    return;
  ++Captures;
  S.Capture = NextCapture++;
  S.CaptureStatus = CaptureActive;
}

/// All streams that joined the capture of \p S leave it.
void Timeline::endCapture(Stream &S) {
  uint64_t Ended = S.Capture;
  if (!Ended)
    return;
  forEachStream([&](Stream &Other) {
    if (Other.Capture != Ended)
      return;
    --Captures;
    Other.Capture = 0;
    Other.CaptureStatus = CaptureNone;
  });
}

Outcome Timeline::spoilCaptures(int Error, const char *Why) {
  forEachStream([](Stream &S) {
    if (S.Capture)
      S.CaptureStatus = CaptureInvalidated;
  });
  return {Error, Why};
}
