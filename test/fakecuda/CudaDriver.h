//===- CudaDriver.h - Functions of the driver -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the fake libcuda.so.1 exports of CUDA's driver interface. Not to be
/// included beside the real cuda.h, whose types differ by name.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_CUDADRIVER_H
#define FAKECUDA_CUDADRIVER_H

#include "CudaAbi.h"

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;
using CUcontext = void *;
using CUstream = void *;
using CUevent = void *;
using CUgraph = void *;
using CUgraphNode = void *;

extern "C" {
CUresult cuInit(unsigned Flags);
CUresult cuDriverGetVersion(int *Version);
CUresult cuGetErrorName(CUresult Error, const char **Name);
CUresult cuGetErrorString(CUresult Error, const char **Text);
CUresult cuGetProcAddress_v2(const char *Symbol, void **Function, int Version,
                             uint64_t Flags, int *Status);

CUresult cuDeviceGet(CUdevice *Device, int Ordinal);
CUresult cuDeviceGetCount(int *Count);
CUresult cuDeviceGetName(char *Name, int Length, CUdevice Device);
CUresult cuDeviceGetAttribute(int *Value, int Attribute, CUdevice Device);
CUresult cuDeviceTotalMem_v2(size_t *Bytes, CUdevice Device);
CUresult cuDeviceCanAccessPeer(int *Can, CUdevice Device, CUdevice Peer);
CUresult cuDevicePrimaryCtxRetain(CUcontext *Context, CUdevice Device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice Device);
CUresult cuDevicePrimaryCtxGetState(CUdevice Device, unsigned *Flags,
                                    int *Active);
CUresult cuCtxGetCurrent(CUcontext *Context);
CUresult cuCtxSetCurrent(CUcontext Context);
CUresult cuCtxPushCurrent_v2(CUcontext Context);
CUresult cuCtxPopCurrent_v2(CUcontext *Context);
CUresult cuCtxGetDevice(CUdevice *Device);
CUresult cuCtxSynchronize();
CUresult cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags);

CUresult cuMemGetInfo_v2(size_t *Free, size_t *Total);
CUresult cuMemAlloc_v2(CUdeviceptr *Address, size_t Bytes);
CUresult cuMemFree_v2(CUdeviceptr Address);
CUresult
cuMemGetAllocationGranularity(size_t *Granularity,
                              const fakecuda::abi::MemAllocationProp *Prop,
                              int Option);
CUresult cuMemAddressReserve(CUdeviceptr *Address, size_t Size, size_t Align,
                             CUdeviceptr Hint, unsigned long long Flags);
CUresult cuMemAddressFree(CUdeviceptr Address, size_t Size);
CUresult cuMemCreate(CUmemGenericAllocationHandle *Handle, size_t Size,
                     const fakecuda::abi::MemAllocationProp *Prop,
                     unsigned long long Flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle Handle);
CUresult cuMemMap(CUdeviceptr Address, size_t Size, size_t Offset,
                  CUmemGenericAllocationHandle Handle,
                  unsigned long long Flags);
CUresult cuMemUnmap(CUdeviceptr Address, size_t Size);
CUresult cuMemSetAccess(CUdeviceptr Address, size_t Size,
                        const fakecuda::abi::MemAccessDesc *Desc, size_t Count);
CUresult cuMemGetAccess(unsigned long long *Flags,
                        const fakecuda::abi::MemLocation *Location,
                        CUdeviceptr Address);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *Handle,
                                     void *Address);
CUresult
cuMemGetAllocationPropertiesFromHandle(fakecuda::abi::MemAllocationProp *Prop,
                                       CUmemGenericAllocationHandle Handle);
CUresult cuMemExportToShareableHandle(void *Shareable,
                                      CUmemGenericAllocationHandle Handle,
                                      int Type, unsigned long long Flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *Handle,
                                        void *Shareable, int Type);
CUresult cuMemsetD32Async(CUdeviceptr Address, unsigned Value, size_t Count,
                          CUstream Stream);

CUresult cuStreamCreate(CUstream *Stream, unsigned Flags);
CUresult cuStreamCreateWithPriority(CUstream *Stream, unsigned Flags,
                                    int Priority);
CUresult cuStreamDestroy_v2(CUstream Stream);
CUresult cuStreamQuery(CUstream Stream);
CUresult cuStreamSynchronize(CUstream Stream);
CUresult cuStreamWaitEvent(CUstream Stream, CUevent Event, unsigned Flags);
CUresult cuStreamWriteValue32_v2(CUstream Stream, CUdeviceptr Address,
                                 uint32_t Value, unsigned Flags);
CUresult cuStreamIsCapturing(CUstream Stream, int *Status);
CUresult cuStreamGetCaptureInfo_v2(CUstream Stream, int *Status, uint64_t *Id,
                                   CUgraph *Graph,
                                   const CUgraphNode **Dependencies,
                                   size_t *Count);
CUresult cuStreamGetCaptureInfo_v3(CUstream Stream, int *Status, uint64_t *Id,
                                   CUgraph *Graph,
                                   const CUgraphNode **Dependencies,
                                   const void **Edges, size_t *Count);
CUresult cuThreadExchangeStreamCaptureMode(int *Mode);
CUresult cuEventCreate(CUevent *Event, unsigned Flags);
CUresult cuEventDestroy_v2(CUevent Event);
CUresult cuEventRecord(CUevent Event, CUstream Stream);
CUresult cuEventQuery(CUevent Event);
CUresult cuEventSynchronize(CUevent Event);
CUresult cuEventElapsedTime_v2(float *Milliseconds, CUevent Begin, CUevent End);
}

#endif // FAKECUDA_CUDADRIVER_H
