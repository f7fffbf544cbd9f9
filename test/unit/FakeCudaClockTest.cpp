//===- FakeCudaClockTest.cpp - Virtual time, streams, events --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <functional>

namespace fakecuda::test {
namespace {

class FakeCudaClockTest : public Fresh {};

TEST_F(FakeCudaClockTest, OnlyTheHostMovesTime) {
  uint64_t Begin = fakecuda_now();
  CUstream S = stream();
  EXPECT_EQ(idle(S, 1000), 0);
  EXPECT_EQ(fakecuda_now(), Begin);
  fakecuda_advance(10);
  EXPECT_EQ(fakecuda_now(), Begin + 10);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
}

TEST_F(FakeCudaClockTest, CallsCostTime) {
  ASSERT_EQ(fakecuda_set_latency("cuMemCreate", 1000, 10), nullptr);
  uint64_t Begin = fakecuda_now();
  fakecuda_reset_times();
  create(4 * Mib);
  EXPECT_EQ(fakecuda_driver_ns(), 1040u);
  EXPECT_EQ(fakecuda_now(), Begin + 1040);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
  ASSERT_EQ(fakecuda_set_latency("cuMemAlloc_v2", 5, Mib), nullptr);
  CUdeviceptr A;
  fakecuda_reset_times();
  ASSERT_EQ(cuMemAlloc_v2(&A, Mib + 3), 0);
  EXPECT_EQ(fakecuda_driver_ns(), 5 + Mib + 3) << "part of a MiB";
  EXPECT_THAT(fakecuda_set_latency("cuMemFoo", 1, 1),
              ::testing::HasSubstr("no entry point 'cuMemFoo'"));
  EXPECT_NE(fakecuda_set_latency(nullptr, 1, 1), nullptr);
}

TEST_F(FakeCudaClockTest, MappingsAndLocationsCostEach) {
  ASSERT_EQ(fakecuda_set_latency("cuMemSetAccess", 100, 1), nullptr);
  ASSERT_EQ(fakecuda_set_latency("cuMemUnmap", 10, 0), nullptr);
  CUdeviceptr A = reserve(6 * Mib);
  for (int I = 0; I < 3; ++I)
    map(A + I * 2 * Mib, create(2 * Mib), 2 * Mib);
  fakecuda_reset_times();
  EXPECT_EQ(setAccess(A, 6 * Mib), 0);
  EXPECT_EQ(fakecuda_driver_ns(), 306u);
  EXPECT_EQ(cuMemUnmap(A, 6 * Mib), 0);
  EXPECT_EQ(fakecuda_driver_ns(), 336u);
}

TEST_F(FakeCudaClockTest, FailedCallsCostTheirFixedPart) {
  ASSERT_EQ(fakecuda_set_latency("cuMemCreate", 1000, 10), nullptr);
  fakecuda_reset_times();
  CUmemGenericAllocationHandle H;
  auto P = memoryOf(0);
  EXPECT_NE(cuMemCreate(&H, Mib, &P, 0), 0);
  EXPECT_EQ(fakecuda_driver_ns(), 1000u);
}

TEST_F(FakeCudaClockTest, OneStreamInOrder) {
  CUstream S = stream();
  EXPECT_EQ(idle(S, 100), 0);
  EXPECT_EQ(idle(S, 200), 0);
  uint64_t Begin = fakecuda_now();
  EXPECT_EQ(cuStreamQuery(S), abi::NotReady);
  fakecuda_advance(299);
  EXPECT_EQ(cuStreamQuery(S), abi::NotReady);
  fakecuda_advance(1);
  EXPECT_EQ(cuStreamQuery(S), 0);
  EXPECT_EQ(idle(S, 50), 0);
  EXPECT_EQ(cuStreamSynchronize(S), 0);
  EXPECT_EQ(fakecuda_now(), Begin + 350) << "from now, not from the last end";
  EXPECT_EQ(fakecuda_stall_ns(), 50u);
}

TEST_F(FakeCudaClockTest, StreamsAtTheSameTime) {
  CUstream A = stream(), B = stream();
  uint64_t Begin = fakecuda_now();
  EXPECT_EQ(idle(A, 100), 0);
  EXPECT_EQ(idle(B, 300), 0);
  EXPECT_EQ(idle(nullptr, 200), 0) << "the default stream is one like others";
  EXPECT_EQ(cuStreamSynchronize(A), 0);
  EXPECT_EQ(fakecuda_now(), Begin + 100);
  EXPECT_EQ(cuStreamSynchronize(nullptr), 0);
  EXPECT_EQ(fakecuda_now(), Begin + 200);
  EXPECT_EQ(cuCtxSynchronize(), 0);
  EXPECT_EQ(fakecuda_now(), Begin + 300);
  EXPECT_EQ(fakecuda_stall_ns(), 300u);
}

TEST_F(FakeCudaClockTest, NamesOfTheDefaultStream) {
  EXPECT_EQ(idle(nullptr, 100), 0);
  EXPECT_EQ(cuStreamQuery(reinterpret_cast<CUstream>(1)), abi::NotReady);
  EXPECT_EQ(cuStreamQuery(reinterpret_cast<CUstream>(2)), abi::NotReady);
  EXPECT_EQ(cuStreamDestroy_v2(nullptr), abi::InvalidHandle);
}

TEST_F(FakeCudaClockTest, Events) {
  CUstream S = stream();
  CUevent E = event();
  EXPECT_EQ(cuEventQuery(E), 0) << "never recorded";
  EXPECT_EQ(idle(S, 100), 0);
  EXPECT_EQ(cuEventRecord(E, S), 0);
  EXPECT_EQ(idle(S, 100), 0);
  EXPECT_EQ(cuEventQuery(E), abi::NotReady);
  uint64_t Errors = memory().Errors;
  EXPECT_EQ(cuEventQuery(E), abi::NotReady);
  EXPECT_EQ(memory().Errors, Errors) << "not ready is no error";
  fakecuda_advance(100);
  EXPECT_EQ(cuEventQuery(E), 0) << "the later kernel does not count";
  EXPECT_EQ(cuEventRecord(E, S), 0);
  EXPECT_EQ(cuEventQuery(E), abi::NotReady) << "recorded anew";
  EXPECT_EQ(cuEventSynchronize(E), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 100u);
  EXPECT_EQ(cuEventSynchronize(E), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 100u);
}

TEST_F(FakeCudaClockTest, WaitEvent) {
  CUstream A = stream(), B = stream();
  uint64_t Begin = fakecuda_now();
  EXPECT_EQ(idle(A, 1000), 0);
  EXPECT_EQ(cuStreamWaitEvent(B, recorded(A), 0), 0);
  EXPECT_EQ(idle(B, 10), 0);
  EXPECT_EQ(fakecuda_now(), Begin) << "the host does not wait";
  EXPECT_EQ(cuStreamSynchronize(B), 0);
  EXPECT_EQ(fakecuda_now(), Begin + 1010);
  EXPECT_EQ(cuStreamWaitEvent(B, event(), 0), 0) << "never recorded";
  EXPECT_EQ(cuStreamQuery(B), 0);
}

TEST_F(FakeCudaClockTest, LateEvents) {
  CUstream S = stream(), Other = stream();
  fakecuda_set_event_delay(50);
  EXPECT_EQ(idle(S, 100), 0);
  CUevent E = recorded(S);
  fakecuda_advance(100);
  EXPECT_EQ(cuStreamQuery(S), 0) << "the stream is done";
  EXPECT_EQ(cuEventQuery(E), abi::NotReady);
  EXPECT_EQ(cuStreamWaitEvent(Other, E, 0), 0);
  EXPECT_EQ(cuStreamQuery(Other), abi::NotReady);
  fakecuda_advance(50);
  EXPECT_EQ(cuEventQuery(E), 0);
  EXPECT_EQ(cuStreamQuery(Other), 0);
  fakecuda_set_event_delay(0);
  EXPECT_EQ(cuEventQuery(recorded(S)), 0);
}

TEST_F(FakeCudaClockTest, ElapsedTime) {
  CUstream S = stream();
  float Ms = -1;
  CUevent A = recorded(S);
  EXPECT_EQ(idle(S, 2500000), 0);
  CUevent B = recorded(S);
  EXPECT_EQ(cuEventElapsedTime_v2(&Ms, A, B), abi::NotReady);
  EXPECT_EQ(cuEventSynchronize(B), 0);
  EXPECT_EQ(cuEventElapsedTime_v2(&Ms, A, B), 0);
  EXPECT_FLOAT_EQ(Ms, 2.5);
  EXPECT_EQ(cuEventElapsedTime_v2(&Ms, B, A), 0);
  EXPECT_FLOAT_EQ(Ms, -2.5);
  EXPECT_EQ(cuEventElapsedTime_v2(&Ms, A, event()), abi::InvalidHandle);
  CUevent NoTiming = event(abi::EventDisableTiming);
  EXPECT_EQ(cuEventRecord(NoTiming, S), 0);
  EXPECT_EQ(cuEventElapsedTime_v2(&Ms, A, NoTiming), abi::InvalidHandle);
}

TEST_F(FakeCudaClockTest, DeadHandles) {
  CUstream S = stream();
  CUevent E = event();
  EXPECT_EQ(cuStreamDestroy_v2(S), 0);
  EXPECT_EQ(cuEventDestroy_v2(E), 0);
  EXPECT_EQ(cuStreamDestroy_v2(S), abi::InvalidHandle);
  EXPECT_EQ(cuEventDestroy_v2(E), abi::InvalidHandle);
  CUstream Again = stream();
  CUevent AgainE = event();
  EXPECT_NE(Again, S) << "an old handle does not become another stream";
  EXPECT_NE(AgainE, E);
  EXPECT_EQ(cuStreamQuery(S), abi::InvalidHandle);
  EXPECT_EQ(cuEventQuery(E), abi::InvalidHandle);
  EXPECT_EQ(cuEventRecord(E, Again), abi::InvalidHandle);
  EXPECT_EQ(cuEventRecord(AgainE, S), abi::InvalidHandle);
  EXPECT_EQ(cuStreamWaitEvent(Again, E, 0), abi::InvalidHandle);
  EXPECT_EQ(idle(S, 1), abi::InvalidHandle);
  EXPECT_EQ(cuStreamQuery(E), abi::InvalidHandle) << "an event is no stream";
}

TEST_F(FakeCudaClockTest, Flags) {
  CUstream S = nullptr;
  CUevent E = nullptr;
  EXPECT_EQ(cuStreamCreate(&S, 2), abi::InvalidValue);
  EXPECT_EQ(cuStreamCreate(nullptr, 0), abi::InvalidValue);
  EXPECT_EQ(cuStreamCreateWithPriority(&S, 1, -3), 0);
  EXPECT_EQ(cuEventCreate(&E, 8), abi::InvalidValue);
  EXPECT_EQ(cuEventCreate(&E, abi::EventInterprocess), abi::InvalidValue);
  EXPECT_EQ(cuEventCreate(&E, abi::EventInterprocess | abi::EventDisableTiming),
            0);
}

TEST_F(FakeCudaClockTest, DestroyedStreamsStillWork) {
  CUstream S = stream();
  EXPECT_EQ(idle(S, 100), 0);
  EXPECT_EQ(cuStreamDestroy_v2(S), 0);
  EXPECT_EQ(cuCtxSynchronize(), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 100u);
}

TEST_F(FakeCudaClockTest, FreeWaitsForTheDevice) {
  CUdeviceptr A, B;
  ASSERT_EQ(cuMemAlloc_v2(&A, Mib), 0);
  ASSERT_EQ(cuMemAlloc_v2(&B, Mib), 0);
  CUstream S = stream();
  EXPECT_EQ(launch(S, 700, A, Mib), 0);
  EXPECT_EQ(cuMemFree_v2(B), 0) << "even if it frees something else";
  EXPECT_EQ(fakecuda_stall_ns(), 700u);
  EXPECT_EQ(launch(S, 100, A, Mib), 0);
  EXPECT_EQ(cudaFree(reinterpret_cast<void *>(A)), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 800u);
  EXPECT_EQ(fakecuda_faults(), 0u);
}

TEST_F(FakeCudaClockTest, FreeOnAStream) {
  CUstream S = stream();
  void *P = nullptr;
  ASSERT_EQ(cudaMallocAsync(&P, Mib, S), 0);
  EXPECT_EQ(launch(S, 100, reinterpret_cast<CUdeviceptr>(P), Mib), 0);
  EXPECT_EQ(cudaFreeAsync(P, S), 0);
  EXPECT_EQ(cudaFreeAsync(P, S), abi::InvalidValue) << "twice";
  EXPECT_EQ(cudaFree(P), abi::InvalidValue);
  EXPECT_EQ(launch(S, 1, reinterpret_cast<CUdeviceptr>(P), 1),
            abi::IllegalAddress)
      << "freed, if still there";
  fakecuda_clear_faults();
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
  fakecuda_advance(100);
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(fakecuda_faults(), 0u);
}

TEST_F(FakeCudaClockTest, Capture) {
  CUstream S = stream(), Other = stream();
  int Status = 9;
  EXPECT_EQ(cuStreamIsCapturing(S, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureNone);
  CUevent Before = recorded(Other);
  fakecuda_set_capturing(S, 1);
  uint64_t Id = 0;
  size_t N = 7;
  EXPECT_EQ(cuStreamGetCaptureInfo_v2(S, &Status, &Id, nullptr, nullptr, &N),
            0);
  EXPECT_EQ(Status, abi::CaptureActive);
  EXPECT_NE(Id, 0u);
  EXPECT_EQ(N, 0u);
  EXPECT_EQ(cuStreamIsCapturing(Other, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureNone);
  // Work is noted, not done.
  EXPECT_EQ(idle(S, 1000), 0);
  CUevent Inside = event();
  EXPECT_EQ(cuEventRecord(Inside, S), 0);
  // Another stream joins by waiting for the event.
  EXPECT_EQ(cuStreamWaitEvent(Other, Inside, 0), 0);
  EXPECT_EQ(cuStreamIsCapturing(Other, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureActive);

  EXPECT_EQ(cuEventQuery(Inside), abi::CapturedEvent);
  EXPECT_EQ(cuStreamIsCapturing(S, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureInvalidated) << "that spoilt it";
  EXPECT_EQ(cuEventRecord(Inside, S), abi::StreamCaptureInvalidated);
  EXPECT_EQ(idle(S, 1), abi::StreamCaptureInvalidated);
  fakecuda_set_capturing(S, 0);
  EXPECT_EQ(cuStreamIsCapturing(Other, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureNone);
  EXPECT_EQ(cuStreamWaitEvent(Other, Inside, 0), abi::InvalidValue)
      << "of a capture that has ended";
  EXPECT_EQ(cuStreamSynchronize(S), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
  EXPECT_EQ(cuEventQuery(Before), 0);
}

/// What a capture in mode "global" forbids to everybody.
TEST_F(FakeCudaClockTest, CaptureForbids) {
  CUstream S = stream(), Other = stream();
  CUevent E = recorded(Other);
  CUdeviceptr A = 0;
  ASSERT_EQ(cuMemAlloc_v2(&A, Mib), 0);
  CUdeviceptr B = 0;
  std::pair<const char *, std::function<int()>> Calls[] = {
      {"query", [&] { return cuStreamQuery(S); }},
      {"synchronize", [&] { return cuStreamSynchronize(S); }},
      {"query of another stream", [&] { return cuStreamQuery(Other); }},
      {"query of an event", [&] { return cuEventQuery(E); }},
      {"synchronize an event", [&] { return cuEventSynchronize(E); }},
      {"synchronize all", [&] { return cuCtxSynchronize(); }},
      {"malloc", [&] { return cuMemAlloc_v2(&B, Mib); }},
      {"free", [&] { return cuMemFree_v2(A); }}};
  for (auto &[Name, Function] : Calls) {
    SCOPED_TRACE(Name);
    fakecuda_set_capturing(S, 1);
    EXPECT_EQ(Function(), abi::StreamCaptureUnsupported);
    int Status = 0;
    EXPECT_EQ(cuStreamIsCapturing(S, &Status), 0);
    EXPECT_EQ(Status, abi::CaptureInvalidated);
    fakecuda_set_capturing(S, 0);
  }
  // Memory management proper is allowed, and a relaxed thread may do more.
  fakecuda_set_capturing(S, 1);
  mapped(2 * Mib);
  int Mode = abi::CaptureRelaxed;
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&Mode), 0);
  EXPECT_EQ(Mode, abi::CaptureGlobal);
  EXPECT_EQ(cuMemAlloc_v2(&B, Mib), 0);
  EXPECT_EQ(cuEventQuery(E), 0);
  EXPECT_EQ(cuMemFree_v2(B), 0);
  int Status = 0;
  EXPECT_EQ(cuStreamIsCapturing(S, &Status), 0);
  EXPECT_EQ(Status, abi::CaptureActive);
  EXPECT_EQ(cuStreamQuery(S), abi::StreamCaptureUnsupported)
      << "of the stream itself: never";
  fakecuda_set_capturing(S, 0);
}

TEST_F(FakeCudaClockTest, ADestroyedStreamEndsItsCapture) {
  CUstream S = stream();
  fakecuda_set_capturing(S, 1);
  EXPECT_EQ(cuStreamDestroy_v2(S), 0);
  EXPECT_EQ(cuCtxSynchronize(), 0);
}

TEST_F(FakeCudaClockTest, CaptureIsIsolated) {
  CUstream S = stream();
  CUevent Outside = recorded(stream());
  fakecuda_set_capturing(S, 1);
  EXPECT_EQ(cuStreamWaitEvent(S, Outside, 0), abi::StreamCaptureIsolation);
  fakecuda_set_capturing(S, 0);
  EXPECT_EQ(cuStreamWaitEvent(S, Outside, 0), 0);
}

} // namespace
} // namespace fakecuda::test
