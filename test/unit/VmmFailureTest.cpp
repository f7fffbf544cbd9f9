//===- VmmFailureTest.cpp - Driver calls that fail ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VmmCuda.h"

using namespace torchtidy::vmm;

namespace {

const char *const Calls[] = {"cuMemAddressReserve", "cuMemCreate",
                             "cuMemRelease",        "cuMemMap",
                             "cuMemUnmap",          "cuMemSetAccess",
                             "cuMemGetInfo",        "cuCtxGetCurrent",
                             "cuCtxPushCurrent",    "cuCtxPopCurrent",
                             "cuEventCreate",       "cuEventDestroy",
                             "cuEventRecord",       "cuEventQuery",
                             "cuEventSynchronize",  "cuStreamIsCapturing"};

// Out of memory, invalid value, context gone, unknown.
const int Errors[] = {2, 1, 201, 999};

/// Requests, each of which may fail; what was had is freed again.
class Script {
public:
  Script(Allocator &A, size_t Rounds) : A(A), Rounds(Rounds) {}
  ~Script() { freeAll(); }

  void make(size_t Bytes, Stream S = nullptr) {
    if (Bare)
      cuCtxSetCurrent(nullptr);
    try {
      Live.push_back(A.allocate(Bytes, S));
    } catch (const OutOfMemory &) {
      ++OutOfMemories;
    } catch (const DriverError &E) {
      ++DriverErrors;
      Code = E.What.Code;
    }
  }
  void drop(size_t I) {
    if (I < Live.size() && Live[I]) {
      EXPECT_TRUE(A.free(Live[I]));
      Live[I] = nullptr;
    }
  }
  void freeAll() {
    for (size_t I = 0; I < Live.size(); ++I)
      drop(I);
    Live.clear();
  }
  /// A kernel of a millisecond on a block.
  void work(size_t I, Stream S) {
    if (I < Live.size() && Live[I])
      launch(S, Live[I], 512, 1'000'000);
  }
  void run();

  /// Of the requests of run(), those that are larger than the device.
  int tooLarge() const { return static_cast<int>(Rounds); }
  /// From a thread that has not used the device.
  bool Bare = false;
  int OutOfMemories = 0, DriverErrors = 0, Code = 0;

private:
  Allocator &A;
  const size_t Rounds;
  std::vector<void *> Live;
};

/// Growth, small blocks, remapping, lending between streams, other streams'
/// uses, waiting, trimming, and a request that cannot be met.
void Script::run() {
  for (size_t Round = 0; Round < Rounds; ++Round) {
    const size_t Unit = (10 + Round % 3) * MiB;
    const Stream Other = OnFake::makeStream();
    for (size_t I = 0; I < 6; ++I)
      make(3 * Unit);
    make(600);
    make(100 * 1024 * (Round % 3 + 1));
    work(0, nullptr);
    for (size_t I = 0; I < 6; I += 2)
      drop(I);
    make(8 * Unit);
    make(20 * Unit);
    const size_t Last = Live.empty() ? 0 : Live.size() - 1;
    if (!Live.empty() && Live.back()) {
      A.recordStream(Live.back(), Other);
      order(nullptr, Other);
      work(Last, Other);
    }
    drop(Last);
    make(30 * Unit, Other);
    make(800 * MiB);
    A.emptyCache();
    make(3 * MiB);
    freeAll();
  }
}

struct Point {
  const char *Call;
  int Error;

  friend std::ostream &operator<<(std::ostream &S, const Point &P) {
    return S << P.Call << " = " << P.Error;
  }
};

class VmmFailure : public testing::TestWithParam<Point> {};

/// At each position of the call: the right exception or none, everything works
/// afterwards, and nothing is left on the device.
TEST_P(VmmFailure, LosesNothing) {
  const Point P = GetParam();
  int Reached = 0;
  // Some calls are made once or twice a round.
  const std::string Call = P.Call;
  const size_t Rounds = Call == "cuMemAddressReserve" ||
                                Call == "cuMemGetInfo" ||
                                Call == "cuEventSynchronize"
                            ? 21
                            : 3;
  for (bool Warm : {false, true})
    for (int Position = 1; Position <= 20; ++Position) {
      SCOPED_TRACE(std::string(Warm ? "warm" : "cold") + ", call " +
                   std::to_string(Position));
      {
        OnFake F(700 * MiB);
        Script S(*F.A, Rounds);
        S.Bare = Call.find("cuCtxP") == 0;
        if (Warm)
          S.run();
        ASSERT_EQ(S.DriverErrors, 0);
        ASSERT_EQ(S.OutOfMemories, Warm ? S.tooLarge() : 0);
        const std::string Plan = std::string(P.Call) + "@" +
                                 std::to_string(Position) + "=" +
                                 std::to_string(P.Error);
        ASSERT_EQ(fakecuda_inject(Plan.c_str()), nullptr);
        fakecuda_reset_counts();
        S.run();
        fakecuda_inject(nullptr);
        Reached += fakecuda_count(P.Call) >= unsigned(Position);
        // The exception says what the driver said.
        if (P.Error == 2)
          EXPECT_EQ(S.DriverErrors, 0);
        if (S.DriverErrors)
          EXPECT_EQ(S.Code, P.Error);
        const int Expected = (Warm ? 2 : 1) * S.tooLarge();
        EXPECT_LE(S.OutOfMemories + S.DriverErrors, Expected + 1);
        // The driver is well again.
        Script After(*F.A, 3);
        After.run();
        EXPECT_EQ(After.OutOfMemories, After.tooLarge());
        EXPECT_EQ(After.DriverErrors, 0);
        S.freeAll();
        F.A->emptyCache();
        const FakeCudaMemory M = OnFake::memory();
        EXPECT_EQ(M.Handles, 0u);
        EXPECT_EQ(M.Mappings, 0u);
        EXPECT_EQ(F.A->reserved(), 0u);
        EXPECT_EQ(F.A->statistics().Pools[Aggregate].AllocatedBytes.Current, 0);
        EXPECT_EQ(F.A->statistics().Pools[Aggregate].ReservedBytes.Current, 0);
        expectNoFault();
      }
      EXPECT_EQ(OnFake::memory().AddressReserved, 0u);
      if (HasFailure())
        return;
    }
  EXPECT_GE(Reached, 20);
  RecordProperty("reached", Reached);
}

TEST(VmmFailures, AddressesThatStayDoNoHarm) {
  {
    OnFake F(700 * MiB);
    F.A->free(F.A->allocate(MiB, nullptr));
    ASSERT_EQ(fakecuda_inject("cuMemAddressFree@1=999"), nullptr);
    F.A.reset();
    EXPECT_GE(fakecuda_count("cuMemAddressFree"), 1u);
    EXPECT_EQ(fakecuda_inject(""), nullptr);
    EXPECT_EQ(OnFake::memory().Handles, 0u);
    F.A = std::make_unique<Allocator>(*F.D);
    EXPECT_TRUE(F.A->free(F.A->allocate(50 * MiB, nullptr)));
  }
  expectNoFault();
}

/// What the exception is when the first request fails.
TEST(VmmFailures, SayWhatTheDriverSaid) {
  OnFake F(700 * MiB);
  ASSERT_EQ(fakecuda_inject("cuMemCreate@1=999"), nullptr);
  try {
    F.A->allocate(MiB, nullptr);
    FAIL() << "no exception";
  } catch (const DriverError &E) {
    EXPECT_EQ(E.What.Code, 999);
    EXPECT_NE(std::string(E.what()).find("cuMemCreate: unknown error"),
              std::string::npos)
        << E.what();
  }
  ASSERT_EQ(fakecuda_inject("cuMemCreate%1=2"), nullptr);
  EXPECT_THROW(F.A->allocate(MiB, nullptr), OutOfMemory);
  fakecuda_inject(nullptr);
  EXPECT_TRUE(F.A->free(F.A->allocate(MiB, nullptr)));
}

std::vector<Point> allPoints() {
  std::vector<Point> All;
  for (const char *Call : Calls)
    for (int Error : Errors)
      All.push_back({Call, Error});
  return All;
}

INSTANTIATE_TEST_SUITE_P(EachCall, VmmFailure, testing::ValuesIn(allPoints()),
                         [](const testing::TestParamInfo<Point> &I) {
                           return std::string(I.param.Call) + "_" +
                                  std::to_string(I.param.Error);
                         });

} // namespace
