//===- DriverDevice.cpp - Devices and contexts of the driver --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaDriver.h"
#include "DeviceFacts.h"
#include <cstdio>

using namespace fakecuda;
using namespace fakecuda::abi;

// What contexts point to: nothing but a place per device.
static char ContextPlaces[MaxDevices];

static CUcontext contextOf(int Device) {
  return Device < 0 ? nullptr : &ContextPlaces[Device];
}

/// The device of \p Context; -1: not a context.
static int deviceOf(Machine &M, CUcontext Context) {
  for (int D = 0; D < M.devices(); ++D)
    if (Context == &ContextPlaces[D])
      return D;
  return -1;
}

CUresult cuInit(unsigned Flags) {
  Call C(Entry::cuInit);
  if (int E = C.error())
    return E;
  if (Flags)
    return C.fail(InvalidValue, "flags must be 0");
  if (C.machine().devices() == 0)
    return C.fail(NoDevice, "there is no device");
  C.machine().Initialized = true;
  return Success;
}

CUresult cuDriverGetVersion(int *Version) {
  Call C(Entry::cuDriverGetVersion);
  if (int E = C.error())
    return E;
  if (!Version)
    return C.fail(InvalidValue, "null argument");
  *Version = facts::Version;
  return Success;
}

CUresult cuDeviceGetCount(int *Count) {
  Call C(Entry::cuDeviceGetCount);
  if (int E = C.error())
    return E;
  if (!Count)
    return C.fail(InvalidValue, "null argument");
  *Count = C.machine().devices();
  return Success;
}

CUresult cuDeviceGet(CUdevice *Device, int Ordinal) {
  Call C(Entry::cuDeviceGet);
  if (int E = C.error())
    return E;
  if (!Device)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Ordinal))
    return C.fail(InvalidDevice, "no such device");
  *Device = Ordinal;
  return Success;
}

CUresult cuDeviceGetName(char *Name, int Length, CUdevice Device) {
  Call C(Entry::cuDeviceGetName);
  if (int E = C.error())
    return E;
  if (!Name || Length <= 0)
    return C.fail(InvalidValue, "no room for the name");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  std::snprintf(Name, Length, "%s", facts::Name);
  return Success;
}

CUresult cuDeviceGetAttribute(int *Value, int Attribute, CUdevice Device) {
  Call C(Entry::cuDeviceGetAttribute);
  if (int E = C.error())
    return E;
  if (!Value)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  *Value = facts::attribute(Attribute, Device);
  return Success;
}

CUresult cuDeviceTotalMem_v2(size_t *Bytes, CUdevice Device) {
  Call C(Entry::cuDeviceTotalMem);
  if (int E = C.error())
    return E;
  if (!Bytes)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  *Bytes = C.machine().Mem.device(Device).Limit;
  return Success;
}

CUresult cuDeviceCanAccessPeer(int *Can, CUdevice Device, CUdevice Peer) {
  Call C(Entry::cuDeviceCanAccessPeer);
  if (int E = C.error())
    return E;
  Machine &M = C.machine();
  if (!Can)
    return C.fail(InvalidValue, "null argument");
  if (!M.isDevice(Device) || !M.isDevice(Peer))
    return C.fail(InvalidDevice, "no such device");
  *Can = Device != Peer && M.mayAccess(Device, Peer);
  return Success;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *Context, CUdevice Device) {
  Call C(Entry::cuDevicePrimaryCtxRetain);
  if (int E = C.error())
    return E;
  if (!Context)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  if (int E = C.done(C.machine().retainContext(Device)))
    return E;
  *Context = contextOf(Device);
  return Success;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice Device) {
  Call C(Entry::cuDevicePrimaryCtxRelease);
  if (int E = C.error())
    return E;
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  return C.done(C.machine().releaseContext(Device));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice Device, unsigned *Flags,
                                    int *Active) {
  Call C(Entry::cuDevicePrimaryCtxGetState);
  if (int E = C.error())
    return E;
  if (!Flags || !Active)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  *Flags = 0;
  *Active = C.machine().Devices[Device].ContextReferences != 0;
  return Success;
}

CUresult cuCtxGetCurrent(CUcontext *Context) {
  Call C(Entry::cuCtxGetCurrent);
  if (int E = C.error())
    return E;
  if (!Context)
    return C.fail(InvalidValue, "null argument");
  *Context = contextOf(C.device());
  return Success;
}

CUresult cuCtxSetCurrent(CUcontext Context) {
  Call C(Entry::cuCtxSetCurrent);
  if (int E = C.error())
    return E;
  auto &Stack = C.thread().Contexts;
  if (!Context) {
    if (!Stack.empty())
      Stack.pop_back();
    return Success;
  }
  int D = deviceOf(C.machine(), Context);
  if (D < 0)
    return C.fail(InvalidContext, "not a context");
  if (Stack.empty())
    Stack.push_back(D);
  else
    Stack.back() = D;
  return Success;
}

CUresult cuCtxPushCurrent_v2(CUcontext Context) {
  Call C(Entry::cuCtxPushCurrent);
  if (int E = C.error())
    return E;
  int D = deviceOf(C.machine(), Context);
  if (D < 0)
    return C.fail(InvalidContext, "not a context");
  C.thread().Contexts.push_back(D);
  return Success;
}

CUresult cuCtxPopCurrent_v2(CUcontext *Context) {
  Call C(Entry::cuCtxPopCurrent);
  if (int E = C.error())
    return E;
  auto &Stack = C.thread().Contexts;
  if (Stack.empty())
    return C.fail(InvalidContext, "no context is current");
  if (Context)
    *Context = contextOf(Stack.back());
  Stack.pop_back();
  return Success;
}

CUresult cuCtxGetDevice(CUdevice *Device) {
  Call C(Entry::cuCtxGetDevice);
  if (int E = C.error())
    return E;
  if (!Device)
    return C.fail(InvalidValue, "null argument");
  *Device = C.device();
  return Success;
}

CUresult cuCtxSynchronize() {
  Call C(Entry::cuCtxSynchronize);
  if (int E = C.error())
    return E;
  return C.done(C.machine().Time.synchronize(C.device(), C.unsafeAllowed()));
}

CUresult cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags) {
  Call C(Entry::cuCtxEnablePeerAccess);
  if (int E = C.error())
    return E;
  if (Flags)
    return C.fail(InvalidValue, "flags must be 0");
  int D = deviceOf(C.machine(), Peer);
  if (D < 0)
    return C.fail(InvalidContext, "not a context");
  return C.done(C.machine().enablePeer(C.device(), D));
}
