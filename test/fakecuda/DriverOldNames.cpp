//===- DriverOldNames.cpp - Functions under their first names -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs that look functions up by dlsym may use the names of before _v2,
// where only the name changed. (cuMemAlloc and its like had other types.)

#include "CudaDriver.h"

extern "C" {
CUresult cuStreamDestroy(CUstream Stream) { return cuStreamDestroy_v2(Stream); }
CUresult cuEventDestroy(CUevent Event) { return cuEventDestroy_v2(Event); }
CUresult cuEventElapsedTime(float *Milliseconds, CUevent Begin, CUevent End) {
  return cuEventElapsedTime_v2(Milliseconds, Begin, End);
}
CUresult cuCtxPushCurrent(CUcontext Context) {
  return cuCtxPushCurrent_v2(Context);
}
CUresult cuCtxPopCurrent(CUcontext *Context) {
  return cuCtxPopCurrent_v2(Context);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice Device) {
  return cuDevicePrimaryCtxRelease_v2(Device);
}
CUresult cuStreamWriteValue32(CUstream Stream, CUdeviceptr Address,
                              uint32_t Value, unsigned Flags) {
  return cuStreamWriteValue32_v2(Stream, Address, Value, Flags);
}
}
