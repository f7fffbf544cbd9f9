//===- DriverMemory.cpp - Plain memory of the driver ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaDriver.h"

using namespace fakecuda;
using namespace fakecuda::abi;

CUresult cuMemGetInfo_v2(size_t *Free, size_t *Total) {
  Call C(Entry::cuMemGetInfo);
  if (int E = C.error())
    return E;
  if (!Free || !Total)
    return C.fail(InvalidValue, "null argument");
  C.machine().memoryInfo(C.device(), Free, Total);
  return Success;
}

CUresult cuMemAlloc_v2(CUdeviceptr *Address, size_t Bytes) {
  Call C(Entry::cuMemAlloc);
  if (int E = C.error())
    return E;
  if (!Address || !Bytes)
    return C.fail(InvalidValue, "null argument or no bytes");
  uint64_t Found = 0;
  if (int E = C.done(C.machine().allocate(C.device(), Bytes, Found)))
    return E;
  C.charge(1, Bytes);
  *Address = Found;
  return Success;
}

CUresult cuMemFree_v2(CUdeviceptr Address) {
  Call C(Entry::cuMemFree);
  if (int E = C.error())
    return E;
  return C.done(C.machine().free(Address));
}

CUresult cuMemsetD32Async(CUdeviceptr Address, unsigned, size_t Count,
                          CUstream Handle) {
  Call C(Entry::cuMemsetD32Async);
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  if (Address % 4)
    return C.fail(InvalidValue, "the address is not aligned to 4 bytes");
  FakeCudaRange R = {Address, Count * 4, 1};
  return C.done(C.machine().launch(S->Device, *S, 0, &R, Count ? 1 : 0));
}

CUresult cuStreamWriteValue32_v2(CUstream Handle, CUdeviceptr Address, uint32_t,
                                 unsigned) {
  Call C(Entry::cuStreamWriteValue32);
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  if (Address % 4)
    return C.fail(InvalidValue, "the address is not aligned to 4 bytes");
  FakeCudaRange R = {Address, 4, 1};
  return C.done(C.machine().launch(S->Device, *S, 0, &R, 1));
}
