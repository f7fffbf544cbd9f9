//===- DriverStream.cpp - Streams and events of the driver ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaDriver.h"
#include "StreamCalls.h"

using namespace fakecuda;
using namespace fakecuda::abi;

CUresult cuStreamCreate(CUstream *Made, unsigned Flags) {
  Call C(Entry::cuStreamCreate);
  return createStream(C, Made, Flags);
}

CUresult cuStreamCreateWithPriority(CUstream *Made, unsigned Flags, int) {
  Call C(Entry::cuStreamCreateWithPriority);
  return createStream(C, Made, Flags);
}

CUresult cuStreamDestroy_v2(CUstream Handle) {
  Call C(Entry::cuStreamDestroy);
  return destroyStream(C, Handle);
}

CUresult cuStreamQuery(CUstream Handle) {
  Call C(Entry::cuStreamQuery);
  return queryStream(C, Handle);
}

CUresult cuStreamSynchronize(CUstream Handle) {
  Call C(Entry::cuStreamSynchronize);
  return synchronizeStream(C, Handle);
}

CUresult cuStreamWaitEvent(CUstream Handle, CUevent Event, unsigned) {
  Call C(Entry::cuStreamWaitEvent);
  return waitEvent(C, Handle, Event);
}

CUresult cuStreamIsCapturing(CUstream Handle, int *Status) {
  Call C(Entry::cuStreamIsCapturing);
  return captureInfo(C, Handle, Status, nullptr);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream Handle, int *Status, uint64_t *Id,
                                   CUgraph *Graph,
                                   const CUgraphNode **Dependencies,
                                   const void **Edges, size_t *Count) {
  Call C(Entry::cuStreamGetCaptureInfo);
  noGraph(Graph, Dependencies, Edges, Count);
  return captureInfo(C, Handle, Status, Id);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream Handle, int *Status, uint64_t *Id,
                                   CUgraph *Graph,
                                   const CUgraphNode **Dependencies,
                                   size_t *Count) {
  Call C(Entry::cuStreamGetCaptureInfo);
  noGraph(Graph, Dependencies, nullptr, Count);
  return captureInfo(C, Handle, Status, Id);
}

CUresult cuThreadExchangeStreamCaptureMode(int *Mode) {
  Call C(Entry::cuThreadExchangeStreamCaptureMode);
  return exchangeCaptureMode(C, Mode);
}

CUresult cuEventCreate(CUevent *Made, unsigned Flags) {
  Call C(Entry::cuEventCreate);
  return createEvent(C, Made, Flags);
}

CUresult cuEventDestroy_v2(CUevent Handle) {
  Call C(Entry::cuEventDestroy);
  return destroyEvent(C, Handle);
}

CUresult cuEventRecord(CUevent Handle, CUstream Stream) {
  Call C(Entry::cuEventRecord);
  return recordEvent(C, Handle, Stream);
}

CUresult cuEventQuery(CUevent Handle) {
  Call C(Entry::cuEventQuery);
  return queryEvent(C, Handle);
}

CUresult cuEventSynchronize(CUevent Handle) {
  Call C(Entry::cuEventSynchronize);
  return synchronizeEvent(C, Handle);
}

CUresult cuEventElapsedTime_v2(float *Milliseconds, CUevent Begin,
                               CUevent End) {
  Call C(Entry::cuEventElapsedTime);
  return elapsedTime(C, Milliseconds, Begin, End);
}
