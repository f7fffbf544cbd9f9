//===- VmmSubject.cpp - Our allocator as a column -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Subject.h"
#include "Vmm/Allocator.h"
#include "Vmm/CudaDriver.h"
#include <stdexcept>
#include <vector>

using namespace torchtidy;
using namespace torchtidy::bench;

namespace {

class VmmSubject : public Subject {
public:
  explicit VmmSubject(const vmm::Options &Settings) {
    std::string Error;
    Driver = vmm::CudaDriver::open(0, Error);
    if (!Driver)
      throw std::runtime_error(Error);
    Allocator = std::make_unique<vmm::Allocator>(*Driver, Settings);
  }

  void *allocate(size_t Bytes, void *Stream) override {
    try {
      return Allocator->allocate(Bytes, Stream);
    } catch (const vmm::OutOfMemory &) {
      return nullptr;
    }
  }
  void free(void *P) override { Allocator->free(P); }
  void recordStream(void *P, void *Stream) override {
    Allocator->recordStream(P, Stream);
  }
  void emptyCache() override { Allocator->emptyCache(); }
  SubjectStatistics statistics() override {
    const vmm::Statistics S = Allocator->statistics();
    const vmm::Stat &Reserved = S.Pools[vmm::Aggregate].ReservedBytes;
    return {static_cast<uint64_t>(Reserved.Current),
            static_cast<uint64_t>(Reserved.Peak),
            static_cast<uint64_t>(S.AllocRetries),
            static_cast<uint64_t>(S.OutOfMemories)};
  }
  void *stream(unsigned Index) override {
    while (Streams.size() <= Index) {
      CUstream Stream = nullptr;
      // The first is the default stream.
      if (!Streams.empty())
        cuStreamCreate(&Stream, fakecuda::abi::StreamNonBlocking);
      Streams.push_back(Stream);
    }
    return Streams[Index];
  }

private:
  std::unique_ptr<vmm::CudaDriver> Driver;
  std::unique_ptr<vmm::Allocator> Allocator;
  std::vector<void *> Streams;
};

} // namespace

std::unique_ptr<Subject>
torchtidy::bench::makeSubject(const SubjectOptions &Options) {
  vmm::Options Settings;
  if (Options.Fraction > 0)
    Settings.MemoryFraction = Options.Fraction;
  if (Options.Name == "vmm-no-remap")
    Settings.Remap = false;
  else if (Options.Name != "vmm")
    return nullptr;
  return std::make_unique<VmmSubject>(Settings);
}

const char *torchtidy::bench::listSubjects() { return "vmm vmm-no-remap"; }
