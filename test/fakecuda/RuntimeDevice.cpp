//===- RuntimeDevice.cpp - Devices and errors of the runtime --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaRuntime.h"
#include "DeviceFacts.h"
#include "ErrorTexts.h"
#include "Lookup.h"
#include "StreamCalls.h"
#include <cstdio>
#include <cstring>

using namespace fakecuda;
using namespace fakecuda::abi;

const char *cudaGetErrorName(cudaError_t Error) {
  Call C(Entry::cudaGetErrorName);
  const ErrorTexts *T = findError(Error);
  return T ? T->Runtime : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t Error) {
  Call C(Entry::cudaGetErrorString);
  const ErrorTexts *T = findError(Error);
  return T ? T->Text : "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  Call C(Entry::cudaGetLastError);
  int Last = C.thread().LastError;
  // What comes of a fault stays.
  if (!C.machine().Problems.poisoned())
    C.thread().LastError = Success;
  return Last;
}

cudaError_t cudaPeekAtLastError() {
  Call C(Entry::cudaPeekAtLastError);
  return C.thread().LastError;
}

static int version(Call &C, int *Version) {
  if (int E = C.error())
    return E;
  if (!Version)
    return C.fail(InvalidValue, "null argument");
  *Version = facts::Version;
  return Success;
}

cudaError_t cudaDriverGetVersion(int *Version) {
  Call C(Entry::cudaDriverGetVersion);
  return version(C, Version);
}

cudaError_t cudaRuntimeGetVersion(int *Version) {
  Call C(Entry::cudaRuntimeGetVersion);
  return version(C, Version);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *Symbol,
                                             void **Function, unsigned Version,
                                             unsigned long long, int *Status) {
  Call C(Entry::cudaGetDriverEntryPointByVersion);
  if (int E = C.error())
    return E;
  if (!Symbol || !Function)
    return C.fail(InvalidValue, "null argument");
  *Function = findDriverFunction(Symbol, Version);
  if (Status)
    *Status = *Function ? SymbolFound : SymbolNotFound;
  if (!*Function && !Status)
    return C.fail(NotFound, "not modelled");
  return Success;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *Mode) {
  Call C(Entry::cudaThreadExchangeStreamCaptureMode);
  return exchangeCaptureMode(C, Mode);
}

cudaError_t cudaGetDeviceCount(int *Count) {
  Call C(Entry::cudaGetDeviceCount);
  if (Count)
    *Count = 0;
  if (int E = C.error())
    return E;
  if (!Count)
    return C.fail(InvalidValue, "null argument");
  *Count = C.machine().devices();
  return Success;
}

cudaError_t cudaGetDevice(int *Device) {
  Call C(Entry::cudaGetDevice);
  if (int E = C.error())
    return E;
  if (!Device)
    return C.fail(InvalidValue, "null argument");
  *Device = C.device() < 0 ? C.thread().Device : C.device();
  return Success;
}

cudaError_t cudaSetDevice(int Device) {
  Call C(Entry::cudaSetDevice);
  if (int E = C.error())
    return E;
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  return C.done(C.machine().setRuntimeDevice(Device));
}

cudaError_t cudaGetDeviceProperties(DeviceProp *Prop, int Device) {
  Call C(Entry::cudaGetDeviceProperties);
  if (int E = C.error())
    return E;
  if (!Prop)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  std::memset(Prop, 0, sizeof(*Prop));
  std::snprintf(Prop->Name, sizeof(Prop->Name), "%s", facts::Name);
  Prop->Uuid[15] = Device + 1;
  Prop->TotalGlobalMem = C.machine().Mem.device(Device).Limit;
  Prop->SharedMemPerBlock = facts::SharedPerBlock;
  Prop->WarpSize = facts::Warp;
  Prop->MaxThreadsPerBlock = facts::ThreadsPerBlock;
  Prop->Major = facts::ComputeMajor;
  Prop->Minor = facts::ComputeMinor;
  Prop->MultiProcessorCount = facts::Multiprocessors;
  Prop->ConcurrentKernels = 1;
  Prop->PciBusId = Device + 1;
  Prop->UnifiedAddressing = 1;
  Prop->MaxThreadsPerMultiProcessor = facts::ThreadsPerMultiprocessor;
  return Success;
}

cudaError_t cudaDeviceGetAttribute(int *Value, int Attribute, int Device) {
  Call C(Entry::cudaDeviceGetAttribute);
  if (int E = C.error())
    return E;
  if (!Value)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  *Value = facts::attribute(Attribute, Device);
  return Success;
}

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  Call C(Entry::cudaDeviceCanAccessPeer);
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

cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  Call C(Entry::cudaDeviceEnablePeerAccess);
  if (int E = C.error())
    return E;
  if (Flags)
    return C.fail(InvalidValue, "flags must be 0");
  if (!C.machine().isDevice(Peer))
    return C.fail(InvalidDevice, "no such device");
  return C.done(C.machine().enablePeer(C.device(), Peer));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  Call C(Entry::cudaDeviceGetStreamPriorityRange);
  if (int E = C.error())
    return E;
  if (Least)
    *Least = 0;
  if (Greatest)
    *Greatest = facts::HighestPriority;
  return Success;
}

cudaError_t cudaDeviceSynchronize() {
  Call C(Entry::cudaDeviceSynchronize);
  if (int E = C.error())
    return E;
  return C.done(C.machine().Time.synchronize(C.device(), C.unsafeAllowed()));
}
