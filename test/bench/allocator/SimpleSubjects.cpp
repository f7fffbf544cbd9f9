//===- SimpleSubjects.cpp - Columns without a real allocator --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// best-fit (handles of 2 MiB), best-fit-64 (of 64 MiB); direct: every request
/// to the driver, which rounds to its granularity and waits for the device at
/// each free; null: what the replay itself costs.
///
//===----------------------------------------------------------------------===//

#include "BestFitSubject.h"
#include "CudaDriver.h"
#include "Trace.h"
#include <algorithm>

using namespace torchtidy::bench;

namespace {
class DirectSubject : public BestFitSubject {
public:
  DirectSubject() : BestFitSubject(0) {}

  void *allocate(size_t Bytes, void *) override {
    CUdeviceptr P = 0;
    if (cuMemAlloc_v2(&P, Bytes)) {
      ++Numbers.OutOfMemory;
      return nullptr;
    }
    // The driver rounds as it likes.
    Sizes[P] = Bytes;
    Numbers.Reserved += Bytes;
    Numbers.ReservedPeak = std::max(Numbers.ReservedPeak, Numbers.Reserved);
    return reinterpret_cast<void *>(P);
  }
  void free(void *P) override {
    CUdeviceptr Address = reinterpret_cast<uint64_t>(P);
    cuMemFree_v2(Address);
    Numbers.Reserved -= Sizes[Address];
    Sizes.erase(Address);
  }
  // cuMemFree waits for the device.
  void recordStream(void *, void *) override {}
  void emptyCache() override {}
  SubjectStatistics statistics() override { return Numbers; }

private:
  SubjectStatistics Numbers;
  std::unordered_map<CUdeviceptr, uint64_t> Sizes;
};

class NullSubject : public BestFitSubject {
public:
  NullSubject() : BestFitSubject(0) {}

  void *allocate(size_t, void *) override {
    return reinterpret_cast<void *>(Next += 512);
  }
  void free(void *) override {}
  void recordStream(void *, void *) override {}
  void emptyCache() override {}

private:
  uintptr_t Next = 4096;
};
} // namespace

std::unique_ptr<Subject>
torchtidy::bench::makeSubject(const SubjectOptions &Options) {
  if (Options.Name == "best-fit")
    return std::make_unique<BestFitSubject>(2 * MiB);
  if (Options.Name == "best-fit-64")
    return std::make_unique<BestFitSubject>(64 * MiB);
  if (Options.Name == "direct")
    return std::make_unique<DirectSubject>();
  if (Options.Name == "null")
    return std::make_unique<NullSubject>();
  return nullptr;
}

const char *torchtidy::bench::listSubjects() {
  return "best-fit best-fit-64 direct null";
}
