//===- FakeCudaTest.cpp - Rules of the fake driver's memory ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

namespace fakecuda::test {
namespace {

class FakeCudaTest : public Fresh {};

TEST_F(FakeCudaTest, NothingWorksBeforeInit) {
  fakecuda_reset();
  int N;
  EXPECT_EQ(cuDeviceGetCount(&N), abi::NotInitialized);
  EXPECT_EQ(cuInit(1), abi::InvalidValue);
  EXPECT_EQ(cuInit(0), 0);
  EXPECT_EQ(cuDeviceGetCount(&N), 0);
  EXPECT_EQ(N, 1);
}

TEST_F(FakeCudaTest, NoDevices) {
  ASSERT_EQ(fakecuda_set_devices(0), 0);
  EXPECT_EQ(cuInit(0), abi::NoDevice);
  int N = 7;
  EXPECT_EQ(cudaGetDeviceCount(&N), abi::NoDevice);
  EXPECT_EQ(N, 0);
  EXPECT_EQ(fakecuda_set_devices(17), abi::InvalidValue);
  EXPECT_EQ(fakecuda_set_devices(-1), abi::InvalidValue);
}

TEST_F(FakeCudaTest, Granularity) {
  size_t G = 0;
  auto P = memoryOf(0);
  EXPECT_EQ(cuMemGetAllocationGranularity(&G, &P, abi::GranularityMinimum), 0);
  EXPECT_EQ(G, 2 * Mib);
  EXPECT_EQ(cuMemGetAllocationGranularity(&G, &P, abi::GranularityRecommended),
            0);
  EXPECT_EQ(cuMemGetAllocationGranularity(&G, &P, 2), abi::InvalidValue);
  EXPECT_EQ(cuMemGetAllocationGranularity(nullptr, &P, 0), abi::InvalidValue);
  P.Location.Id = 1;
  EXPECT_EQ(cuMemGetAllocationGranularity(&G, &P, 0), abi::InvalidDevice);
}

TEST_F(FakeCudaTest, Reservations) {
  CUdeviceptr A = 0, B = 0;
  EXPECT_EQ(cuMemAddressReserve(&A, 4 * Mib, 0, 0, 0), 0);
  EXPECT_EQ(A, 0x200000000000u) << "addresses do not depend on the system";
  EXPECT_EQ(memory().AddressReserved, 4 * Mib);
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(cuMemAddressReserve(&B, 3 * Mib, 0, 0, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressReserve(&B, 0, 0, 0, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressReserve(&B, 2 * Mib, 3, 0, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressReserve(&B, 2 * Mib, 0, 0, 1), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressReserve(&B, 2 * Mib, 0, 4096, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressReserve(nullptr, 2 * Mib, 0, 0, 0), abi::InvalidValue);
  EXPECT_EQ(B, 0u) << "a failed call changes nothing";

  EXPECT_EQ(cuMemAddressReserve(&B, 2 * Mib, 1 << 30, 0, 0), 0);
  EXPECT_EQ(B % (1 << 30), 0u);
  CUdeviceptr Free = A + (uint64_t(1) << 40), C = 0, D = 0;
  EXPECT_EQ(cuMemAddressReserve(&C, 2 * Mib, 0, Free, 0), 0);
  EXPECT_EQ(C, Free) << "a hint that is free is taken";
  EXPECT_EQ(cuMemAddressReserve(&D, 2 * Mib, 0, Free, 0), 0);
  EXPECT_NE(D, Free) << "a hint that is taken is only a hint";

  EXPECT_EQ(cuMemAddressFree(A, 2 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressFree(A + 2 * Mib, 2 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemAddressFree(A, 4 * Mib), 0);
  EXPECT_EQ(cuMemAddressFree(A, 4 * Mib), abi::InvalidValue) << "twice";
}

TEST_F(FakeCudaTest, FreedAddressesAreUsedAgain) {
  CUdeviceptr A = reserve(4 * Mib), B = reserve(4 * Mib);
  EXPECT_EQ(B, A + 4 * Mib);
  EXPECT_EQ(cuMemAddressFree(A, 4 * Mib), 0);
  EXPECT_EQ(cuMemAddressFree(B, 4 * Mib), 0);
  EXPECT_EQ(reserve(8 * Mib), A) << "neighbours become one";
}

TEST_F(FakeCudaTest, AddressLimit) {
  fakecuda_set_address_limit(6 * Mib);
  CUdeviceptr A = reserve(4 * Mib), B = 0;
  EXPECT_EQ(cuMemAddressReserve(&B, 4 * Mib, 0, 0, 0), abi::OutOfMemory);
  EXPECT_EQ(cuMemAddressReserve(&B, 2 * Mib, 0, 0, 0), 0);
  EXPECT_EQ(cuMemAddressFree(A, 4 * Mib), 0);
  EXPECT_EQ(cuMemAddressReserve(&A, 4 * Mib, 0, 0, 0), 0);
  fakecuda_set_address_limit(0);
  reserve(1024 * Mib);
}

TEST_F(FakeCudaTest, Create) {
  CUmemGenericAllocationHandle H = 0;
  auto P = memoryOf(0);
  EXPECT_EQ(cuMemCreate(&H, 2 * Mib, &P, 0), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(memory().Handles, 1u);
  CUmemGenericAllocationHandle Other = 5;
  EXPECT_EQ(cuMemCreate(&Other, Mib, &P, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemCreate(&Other, 0, &P, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 1), abi::InvalidValue);
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, nullptr, 0), abi::InvalidValue);
  P.Location.Id = 1;
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 0), abi::InvalidDevice);
  P = memoryOf(0);
  P.Location.Type = 2; // the host
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 0), abi::InvalidValue);
  P = memoryOf(0);
  P.RequestedHandleTypes = 8; // fabric
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 0), abi::NotSupported);
  EXPECT_EQ(Other, 5u);
  EXPECT_EQ(memory().Used, 2 * Mib);

  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(cuMemRelease(H), abi::InvalidValue) << "twice";
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(memory().Peak, 2 * Mib);
  fakecuda_reset_peak(0);
  EXPECT_EQ(memory().Peak, 0u);
}

TEST_F(FakeCudaTest, MemoryLimit) {
  fakecuda_set_limit(0, 4 * Mib);
  auto H = create(2 * Mib);
  CUmemGenericAllocationHandle Other = 0;
  auto P = memoryOf(0);
  EXPECT_EQ(cuMemCreate(&Other, 4 * Mib, &P, 0), abi::OutOfMemory);
  EXPECT_EQ(memory().Used, 2 * Mib);
  CUdeviceptr A = 0;
  EXPECT_EQ(cuMemAlloc_v2(&A, 3 * Mib), abi::OutOfMemory);
  EXPECT_EQ(cuMemAlloc_v2(&A, 1), 0) << "rounded up to 2 MiB";
  EXPECT_EQ(memory().Used, 4 * Mib);
  size_t Free = 1, Total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), 0);
  EXPECT_EQ(Free, 0u);
  EXPECT_EQ(Total, 4 * Mib);
  fakecuda_set_limit(0, 2 * Mib);
  EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), 0);
  EXPECT_EQ(Free, 0u) << "less than is in use";
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(cuMemFree_v2(A), 0);
  EXPECT_EQ(memory().Used, 0u);
}

TEST_F(FakeCudaTest, HandleLimit) {
  fakecuda_set_handle_limit(0, 1);
  auto H = create(2 * Mib);
  CUmemGenericAllocationHandle Other = 0;
  auto P = memoryOf(0);
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 0), abi::OutOfMemory);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(cuMemCreate(&Other, 2 * Mib, &P, 0), 0);
}

TEST_F(FakeCudaTest, Map) {
  CUdeviceptr A = reserve(8 * Mib);
  auto H = create(4 * Mib);
  EXPECT_EQ(cuMemMap(A, 4 * Mib, 2 * Mib, H, 0), abi::InvalidValue) << "offset";
  EXPECT_EQ(cuMemMap(A, 2 * Mib, 0, H, 0), abi::InvalidValue) << "part";
  EXPECT_EQ(cuMemMap(A, 6 * Mib, 0, H, 0), abi::InvalidValue) << "more";
  EXPECT_EQ(cuMemMap(A + Mib, 4 * Mib, 0, H, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A + 6 * Mib, 4 * Mib, 0, H, 0), abi::InvalidValue)
      << "over the end of the reservation";
  EXPECT_EQ(cuMemMap(A + 8 * Mib, 4 * Mib, 0, H, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A - 2 * Mib, 4 * Mib, 0, H, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A, 4 * Mib, 0, H + 1, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A, 4 * Mib, 0, H, 1), abi::InvalidValue) << "flags";
  EXPECT_EQ(memory().Mapped, 0u);
  EXPECT_EQ(cuMemMap(A + 2 * Mib, 4 * Mib, 0, H, 0), 0);
  EXPECT_EQ(memory().Mapped, 4 * Mib);
  auto Small = create(2 * Mib);
  EXPECT_EQ(cuMemMap(A + 2 * Mib, 2 * Mib, 0, Small, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A + 4 * Mib, 2 * Mib, 0, Small, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A, 4 * Mib, 0, H, 0), abi::InvalidValue) << "overlaps";
  EXPECT_EQ(cuMemMap(A, 2 * Mib, 0, Small, 0), 0);
  EXPECT_EQ(cuMemMap(A + 6 * Mib, 2 * Mib, 0, Small, 0), 0) << "an alias";
  EXPECT_EQ(memory().Mapped, 8 * Mib);
  EXPECT_EQ(memory().Mappings, 3u);
  EXPECT_EQ(memory().Used, 6 * Mib);
}

TEST_F(FakeCudaTest, AdjacentReservationsAreTwo) {
  CUdeviceptr A = reserve(2 * Mib), B = reserve(2 * Mib);
  ASSERT_EQ(B, A + 2 * Mib);
  auto H = create(4 * Mib), S = create(2 * Mib);
  EXPECT_EQ(cuMemMap(A, 4 * Mib, 0, H, 0), abi::InvalidValue);
  map(A, S, 2 * Mib);
  map(B, S, 2 * Mib);
  EXPECT_EQ(cuMemUnmap(A, 4 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemUnmap(A, 2 * Mib), 0);
  EXPECT_EQ(cuMemUnmap(B, 2 * Mib), 0);
}

TEST_F(FakeCudaTest, Unmap) {
  CUdeviceptr A = reserve(16 * Mib);
  auto H = create(4 * Mib), Small = create(2 * Mib);
  map(A, H, 4 * Mib);
  map(A + 4 * Mib, Small, 2 * Mib);
  map(A + 8 * Mib, H, 4 * Mib);
  EXPECT_EQ(cuMemUnmap(A, 2 * Mib), abi::InvalidValue) << "part of a mapping";
  EXPECT_EQ(cuMemUnmap(A + 2 * Mib, 4 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemUnmap(A, 8 * Mib), abi::InvalidValue) << "a hole at the end";
  EXPECT_EQ(cuMemUnmap(A, 12 * Mib), abi::InvalidValue) << "a hole within";
  EXPECT_EQ(cuMemUnmap(A + 6 * Mib, 2 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemUnmap(A, 0), abi::InvalidValue);
  EXPECT_EQ(memory().Mappings, 3u);
  EXPECT_EQ(cuMemAddressFree(A, 16 * Mib), abi::InvalidValue) << "mapped";
  EXPECT_EQ(cuMemUnmap(A, 6 * Mib), 0) << "a run of two mappings";
  EXPECT_EQ(cuMemUnmap(A, 6 * Mib), abi::InvalidValue) << "twice";
  EXPECT_EQ(cuMemUnmap(A + 8 * Mib, 4 * Mib), 0);
  EXPECT_EQ(memory().Mapped, 0u);
  EXPECT_EQ(memory().Used, 6 * Mib) << "the handles hold the memory";
  EXPECT_EQ(cuMemAddressFree(A, 16 * Mib), 0);
}

TEST_F(FakeCudaTest, MappingsKeepMemoryButNotTheHandle) {
  CUdeviceptr A = reserve(4 * Mib);
  auto H = create(2 * Mib);
  map(A, H, 2 * Mib);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(cuMemRelease(H), abi::InvalidValue);
  EXPECT_EQ(cuMemMap(A + 2 * Mib, 2 * Mib, 0, H, 0), abi::InvalidValue);
  CUmemGenericAllocationHandle Again = 0;
  auto *Inside = reinterpret_cast<void *>(A + 4096);
  EXPECT_EQ(cuMemRetainAllocationHandle(&Again, Inside), 0);
  EXPECT_EQ(Again, H);
  map(A + 2 * Mib, H, 2 * Mib);
  EXPECT_EQ(cuMemUnmap(A, 4 * Mib), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(cuMemRetainAllocationHandle(&Again, Inside), abi::InvalidValue);
}

TEST_F(FakeCudaTest, LastMappingFreesTheMemory) {
  CUdeviceptr A = reserve(2 * Mib);
  auto H = create(2 * Mib);
  map(A, H, 2 * Mib);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(cuMemUnmap(A, 2 * Mib), 0);
  EXPECT_EQ(memory().Used, 0u);
  EXPECT_EQ(memory().Handles, 0u);
}

TEST_F(FakeCudaTest, Access) {
  CUdeviceptr A = reserve(8 * Mib);
  auto H = create(4 * Mib);
  map(A, H, 4 * Mib);
  unsigned long long Flags = 9;
  abi::MemLocation L = {abi::LocationDevice, 0};
  EXPECT_EQ(cuMemGetAccess(&Flags, &L, A), 0);
  EXPECT_EQ(Flags, 0u) << "none at first";
  EXPECT_EQ(setAccess(A, 2 * Mib), abi::InvalidValue) << "part of a mapping";
  EXPECT_EQ(setAccess(A, 8 * Mib), abi::InvalidValue) << "a hole";
  EXPECT_EQ(setAccess(A, 4 * Mib, 1), abi::InvalidDevice);
  EXPECT_EQ(setAccess(A, 4 * Mib, 0, 2), abi::InvalidValue) << "no such access";
  EXPECT_EQ(cuMemSetAccess(A, 4 * Mib, nullptr, 1), abi::InvalidValue);
  EXPECT_EQ(setAccess(A, 4 * Mib), 0);
  EXPECT_EQ(cuMemGetAccess(&Flags, &L, A + 3 * Mib), 0);
  EXPECT_EQ(Flags, 3u);
  EXPECT_EQ(cuMemGetAccess(&Flags, &L, A + 4 * Mib), abi::InvalidValue);
  EXPECT_EQ(setAccess(A, 4 * Mib, 0, abi::AccessRead), 0);
  EXPECT_EQ(cuMemGetAccess(&Flags, &L, A), 0);
  EXPECT_EQ(Flags, 1u);
  EXPECT_EQ(cuMemUnmap(A, 4 * Mib), 0);
  map(A, H, 4 * Mib);
  EXPECT_EQ(cuMemGetAccess(&Flags, &L, A), 0);
  EXPECT_EQ(Flags, 0u) << "a new mapping begins without access";
}

TEST_F(FakeCudaTest, AccessIsAllOrNothing) {
  CUdeviceptr A = reserve(2 * Mib);
  map(A, create(2 * Mib), 2 * Mib);
  abi::MemAccessDesc D[] = {{{abi::LocationDevice, 0}, abi::AccessReadWrite},
                            {{abi::LocationDevice, 9}, abi::AccessReadWrite}};
  EXPECT_EQ(cuMemSetAccess(A, 2 * Mib, D, 2), abi::InvalidDevice);
  unsigned long long Flags = 9;
  EXPECT_EQ(cuMemGetAccess(&Flags, &D[0].Location, A), 0);
  EXPECT_EQ(Flags, 0u);
}

TEST_F(FakeCudaTest, ShareableHandles) {
  auto P = memoryOf(0);
  P.RequestedHandleTypes = abi::HandlePosixFd;
  CUmemGenericAllocationHandle H = 0, Imported = 0;
  ASSERT_EQ(cuMemCreate(&H, 2 * Mib, &P, 0), 0);
  int Fd = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&Fd, H, 8, 0), abi::NotSupported);
  EXPECT_EQ(cuMemExportToShareableHandle(&Fd, create(2 * Mib), 1, 0),
            abi::InvalidValue)
      << "created without that type";
  ASSERT_EQ(cuMemExportToShareableHandle(&Fd, H, 1, 0), 0);
  void *Shareable = reinterpret_cast<void *>(intptr_t(Fd));
  ASSERT_EQ(cuMemImportFromShareableHandle(&Imported, Shareable, 1), 0);
  EXPECT_NE(Imported, H);
  EXPECT_EQ(memory().Used, 4 * Mib) << "imported memory is not taken again";
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(memory().Used, 4 * Mib) << "the import holds it";
  CUdeviceptr A = reserve(2 * Mib);
  map(A, Imported, 2 * Mib);
  EXPECT_EQ(cuMemRelease(Imported), 0);
  EXPECT_EQ(cuMemUnmap(A, 2 * Mib), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(cuMemImportFromShareableHandle(&Imported, Shareable, 1),
            abi::InvalidValue)
      << "the memory is gone";
  EXPECT_EQ(cuMemImportFromShareableHandle(&Imported, nullptr, 1),
            abi::InvalidValue)
      << "not a descriptor of ours";
  close(Fd);
}

TEST_F(FakeCudaTest, ImportOfMappedMemory) {
  auto P = memoryOf(0);
  P.RequestedHandleTypes = abi::HandlePosixFd;
  CUmemGenericAllocationHandle H = 0, Imported = 0;
  ASSERT_EQ(cuMemCreate(&H, 2 * Mib, &P, 0), 0);
  CUdeviceptr A = reserve(2 * Mib);
  map(A, H, 2 * Mib);
  int Fd = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&Fd, H, 1, 0), 0);
  void *Shareable = reinterpret_cast<void *>(intptr_t(Fd));
  ASSERT_EQ(cuMemImportFromShareableHandle(&Imported, Shareable, 1), 0);
  close(Fd);
  EXPECT_EQ(cuMemRelease(Imported), 0);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(cuMemUnmap(A, 2 * Mib), 0);
  EXPECT_EQ(memory().Used, 0u);
}

TEST_F(FakeCudaTest, Properties) {
  auto P = memoryOf(0);
  P.RequestedHandleTypes = abi::HandlePosixFd;
  CUmemGenericAllocationHandle H = 0;
  ASSERT_EQ(cuMemCreate(&H, 2 * Mib, &P, 0), 0);
  abi::MemAllocationProp Q = {};
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&Q, H), 0);
  EXPECT_EQ(Q.RequestedHandleTypes, abi::HandlePosixFd);
  EXPECT_EQ(Q.Location.Type, abi::LocationDevice);
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&Q, H + 1),
            abi::InvalidValue);
}

TEST_F(FakeCudaTest, PlainMemory) {
  CUdeviceptr A = 0;
  EXPECT_EQ(cuMemAlloc_v2(&A, 0), abi::InvalidValue);
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 1), abi::InvalidValue);
  ASSERT_EQ(cuMemAlloc_v2(&A, 5 * Mib), 0);
  EXPECT_EQ(memory().Used, 6 * Mib);
  EXPECT_EQ(memory().Mallocs, 1u);
  EXPECT_EQ(memory().Mappings, 0u);
  EXPECT_EQ(cuMemFree_v2(A + 2 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemUnmap(A, 6 * Mib), abi::InvalidValue) << "not a mapping";
  EXPECT_EQ(setAccess(A, 6 * Mib), abi::InvalidValue);
  EXPECT_EQ(cuMemFree_v2(A), 0);
  EXPECT_EQ(cuMemFree_v2(A), abi::InvalidValue) << "twice";
  CUdeviceptr R = reserve(2 * Mib);
  map(R, create(2 * Mib), 2 * Mib);
  EXPECT_EQ(cuMemFree_v2(R), abi::InvalidValue) << "not cuMemAlloc's";
}

TEST_F(FakeCudaTest, RuntimeMemory) {
  void *P = reinterpret_cast<void *>(1);
  EXPECT_EQ(cudaMalloc(&P, 0), 0);
  EXPECT_EQ(P, nullptr);
  EXPECT_EQ(cudaFree(nullptr), 0);
  ASSERT_EQ(cudaMalloc(&P, Mib), 0);
  EXPECT_EQ(memory().Used, 2 * Mib);
  EXPECT_EQ(cudaFree(P), 0);
  EXPECT_EQ(cudaFree(P), abi::InvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), abi::InvalidValue);
  EXPECT_EQ(cudaGetLastError(), abi::InvalidValue);
  EXPECT_EQ(cudaGetLastError(), 0);
}

} // namespace
} // namespace fakecuda::test
