//===- TorchSmoke.cpp - LibTorch's own allocator on the fake --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the unmodified libc10_cuda of LibTorch 2.11 on the fake driver and
/// checks what it asks for. Each case is a run of its own, since the allocator
/// cannot be begun anew:
///
///   TorchSmoke CASE (see main)
///
/// The allocator is set by PYTORCH_CUDA_ALLOC_CONF. Status 0: as expected.
///
//===----------------------------------------------------------------------===//

#include "fakecuda.h"
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace c10::cuda::_internal {
// What libtorch_cuda does when it is loaded; in no public header.
C10_CUDA_API void setHasPrimaryContext(bool (*Function)(DeviceIndex));
} // namespace c10::cuda::_internal

namespace allocator = c10::cuda::CUDACachingAllocator;

static constexpr size_t Mib = 1 << 20;

static void expect(bool Right, const char *What) {
  if (Right)
    return;
  std::fprintf(stderr, "not as expected: %s\n", What);
  if (const char *Fault = fakecuda_first_fault())
    std::fprintf(stderr, "%s\n", Fault);
  std::exit(1);
}

static FakeCudaMemory memory() {
  FakeCudaMemory M;
  fakecuda_memory(0, &M);
  return M;
}

static bool expandable() {
  const char *Settings = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
  return Settings && std::strstr(Settings, "expandable_segments:True");
}

static void launch(void *Stream, uint64_t Ns, void *Block, size_t Bytes) {
  FakeCudaRange R = {reinterpret_cast<uint64_t>(Block), Bytes, 1};
  expect(fakecuda_launch(0, Stream, Ns, &R, 1) == 0, "launch");
}

/// Blocks come, go and are used again; emptying the cache gives all back.
static void blocks() {
  for (int I = 0; I < 50; ++I) {
    void *Large = allocator::raw_alloc(30 * Mib);
    void *Small = allocator::raw_alloc(4096);
    launch(nullptr, 1000, Large, 30 * Mib);
    launch(nullptr, 1000, Small, 4096);
    allocator::raw_delete(Large);
    allocator::raw_delete(Small);
  }
  FakeCudaMemory M = memory();
  if (expandable()) {
    expect(fakecuda_count("cuMemMap") == M.Mappings && M.Mappings > 1 &&
               M.Mallocs == 0 && fakecuda_count("cudaMalloc") == 0,
           "mapped once, and no cudaMalloc");
    expect(M.Used == M.Mapped, "memory in use is mapped");
  } else {
    expect(M.Mallocs == 2 && M.Mappings == 0, "two blocks of cudaMalloc");
  }
  uint64_t Stall = fakecuda_stall_ns();
  allocator::emptyCache();
  expect(memory().Used == 0, "all given back");
  expect(fakecuda_stall_ns() > Stall, "giving back waits for the kernels");
  // It asks once whether memory can be exported to a fabric.
  expect(memory().Errors == (expandable() ? 1 : 0), "no call failed");
}

/// recordStream and its absence: the fake sees what the allocator then does.
static void races(bool Recorded) {
  auto Other = c10::cuda::getStreamFromPool();
  void *Block = allocator::raw_alloc(30 * Mib);
  launch(Other.stream(), 1000000, Block, 30 * Mib);
  if (Recorded) {
    // It looks only at blocks with its own deleter.
    c10::DataPtr Data(Block, Block, allocator::get()->raw_deleter(),
                      c10::Device(c10::kCUDA, 0));
    allocator::recordStream(Data, Other);
    Data.release_context();
  }
  allocator::raw_delete(Block);
  void *Second = allocator::raw_alloc(30 * Mib);
  expect((Second == Block) != Recorded, "the block is used again at once");
  launch(nullptr, 1000, Second, 30 * Mib);
  expect(fakecuda_races() == (Recorded ? 0 : 1), "a race without recordStream");
  allocator::raw_delete(Second);
  fakecuda_advance(2000000);
  void *Third = allocator::raw_alloc(200 * Mib);
  allocator::raw_delete(Third);
  expect(fakecuda_faults() == 0, "no fault");
}

/// Why an allocation failed; empty: it did not.
static std::string failureOf(size_t Bytes) {
  try {
    allocator::raw_alloc(Bytes);
  } catch (const c10::OutOfMemoryError &) {
    return "OutOfMemoryError";
  } catch (const c10::Error &E) {
    return E.what_without_backtrace();
  }
  return "";
}

static void expectFailure(const char *Expected) {
  std::string Said = failureOf(100 * Mib);
  bool Right =
      *Expected ? Said.find(Expected) != std::string::npos : Said.empty();
  expect(Right, ("failure: '" + Said + "', not '" + Expected + "'").c_str());
}

/// More than the device has: the allocator frees what it can, then gives up.
static void outOfMemory() {
  fakecuda_set_limit(0, 64 * Mib);
  allocator::raw_delete(allocator::raw_alloc(30 * Mib));
  expectFailure("OutOfMemoryError");
  expect(memory().Used == 0, "its cache was emptied");
  fakecuda_set_limit(0, 128 * Mib);
  expectFailure("");
}

/// pytorch #188008: a driver call fails in the middle of a request, and from
/// then on the allocator is broken.
static void broken(const char *Plan) {
  expect(!fakecuda_inject(Plan), "plan");
  expectFailure("CUDA driver error: out of memory");
  expectFailure("INTERNAL ASSERT");
  // Its destructor would terminate.
  std::_Exit(0);
}

/// The only failure in the middle of a request that it expects.
static void failedCreate() {
  expect(!fakecuda_inject("cuMemCreate@4=CUDA_ERROR_OUT_OF_MEMORY"), "plan");
  expectFailure("");
  expectFailure("");
}

int main(int Count, char **Arguments) {
  std::string Case = Count == 2 ? Arguments[1] : "";
  c10::cuda::_internal::setHasPrimaryContext(
      [](c10::DeviceIndex) { return true; });
  allocator::init(1);
  if (Case == "blocks")
    blocks();
  else if (Case == "recorded")
    races(true);
  else if (Case == "not-recorded")
    races(false);
  else if (Case == "out-of-memory")
    outOfMemory();
  else if (Case == "failed-map")
    broken("cuMemMap@3=CUDA_ERROR_OUT_OF_MEMORY");
  else if (Case == "failed-access")
    broken("cuMemSetAccess@1=CUDA_ERROR_OUT_OF_MEMORY");
  else if (Case == "failed-create")
    failedCreate();
  else
    return 2;
  return 0;
}
