//===- Control.cpp - The control interface --------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cstdio>
#include <cstring>

using namespace fakecuda;
using namespace fakecuda::abi;

namespace {
/// The machine, locked.
struct Locked {
  Machine &M = Machine::get();
  std::lock_guard<std::mutex> Guard{M.Lock};
  Machine *operator->() { return &M; }
};

/// Keeps a text for the thread that asked.
const char *keep(std::string Text) {
  static thread_local std::string Kept;
  Kept = std::move(Text);
  return Kept.empty() ? nullptr : Kept.c_str();
}
} // namespace

void fakecuda_reset(void) { Locked()->reset(); }

int fakecuda_set_devices(int n) {
  if (n < 0 || n > MaxDevices)
    return InvalidValue;
  Locked()->reset(n);
  return Success;
}

int fakecuda_set_peers(int a, int b, int can) {
  Locked M;
  if (!M->isDevice(a) || !M->isDevice(b))
    return InvalidDevice;
  uint32_t Bit = uint32_t(1) << b;
  if (can)
    M->Devices[a].CanAccess |= Bit;
  else
    M->Devices[a].CanAccess &= ~Bit;
  return Success;
}

void fakecuda_set_limit(int device, uint64_t bytes) {
  Locked M;
  if (M->isDevice(device))
    M->Mem.device(device).Limit = bytes;
}

void fakecuda_set_handle_limit(int device, uint64_t handles) {
  Locked M;
  if (M->isDevice(device))
    M->Mem.device(device).HandleLimit = handles;
}

void fakecuda_set_address_limit(uint64_t bytes) {
  Locked()->Mem.setAddressLimit(bytes);
}

void fakecuda_memory(int device, FakeCudaMemory *out) {
  *out = {};
  Locked M;
  if (!M->isDevice(device))
    return;
  M->collect();
  const DeviceMemory &D = M->Mem.device(device);
  out->Limit = D.Limit;
  out->Used = D.Used;
  out->Peak = D.Peak;
  out->AddressReserved = M->Mem.reserved();
  out->Mapped = D.Mapped;
  out->Handles = D.Handles;
  out->Mallocs = D.Mallocs;
  out->Mappings = D.Mappings;
  out->Errors = M->Errors;
}

void fakecuda_reset_peak(int device) {
  Locked M;
  if (M->isDevice(device))
    M->Mem.device(device).Peak = M->Mem.device(device).Used;
}

// Counters are read without the lock.
uint64_t fakecuda_count(const char *name) {
  int Index = Calls::find(name);
  return Index < 0 ? 0 : Machine::get().Table.counted(Index);
}

void fakecuda_reset_counts(void) { Machine::get().Table.resetCounts(); }

void fakecuda_each_count(void (*cb)(const char *, uint64_t, void *),
                         void *context) {
  for (unsigned I = 0; I < Calls::Size; ++I)
    if (uint64_t N = Machine::get().Table.counted(I))
      cb(Calls::entry(Entry(I)).Name, N, context);
}

const char *fakecuda_inject(const char *plan) {
  return keep(Locked()->Table.setPlan(plan));
}

const char *fakecuda_set_latency(const char *name, uint64_t ns,
                                 uint64_t ns_per_mib) {
  return keep(Locked()->Table.setLatency(name, ns, ns_per_mib));
}

int fakecuda_launch(int device, void *stream, uint64_t ns,
                    const FakeCudaRange *ranges, size_t n) {
  Locked M;
  if (!M->isDevice(device))
    return InvalidDevice;
  if (M->Problems.poisoned())
    return IllegalAddress;
  Stream *S = M->Time.stream(stream, device);
  if (!S)
    return InvalidHandle;
  return M->launch(device, *S, ns, ranges, n).Error;
}

uint64_t fakecuda_now(void) { return Locked()->Time.now(); }
void fakecuda_advance(uint64_t ns) { Locked()->Time.advance(ns); }
uint64_t fakecuda_driver_ns(void) { return Locked()->DriverNs; }
uint64_t fakecuda_stall_ns(void) { return Locked()->Time.stall(); }

void fakecuda_reset_times(void) {
  Locked M;
  M->DriverNs = 0;
  M->Time.resetStall();
}

void fakecuda_set_event_delay(uint64_t ns) { Locked()->Time.setEventDelay(ns); }

uint64_t fakecuda_faults(void) { return Locked()->Problems.faults(); }
uint64_t fakecuda_races(void) { return Locked()->Problems.races(); }
const char *fakecuda_first_fault(void) { return fakecuda_fault_text(0); }
const char *fakecuda_fault_text(size_t index) {
  return Locked()->Problems.text(index);
}
void fakecuda_clear_faults(void) { Locked()->Problems.clear(); }

void fakecuda_set_capturing(void *stream, int on) {
  Locked M;
  if (!M->devices())
    return;
  ThreadState &T = M->thread();
  int D = T.current() < 0 ? T.Device : T.current();
  if (Stream *S = M->Time.stream(stream, D))
    M->Time.setCapturing(*S, on);
}

void fakecuda::report(Machine &M) {
  std::fprintf(stderr, "fakecuda: calls\n");
  fakecuda_each_count(
      [](const char *Name, uint64_t N, void *) {
        std::fprintf(stderr, "fakecuda:   %-40s %llu\n", Name,
                     (unsigned long long)N);
      },
      nullptr);
  for (int D = 0; D < M.devices(); ++D) {
    FakeCudaMemory F;
    fakecuda_memory(D, &F);
    std::fprintf(stderr,
                 "fakecuda: device %d: limit %llu, used %llu, peak %llu, "
                 "mapped %llu; live: %llu handles, %llu mappings, %llu "
                 "mallocs\n",
                 D, (unsigned long long)F.Limit, (unsigned long long)F.Used,
                 (unsigned long long)F.Peak, (unsigned long long)F.Mapped,
                 (unsigned long long)F.Handles, (unsigned long long)F.Mappings,
                 (unsigned long long)F.Mallocs);
  }
  std::fprintf(stderr,
               "fakecuda: time %llu ns, in calls %llu, waited %llu; errors "
               "%llu, faults %llu, races %llu\n",
               (unsigned long long)fakecuda_now(),
               (unsigned long long)fakecuda_driver_ns(),
               (unsigned long long)fakecuda_stall_ns(),
               (unsigned long long)M.Errors,
               (unsigned long long)fakecuda_faults(),
               (unsigned long long)fakecuda_races());
  for (size_t I = 0; const char *Text = fakecuda_fault_text(I); ++I)
    std::fprintf(stderr, "fakecuda: %s\n", Text);
}
