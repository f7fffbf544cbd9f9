//===- FakeCudaCallsTest.cpp - Counters, failures, reset ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <cstring>
#include <map>
#include <thread>

namespace fakecuda::test {
namespace {

using ::testing::HasSubstr;

class FakeCudaCallsTest : public Fresh {};

static std::map<std::string, uint64_t> counts() {
  std::map<std::string, uint64_t> Counts;
  fakecuda_each_count(
      [](const char *Name, uint64_t N, void *Context) {
        (*static_cast<std::map<std::string, uint64_t> *>(Context))[Name] = N;
      },
      &Counts);
  return Counts;
}

TEST_F(FakeCudaCallsTest, EveryCallCounts) {
  fakecuda_reset_counts();
  EXPECT_TRUE(counts().empty());
  create(2 * Mib);
  cuMemRelease(77);
  CUdeviceptr A;
  EXPECT_EQ(cuMemAlloc_v2(&A, 1), 0);
  void *P;
  EXPECT_EQ(cudaMalloc(&P, 1), 0);
  std::map<std::string, uint64_t> Expected = {{"cuMemCreate", 1},
                                              {"cuMemRelease", 1},
                                              {"cuMemAlloc", 1},
                                              {"cudaMalloc", 1}};
  EXPECT_EQ(counts(), Expected) << "the runtime does not count for the driver";
  EXPECT_EQ(fakecuda_count("cuMemAlloc_v2"), 1u);
  EXPECT_EQ(fakecuda_count("cuMemFoo"), 0u);
  EXPECT_EQ(memory().Errors, 1u);
}

static int makeOne() {
  CUmemGenericAllocationHandle H;
  auto P = memoryOf(0);
  return cuMemCreate(&H, 2 * Mib, &P, 0);
}
static std::string failuresOf(int Calls) {
  std::string Seen;
  for (int I = 0; I < Calls; ++I) {
    int E = makeOne();
    Seen += E == 0 ? "." : E == 2 ? "m" : E == 999 ? "?" : "x";
  }
  return Seen;
}

TEST_F(FakeCudaCallsTest, PlanOfOneCall) {
  ASSERT_EQ(fakecuda_inject("cuMemCreate@3=2"), nullptr);
  EXPECT_EQ(failuresOf(5), "..m..");
  EXPECT_EQ(memory().Used, 8 * Mib) << "a failed call changes nothing";
  ASSERT_EQ(fakecuda_inject("cuMemCreate@1=2"), nullptr);
  EXPECT_EQ(failuresOf(2), "m.") << "counted from now";
}

TEST_F(FakeCudaCallsTest, PlanOfARun) {
  ASSERT_EQ(fakecuda_inject("cuMemCreate@2+3=999"), nullptr);
  EXPECT_EQ(failuresOf(6), ".???..");
}

TEST_F(FakeCudaCallsTest, PlanOfEveryNth) {
  ASSERT_EQ(fakecuda_inject("cuMemCreate%2=CUDA_ERROR_OUT_OF_MEMORY"), nullptr);
  EXPECT_EQ(failuresOf(6), ".m.m.m");
}

TEST_F(FakeCudaCallsTest, PlanOfSeveral) {
  ASSERT_EQ(fakecuda_inject("cuMemCreate@1=2;;cuMemCreate@3=cudaErrorUnknown;"
                            "cuMemRelease@1=400"),
            nullptr);
  EXPECT_EQ(failuresOf(4), "m.?.");
  EXPECT_EQ(cuMemRelease(0x9999), 400);
  EXPECT_EQ(cuMemRelease(0x9999), abi::InvalidValue);
  ASSERT_EQ(fakecuda_inject("cuMemCreate%1=2"), nullptr);
  EXPECT_EQ(failuresOf(2), "mm");
  ASSERT_EQ(fakecuda_inject(nullptr), nullptr);
  EXPECT_EQ(failuresOf(2), "..");
  ASSERT_EQ(fakecuda_inject("cuMemCreate%1=2"), nullptr);
  ASSERT_EQ(fakecuda_inject(""), nullptr);
  EXPECT_EQ(failuresOf(2), "..");
}

TEST_F(FakeCudaCallsTest, PlanForTheRuntime) {
  ASSERT_EQ(fakecuda_inject("cudaMalloc@1=2;cuMemFree_v2@1=1"), nullptr);
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, 1), abi::OutOfMemory);
  EXPECT_EQ(P, nullptr);
  EXPECT_EQ(cudaGetLastError(), abi::OutOfMemory);
  EXPECT_EQ(cudaMalloc(&P, 1), 0);
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(P)), 1);
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(P)), 0);
}

TEST_F(FakeCudaCallsTest, WrongPlans) {
  ASSERT_EQ(fakecuda_inject("cuMemCreate%1=2"), nullptr);
  std::pair<const char *, const char *> Wrong[] = {
      {"cuMemFoo@1=2", "no entry point 'cuMemFoo'"},
      {"cuMemCreate", "expected NAME@N=ERR"},
      {"cuMemCreate=2", "expected NAME@N=ERR"},
      {"cuMemCreate@1", "expected NAME@N=ERR"},
      {"cuMemCreate@0=2", "'0' is no N or N+M"},
      {"cuMemCreate@x=2", "'x' is no N or N+M"},
      {"cuMemCreate@1+=2", "'1+' is no N or N+M"},
      {"cuMemCreate@1+0=2", "'1+0' is no N or N+M"},
      {"cuMemCreate@-1=2", "'-1' is no N or N+M"},
      {"cuMemCreate%0=2", "'0' is no number from 1"},
      {"cuMemCreate%=2", "'' is no number from 1"},
      {"cuMemCreate@1=0", "no error '0'"},
      {"cuMemCreate@1=OOM", "no error 'OOM'"},
      {"cuMemCreate@1=", "no error ''"},
      {"cudaGetErrorString@1=2", "'cudaGetErrorString' cannot fail"},
      {"cudaGetLastError@1=2", "cannot fail"},
      {"cuMemMap@1=2;cuMemFoo@1=2", "'cuMemFoo@1=2'"}};
  for (auto &[Plan, Text] : Wrong) {
    const char *Said = fakecuda_inject(Plan);
    ASSERT_NE(Said, nullptr) << Plan;
    EXPECT_THAT(Said, HasSubstr(Text)) << Plan;
  }
  EXPECT_EQ(failuresOf(1), "m") << "the old plan stays in force";
}

TEST_F(FakeCudaCallsTest, EntryPointsByName) {
  void *F = nullptr;
  int Status = 9;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemMap", &F, 12000, 0, &Status), 0);
  EXPECT_EQ(F, reinterpret_cast<void *>(cuMemMap));
  EXPECT_EQ(Status, abi::SymbolFound);
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &F, 12000, 0, nullptr), 0);
  EXPECT_EQ(F, reinterpret_cast<void *>(cuMemAlloc_v2));
  EXPECT_EQ(cuGetProcAddress_v2("cuStreamGetCaptureInfo", &F, 12000, 0, 0), 0);
  EXPECT_EQ(F, reinterpret_cast<void *>(cuStreamGetCaptureInfo_v2));
  EXPECT_EQ(cuGetProcAddress_v2("cuStreamGetCaptureInfo", &F, 12030, 0, 0), 0);
  EXPECT_EQ(F, reinterpret_cast<void *>(cuStreamGetCaptureInfo_v3));
  EXPECT_EQ(cuGetProcAddress_v2("cuGreenCtxCreate", &F, 12080, 0, &Status),
            abi::NotFound);
  EXPECT_EQ(F, nullptr);
  EXPECT_EQ(Status, abi::SymbolNotFound);
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion("cuMemUnmap", &F, 12000, 0, &Status), 0);
  EXPECT_EQ(F, reinterpret_cast<void *>(cuMemUnmap));
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuFoo", &F, 12000, 0, &Status),
            0);
  EXPECT_EQ(Status, abi::SymbolNotFound);
}

TEST_F(FakeCudaCallsTest, Errors) {
  const char *Text = nullptr;
  EXPECT_EQ(cuGetErrorName(2, &Text), 0);
  EXPECT_STREQ(Text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorString(2, &Text), 0);
  EXPECT_STREQ(Text, "out of memory");
  EXPECT_EQ(cuGetErrorName(12345, &Text), abi::InvalidValue);
  EXPECT_STREQ(cudaGetErrorName(2), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(700),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorName(12345), "unrecognized error code");
  CUevent E = event();
  EXPECT_EQ(idle(nullptr, 10), 0);
  EXPECT_EQ(cudaEventRecord(E, nullptr), 0);
  EXPECT_EQ(cudaEventQuery(E), abi::NotReady);
  EXPECT_EQ(cudaGetLastError(), abi::NotReady) << "callers clear it";
}

TEST_F(FakeCudaCallsTest, Reset) {
  CUdeviceptr P = mapped(2 * Mib);
  CUstream S = stream();
  CUevent E = recorded(S);
  auto H = create(2 * Mib);
  EXPECT_EQ(launch(S, 100, P, 4 * Mib), abi::IllegalAddress);
  ASSERT_EQ(fakecuda_inject("cuMemCreate%1=2"), nullptr);
  fakecuda_set_limit(0, 5 * Mib);
  fakecuda_set_address_limit(2 * Mib);
  fakecuda_set_handle_limit(0, 1);
  fakecuda_set_event_delay(1000000);
  fakecuda_advance(77);
  fakecuda_reset();
  EXPECT_EQ(fakecuda_now(), 0u);
  EXPECT_EQ(fakecuda_faults(), 0u);
  EXPECT_EQ(fakecuda_driver_ns(), 0u);
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(memory().Peak, 0u);
  EXPECT_EQ(memory().AddressReserved, 0u);
  EXPECT_EQ(memory().Errors, 0u);
  EXPECT_EQ(memory().Limit, uint64_t(16) << 30);
  EXPECT_TRUE(counts().empty());
  EXPECT_EQ(makeOne(), abi::NotInitialized);
  ASSERT_EQ(cuInit(0), 0);
  EXPECT_EQ(makeOne(), 0) << "no plan";
  EXPECT_GT(fakecuda_driver_ns(), 20000u) << "latencies are those of the table";
  EXPECT_EQ(cuCtxSynchronize(), abi::InvalidContext);
  begin();
  EXPECT_EQ(cuMemRelease(H), abi::InvalidValue) << "old handles";
  EXPECT_EQ(cuStreamQuery(S), abi::InvalidHandle);
  EXPECT_EQ(cuEventQuery(E), abi::InvalidHandle);
  EXPECT_NE(stream(), S);
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), abi::InvalidValue);
  create(8 * Mib);
  reserve(8 * Mib);
  EXPECT_EQ(cuEventQuery(recorded(nullptr)), 0);
}

TEST_F(FakeCudaCallsTest, Threads) {
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([] {
      ASSERT_EQ(cudaSetDevice(0), 0);
      CUstream S = stream();
      for (int I = 0; I < 2000; ++I) {
        CUdeviceptr P = mapped(2 * Mib);
        EXPECT_EQ(launch(S, 10, P, Mib), 0);
        EXPECT_EQ(cuStreamSynchronize(S), 0);
        CUmemGenericAllocationHandle H = 0;
        EXPECT_EQ(cuMemRetainAllocationHandle(&H, reinterpret_cast<void *>(P)),
                  0);
        EXPECT_EQ(cuMemRelease(H), 0);
        EXPECT_EQ(cuMemRelease(H), 0);
        EXPECT_EQ(cuMemUnmap(P, 2 * Mib), 0);
        EXPECT_EQ(cuMemAddressFree(P, 2 * Mib), 0);
      }
    });
  for (auto &T : Threads)
    T.join();
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(memory().AddressReserved, 0u);
  EXPECT_EQ(memory().Errors, 0u);
  EXPECT_EQ(fakecuda_faults() + fakecuda_races(), 0u);
  EXPECT_EQ(fakecuda_count("cuMemMap"), 8000u);
}

} // namespace
} // namespace fakecuda::test
