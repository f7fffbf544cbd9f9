//===- CudaDriver.h - A CUDA device -----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// libcuda.so.1 is opened when the first device is asked for. Calls that need a
/// context use the device's primary one, which the runtime API uses as well.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_CUDADRIVER_H
#define TORCHTIDY_RUNTIME_VMM_CUDADRIVER_H

#include "CudaAbi.h"
#include "Driver.h"
#include <memory>
#include <vector>

namespace torchtidy::vmm {

class CudaDriver final : public Driver {
public:
  /// Null, and why in \p Error, if there is no driver, no such device, or no
  /// virtual memory management. \p HandleTypes: how handles may be shared with
  /// other processes (CUmemAllocationHandleType), 0 not at all.
  static std::unique_ptr<CudaDriver> open(int Device, std::string &Error,
                                          int HandleTypes = 0);
  ~CudaDriver() override;

  size_t granularity() override { return Granularity; }
  bool aliases() const override { return true; }
  Status memoryInfo(MemoryInfo &To) override;
  Status reserve(Address &At, size_t Bytes) override;
  Status unreserve(Address At, size_t Bytes) override;
  Status create(MemoryId &Id, size_t Bytes) override;
  Status release(MemoryId Id) override;
  Status map(Address At, size_t Bytes, MemoryId Id) override;
  Status unmap(Address At, size_t Bytes) override;
  Status setAccess(Address At, size_t Bytes, const int *Peers,
                   size_t PeerCount) override;
  Status record(Event &To, Stream S) override;
  Status query(Event E) override;
  Status wait(Event E) override;
  Status destroy(Event E) override;
  bool capturing(Stream S) override;
  std::string describe(const Status &S) override;

  struct Functions;

private:
  CudaDriver(const Functions &Call, int Device) : Call(Call), Device(Device) {}

  const Functions &Call;
  const int Device;
  cuda::Context Context = nullptr;
  cuda::AllocationProperties Properties = {};
  size_t Granularity = 0;
  class Current;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_CUDADRIVER_H
