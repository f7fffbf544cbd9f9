//===- StreamCalls.cpp - What both libraries do with streams --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamCalls.h"

using namespace fakecuda;
using namespace fakecuda::abi;

int fakecuda::createStream(Call &C, void **Made, unsigned Flags) {
  if (int E = C.error())
    return E;
  if (!Made || Flags > StreamNonBlocking)
    return C.fail(InvalidValue, "null argument or no such flag");
  *Made = C.machine().Time.addStream(C.device());
  return Success;
}

int fakecuda::destroyStream(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Stream *S;
  if (reinterpret_cast<uintptr_t>(Handle) <= StreamPerThread ||
      !C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream, or a default one");
  C.machine().Time.removeStream(Handle);
  return Success;
}

int fakecuda::queryStream(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  return C.done(C.machine().Time.query(*S, C.unsafeAllowed()));
}

int fakecuda::synchronizeStream(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  return C.done(C.machine().Time.synchronize(*S, C.unsafeAllowed()));
}

int fakecuda::waitEvent(Call &C, void *Handle, void *EventHandle) {
  if (int E = C.error())
    return E;
  Stream *S;
  Event *Awaited;
  if (!C.findStream(Handle, S) || !C.findEvent(EventHandle, Awaited))
    return C.fail(InvalidHandle, "no such stream or event");
  return C.done(C.machine().Time.wait(*S, *Awaited));
}

int fakecuda::captureInfo(Call &C, void *Handle, int *Status, uint64_t *Id) {
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  if (!Status)
    return C.fail(InvalidValue, "null argument");
  *Status = S->CaptureStatus;
  if (Id)
    *Id = S->Capture;
  return Success;
}

int fakecuda::exchangeCaptureMode(Call &C, int *Mode) {
  if (int E = C.error())
    return E;
  if (!Mode || *Mode < CaptureGlobal || *Mode > CaptureRelaxed)
    return C.fail(InvalidValue, "null argument or no such mode");
  std::swap(C.thread().CaptureMode, *Mode);
  return Success;
}

int fakecuda::createEvent(Call &C, void **Made, unsigned Flags) {
  if (int E = C.error())
    return E;
  unsigned Known = EventBlockingSync | EventDisableTiming | EventInterprocess;
  if (!Made || (Flags & ~Known))
    return C.fail(InvalidValue, "null argument or no such flag");
  if ((Flags & EventInterprocess) && !(Flags & EventDisableTiming))
    return C.fail(InvalidValue, "events between processes have no timing");
  *Made = C.machine().Time.addEvent(C.device(), !(Flags & EventDisableTiming));
  return Success;
}

int fakecuda::destroyEvent(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Event *Found;
  if (!C.findEvent(Handle, Found))
    return C.fail(InvalidHandle, "no such event");
  C.machine().Time.removeEvent(Handle);
  return Success;
}

int fakecuda::recordEvent(Call &C, void *Handle, void *StreamHandle) {
  if (int E = C.error())
    return E;
  Event *Found;
  Stream *S;
  if (!C.findEvent(Handle, Found) || !C.findStream(StreamHandle, S))
    return C.fail(InvalidHandle, "no such event or stream");
  return C.done(C.machine().Time.record(*Found, *S));
}

int fakecuda::queryEvent(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Event *Found;
  if (!C.findEvent(Handle, Found))
    return C.fail(InvalidHandle, "no such event");
  return C.done(C.machine().Time.query(*Found, C.unsafeAllowed()));
}

int fakecuda::synchronizeEvent(Call &C, void *Handle) {
  if (int E = C.error())
    return E;
  Event *Found;
  if (!C.findEvent(Handle, Found))
    return C.fail(InvalidHandle, "no such event");
  return C.done(C.machine().Time.synchronize(*Found, C.unsafeAllowed()));
}

int fakecuda::elapsedTime(Call &C, float *Milliseconds, void *Begin,
                          void *End) {
  if (int E = C.error())
    return E;
  Event *First, *Last;
  if (!C.findEvent(Begin, First) || !C.findEvent(End, Last))
    return C.fail(InvalidHandle, "no such event");
  if (!Milliseconds)
    return C.fail(InvalidValue, "null argument");
  return C.done(C.machine().Time.elapsed(*First, *Last, *Milliseconds));
}

void fakecuda::noGraph(void **Graph, void *const **Dependencies,
                       const void **Edges, size_t *Count) {
  if (Graph)
    *Graph = nullptr;
  if (Dependencies)
    *Dependencies = nullptr;
  if (Edges)
    *Edges = nullptr;
  if (Count)
    *Count = 0;
}
