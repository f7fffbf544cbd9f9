//===- RuntimeStream.cpp - Streams and events of the runtime --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaRuntime.h"
#include "StreamCalls.h"

using namespace fakecuda;
using namespace fakecuda::abi;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Made, unsigned Flags) {
  Call C(Entry::cudaStreamCreateWithFlags);
  return createStream(C, Made, Flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Made, unsigned Flags,
                                         int) {
  Call C(Entry::cudaStreamCreateWithPriority);
  return createStream(C, Made, Flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t Handle) {
  Call C(Entry::cudaStreamDestroy);
  return destroyStream(C, Handle);
}

cudaError_t cudaStreamQuery(cudaStream_t Handle) {
  Call C(Entry::cudaStreamQuery);
  return queryStream(C, Handle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t Handle) {
  Call C(Entry::cudaStreamSynchronize);
  return synchronizeStream(C, Handle);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Handle, cudaEvent_t Event,
                                unsigned) {
  Call C(Entry::cudaStreamWaitEvent);
  return waitEvent(C, Handle, Event);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Handle, int *Status) {
  Call C(Entry::cudaStreamIsCapturing);
  return captureInfo(C, Handle, Status, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle, int *Status,
                                     unsigned long long *Id, cudaGraph_t *Graph,
                                     const cudaGraphNode_t **Dependencies,
                                     const void **Edges, size_t *Count) {
  Call C(Entry::cudaStreamGetCaptureInfo);
  noGraph(Graph, Dependencies, Edges, Count);
  uint64_t Number = 0;
  int E = captureInfo(C, Handle, Status, &Number);
  if (!E && Id)
    *Id = Number;
  return E;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Made, unsigned Flags) {
  Call C(Entry::cudaEventCreateWithFlags);
  return createEvent(C, Made, Flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t Handle) {
  Call C(Entry::cudaEventDestroy);
  return destroyEvent(C, Handle);
}

cudaError_t cudaEventRecord(cudaEvent_t Handle, cudaStream_t Stream) {
  Call C(Entry::cudaEventRecord);
  return recordEvent(C, Handle, Stream);
}

cudaError_t cudaEventQuery(cudaEvent_t Handle) {
  Call C(Entry::cudaEventQuery);
  return queryEvent(C, Handle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t Handle) {
  Call C(Entry::cudaEventSynchronize);
  return synchronizeEvent(C, Handle);
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Begin,
                                 cudaEvent_t End) {
  Call C(Entry::cudaEventElapsedTime);
  return elapsedTime(C, Milliseconds, Begin, End);
}
