//===- Machine.cpp - The modelled machine ---------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cstdio>
#include <cstdlib>

using namespace fakecuda;
using namespace fakecuda::abi;

Machine &Machine::get() {
  static Machine *M = new Machine;
  return *M;
}

Machine::Machine() : Env(Environment::read()) {
  AddressSpace::claim();
  reset();
  if (Env.Report)
    std::atexit([] { report(Machine::get()); });
}

void Machine::reset() { reset(Env.Devices); }

void Machine::reset(int NewDevices) {
  Count = NewDevices;
  ++Generation;
  Mem.reset(Count, Env.Memory);
  Time.reset(Count);
  Problems.reset(Env.Abort, Env.Verbose);
  Table.reset();
  std::string Wrong = Table.setPlan(Env.Plan.c_str());
  if (!Wrong.empty()) {
    std::fprintf(stderr, "fakecuda: FAKECUDA_FAIL: %s\n", Wrong.c_str());
    std::abort();
  }
  Devices = {};
  for (int D = 0; D < Count; ++D)
    Devices[D].CanAccess = ~uint32_t(0);
  DriverNs = Errors = 0;
  Initialized = false;
  FreedLater.clear();
}

ThreadState &Machine::thread() {
  static thread_local ThreadState State;
  if (State.Generation != Generation) {
    State = {};
    State.Generation = Generation;
  }
  return State;
}

Outcome Machine::retainContext(int D) {
  if (Devices[D].ContextReferences == 0)
    if (Outcome O = Mem.take(D, Env.ContextBytes); O.Error)
      return O;
  ++Devices[D].ContextReferences;
  return {};
}

Outcome Machine::releaseContext(int D) {
  if (Devices[D].ContextReferences == 0)
    return {InvalidContext, "the primary context is not active"};
  if (--Devices[D].ContextReferences == 0) {
    Mem.give(D, Env.ContextBytes);
    Devices[D].HeldByRuntime = false;
  }
  return {};
}

Outcome Machine::ensureContext() {
  ThreadState &T = thread();
  int D = T.current();
  if (D >= 0 && Devices[D].ContextReferences)
    return {};
  if (D < 0)
    D = T.Device;
  if (!Devices[D].HeldByRuntime) {
    if (Outcome O = retainContext(D); O.Error)
      return O;
    Devices[D].HeldByRuntime = true;
  }
  if (T.Contexts.empty())
    T.Contexts.push_back(D);
  else
    T.Contexts.back() = D;
  return {};
}

Outcome Machine::setRuntimeDevice(int D) {
  ThreadState &T = thread();
  T.Device = D;
  if (T.Contexts.empty())
    T.Contexts.push_back(D);
  else
    T.Contexts.back() = D;
  return ensureContext();
}

Outcome Machine::enablePeer(int D, int Peer) {
  if (D == Peer)
    return {InvalidDevice, "a device is no peer of itself"};
  if (!mayAccess(D, Peer))
    return {PeerAccessUnsupported, "the devices are no peers"};
  uint32_t Bit = uint32_t(1) << Peer;
  if (Devices[D].PeersEnabled & Bit)
    return {PeerAccessAlreadyEnabled, "enabled before"};
  Devices[D].PeersEnabled |= Bit;
  return {};
}

Outcome Machine::refuseInCapture() {
  if (!Time.capturing() || thread().CaptureMode == CaptureRelaxed)
    return {};
  return Time.spoilCaptures(StreamCaptureUnsupported,
                            "not allowed while a stream is under capture");
}

Outcome Machine::allocate(int D, uint64_t Bytes, uint64_t &Address) {
  if (Outcome O = refuseInCapture(); O.Error)
    return O;
  return Mem.allocate(D, Bytes, Address);
}

void Machine::checkIdle(const char *What, uint64_t Address, const Mapping &M) {
  if (M.BusyUntil <= Time.now())
    return;
  char Text[160];
  std::snprintf(Text, sizeof(Text),
                "%s of %#llx (%llu bytes) under work %llu of stream #%u, which "
                "ends %llu ns later",
                What, (unsigned long long)Address, (unsigned long long)M.Size,
                (unsigned long long)M.BusyWith.Count, M.BusyWith.Stream,
                (unsigned long long)(M.BusyUntil - Time.now()));
  Problems.fault(Text);
}

Outcome Machine::free(uint64_t Address) {
  if (Outcome O = refuseInCapture(); O.Error)
    return O;
  Mapping *M = Mem.findAllocation(Address);
  if (!M || M->Freed)
    return invalid("not the address of a live allocation");
  Time.awaitDevice(M->Bytes->Device);
  // A kernel of another device may still run.
  checkIdle("free", Address, *M);
  return Mem.free(Address);
}

Outcome Machine::freeAsync(uint64_t Address, Stream &S) {
  Mapping *M = Mem.findAllocation(Address);
  if (!M)
    return invalid("not the address of a live allocation");
  if (M->Freed)
    return invalid("freed before");
  uint64_t When = std::max(S.Tail, Time.now());
  if (M->BusyUntil > When)
    checkIdle("free on a stream", Address, *M);
  M->Freed = true;
  FreedLater.push_back({Address, When});
  return {};
}

void Machine::collect() {
  for (size_t I = 0; I < FreedLater.size();) {
    if (FreedLater[I].Time > Time.now()) {
      ++I;
      continue;
    }
    Mem.free(FreedLater[I].Address);
    FreedLater[I] = FreedLater.back();
    FreedLater.pop_back();
  }
}

Outcome Machine::unmap(uint64_t Address, uint64_t Size, uint64_t &Mappings) {
  if (Outcome O = Mem.wholeMappings(Address, Size, Mappings); O.Error)
    return O;
  for (auto It = Mem.find(Address);
       It != Mem.end() && It->first < Address + Size; ++It)
    checkIdle("unmap", It->first, It->second);
  Mem.unmap(Address, Size);
  return {};
}

void Machine::memoryInfo(int D, size_t *Free, size_t *Total) {
  const DeviceMemory &M = Mem.device(D);
  *Free = M.Limit > M.Used ? M.Limit - M.Used : 0;
  *Total = M.Limit;
}
