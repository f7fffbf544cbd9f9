//===- CudaRuntime.h - Functions of the runtime -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the fake libcudart.so.13 exports. Not to be included beside the real
/// cuda_runtime_api.h, whose types differ by name.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_CUDARUNTIME_H
#define FAKECUDA_CUDARUNTIME_H

#include "CudaAbi.h"

using cudaError_t = int;
using cudaStream_t = void *;
using cudaEvent_t = void *;
using cudaMemPool_t = void *;
using cudaGraph_t = void *;
using cudaGraphNode_t = void *;

extern "C" {
const char *cudaGetErrorName(cudaError_t Error);
const char *cudaGetErrorString(cudaError_t Error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDriverGetVersion(int *Version);
cudaError_t cudaRuntimeGetVersion(int *Version);
cudaError_t cudaGetDriverEntryPointByVersion(const char *Symbol,
                                             void **Function, unsigned Version,
                                             unsigned long long Flags,
                                             int *Status);
cudaError_t cudaThreadExchangeStreamCaptureMode(int *Mode);

cudaError_t cudaGetDeviceCount(int *Count);
cudaError_t cudaGetDevice(int *Device);
cudaError_t cudaSetDevice(int Device);
cudaError_t cudaGetDeviceProperties(fakecuda::abi::DeviceProp *Prop,
                                    int Device);
cudaError_t cudaDeviceGetAttribute(int *Value, int Attribute, int Device);
cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer);
cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest);
cudaError_t cudaDeviceSynchronize();

cudaError_t cudaMalloc(void **Address, size_t Bytes);
cudaError_t cudaFree(void *Address);
cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total);
cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes, int Kind);
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes, int Kind,
                            cudaStream_t Stream);
cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t Bytes,
                                cudaStream_t Stream);
cudaError_t cudaMallocAsync(void **Address, size_t Bytes, cudaStream_t Stream);
cudaError_t cudaFreeAsync(void *Address, cudaStream_t Stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Pool, int Attribute,
                                    void *Value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Pool, int Attribute,
                                    void *Value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool,
                                 const fakecuda::abi::MemAccessDesc *Desc,
                                 size_t Count);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t Keep);
cudaError_t cudaIpcGetMemHandle(fakecuda::abi::IpcMemHandle *Handle,
                                void *Address);
cudaError_t cudaIpcOpenMemHandle(void **Address,
                                 fakecuda::abi::IpcMemHandle Handle,
                                 unsigned Flags);
cudaError_t cudaIpcCloseMemHandle(void *Address);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Node,
                                         cudaGraphNode_t *Dependencies,
                                         void *Edges, size_t *Count);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Stream, unsigned Flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Stream, unsigned Flags,
                                         int Priority);
cudaError_t cudaStreamDestroy(cudaStream_t Stream);
cudaError_t cudaStreamQuery(cudaStream_t Stream);
cudaError_t cudaStreamSynchronize(cudaStream_t Stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t Stream, cudaEvent_t Event,
                                unsigned Flags);
cudaError_t cudaStreamIsCapturing(cudaStream_t Stream, int *Status);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Stream, int *Status,
                                     unsigned long long *Id, cudaGraph_t *Graph,
                                     const cudaGraphNode_t **Dependencies,
                                     const void **Edges, size_t *Count);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Event, unsigned Flags);
cudaError_t cudaEventDestroy(cudaEvent_t Event);
cudaError_t cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream);
cudaError_t cudaEventQuery(cudaEvent_t Event);
cudaError_t cudaEventSynchronize(cudaEvent_t Event);
cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Begin,
                                 cudaEvent_t End);
}

#endif // FAKECUDA_CUDARUNTIME_H
