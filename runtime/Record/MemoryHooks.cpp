//===- MemoryHooks.cpp - Allocations and frees ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::GradOn;
using torchtidy::trace::Kind;
using torchtidy::trace::OnDevice;

namespace {

void recordAlloc(HookId Hook, void *Block, uint64_t Bytes, int Device) {
  Recording R;
  if (!R)
    return;
  uint32_t Stack = stackOf(*R);
  unsigned Mode = currentMode(*R);
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(Hook);
  noteMode(*R, Lock, Mode);
  Encoder &E = Lock.event(R->Index, Kind::Alloc,
                          (Mode & GradOn) | (Device >= 0 ? OnDevice : 0u));
  E.block(Block);
  E.number(Bytes);
  E.stack(Stack);
  if (Device >= 0)
    E.number(static_cast<unsigned>(Device));
}

void recordFree(HookId Hook, void *Block, int Device) {
  Recording R;
  if (!R)
    return;
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(Hook);
  Encoder &E = Lock.event(R->Index, Kind::Free, Device >= 0 ? OnDevice : 0);
  E.block(Block);
  if (Device >= 0)
    E.number(static_cast<unsigned>(Device));
}

/// c10::Device is {int8 type, int8 index}; the host (type 0) has hooks of its
/// own.
void recordReport(HookId Hook, void *Block, int64_t Bytes, uint16_t Device) {
  int Index = static_cast<int8_t>(Device >> 8);
  if ((Device & 0xff) == 0)
    return;
  if (Bytes > 0)
    recordAlloc(Hook, Block, static_cast<uint64_t>(Bytes),
                Index < 0 ? 0 : Index);
  else
    recordFree(Hook, Block, Index < 0 ? 0 : Index);
}

} // namespace

extern "C" {

TORCHTIDY_EXPORT void *torchtidyAllocCpu(size_t) asm("_ZN3c109alloc_cpuEm");
void *torchtidyAllocCpu(size_t Bytes) {
  void *Block = real<void *(size_t)>(HookId::AllocCpu)(Bytes);
  if (Block) {
    learnBlock(Block);
    recordAlloc(HookId::AllocCpu, Block, Bytes, -1);
  }
  return Block;
}

TORCHTIDY_EXPORT void torchtidyFreeCpu(void *) asm("_ZN3c108free_cpuEPv");
void torchtidyFreeCpu(void *Block) {
  if (Block)
    recordFree(HookId::FreeCpu, Block, -1);
  real<void(void *)>(HookId::FreeCpu)(Block);
}

using Report = void(void *, int64_t, size_t, size_t, uint16_t);
TORCHTIDY_EXPORT Report torchtidyReport asm(
    "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
void torchtidyReport(void *Block, int64_t Bytes, size_t Allocated,
                     size_t Reserved, uint16_t Device) {
  recordReport(HookId::ReportMemory, Block, Bytes, Device);
  real<Report>(HookId::ReportMemory)(Block, Bytes, Allocated, Reserved, Device);
}

TORCHTIDY_EXPORT Report torchtidyReportOld asm(
    "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");
void torchtidyReportOld(void *Block, int64_t Bytes, size_t Allocated,
                        size_t Reserved, uint16_t Device) {
  recordReport(HookId::ReportMemoryOld, Block, Bytes, Device);
  real<Report>(HookId::ReportMemoryOld)(Block, Bytes, Allocated, Reserved,
                                        Device);
}

TORCHTIDY_EXPORT int cudaMalloc(void **, size_t);
int cudaMalloc(void **Pointer, size_t Bytes) {
  constexpr int InitializationError = 3;
  void *Real = realFunctionOrNull(HookId::CudaMalloc);
  // A program may look for CUDA by this very name.
  if (!Real)
    return InitializationError;
  int Status = reinterpret_cast<int (*)(void **, size_t)>(Real)(Pointer, Bytes);
  if (Status != 0 || !Pointer || !*Pointer)
    return Status;
  Recording R;
  if (!R)
    return Status;
  uint32_t Stack = stackOf(*R);
  WriterLock Lock;
  if (!Lock.ready())
    return Status;
  fired(HookId::CudaMalloc);
  Encoder &E = Lock.event(R->Index, Kind::SegmentAlloc);
  E.block(*Pointer);
  E.number(Bytes);
  E.stack(Stack);
  return Status;
}

TORCHTIDY_EXPORT int cudaFree(void *);
int cudaFree(void *Pointer) {
  constexpr int InitializationError = 3;
  void *Real = realFunctionOrNull(HookId::CudaFree);
  if (!Real)
    return InitializationError;
  if (Recording R; R && Pointer) {
    WriterLock Lock;
    if (Lock.ready()) {
      fired(HookId::CudaFree);
      Lock.event(R->Index, Kind::SegmentFree).block(Pointer);
    }
  }
  return reinterpret_cast<int (*)(void *)>(Real)(Pointer);
}

} // extern "C"
