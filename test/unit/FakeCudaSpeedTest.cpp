//===- FakeCudaSpeedTest.cpp - Cost of the fake's bookkeeping -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <chrono>

namespace fakecuda::test {
namespace {

class FakeCudaSpeedTest : public Fresh {};

/// Bookkeeping must not be what a benchmark measures. The bound is far above
/// what it takes, for slow and busy machines.
TEST_F(FakeCudaSpeedTest, ManyLaunches) {
  CUdeviceptr P = reserve(1024 * Mib);
  for (int I = 0; I < 512; ++I)
    map(P + I * 2 * Mib, create(2 * Mib), 2 * Mib);
  EXPECT_EQ(setAccess(P, 1024 * Mib), 0);
  CUstream A = stream();
  auto Begin = std::chrono::steady_clock::now();
  uint64_t Random = 1;
  auto Next = [&](uint64_t Below) {
    Random = Random * 6364136223846793005 + 1442695040888963407;
    return (Random >> 33) % Below;
  };
  for (int I = 0; I < 200000; ++I) {
    FakeCudaRange R[3];
    for (auto &Range : R)
      Range = {P + Next(1000) * Mib + Next(64) * 512, 512 + Next(4096) * 512,
               int(Next(2))};
    EXPECT_EQ(fakecuda_launch(0, A, 1000, R, 3), 0);
  }
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Begin;
  EXPECT_LT(Took.count(), 30.0);
  RecordProperty("seconds", std::to_string(Took.count()));
  std::printf("200000 launches of 3 ranges: %.2f s\n", Took.count());
  CUevent E = recorded(A);
  Begin = std::chrono::steady_clock::now();
  for (int I = 0; I < 1000000; ++I)
    cuEventQuery(E);
  Took = std::chrono::steady_clock::now() - Begin;
  std::printf("an event query: %.0f ns\n", Took.count() * 1000);
}

} // namespace
} // namespace fakecuda::test
