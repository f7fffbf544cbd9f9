//===- TorchSubject.cpp - PyTorch's own allocator -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The unmodified CUDACachingAllocator of the wheel's libc10_cuda. Its settings
/// come from PYTORCH_CUDA_ALLOC_CONF.
///
//===----------------------------------------------------------------------===//

#include "Subject.h"
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <vector>

namespace c10::cuda::_internal {
// libtorch_cuda sets it when it is loaded; no public header has it.
C10_CUDA_API void setHasPrimaryContext(bool (*Function)(DeviceIndex));
} // namespace c10::cuda::_internal

using namespace torchtidy::bench;
namespace caching = c10::cuda::CUDACachingAllocator;

namespace {
class TorchSubject : public Subject {
public:
  explicit TorchSubject(double Fraction) {
    c10::cuda::_internal::setHasPrimaryContext(
        [](c10::DeviceIndex) { return true; });
    caching::init(1);
    if (Fraction > 0)
      caching::setMemoryFraction(Fraction, 0);
  }

  void *allocate(size_t Bytes, void *Stream) override {
    try {
      return caching::raw_alloc_with_stream(Bytes,
                                            static_cast<cudaStream_t>(Stream));
    } catch (const c10::OutOfMemoryError &) {
      return nullptr;
    }
  }
  void free(void *P) override { caching::raw_delete(P); }
  void recordStream(void *P, void *Stream) override {
    for (const c10::cuda::CUDAStream &S : Streams) {
      if (S.stream() != Stream)
        continue;
      c10::DataPtr Data(P, P, caching::get()->raw_deleter(),
                        c10::Device(c10::kCUDA, 0));
      caching::recordStream(Data, S);
      Data.release_context();
    }
  }
  void emptyCache() override { caching::emptyCache(); }
  SubjectStatistics statistics() override {
    auto D = caching::getDeviceStats(0);
    const auto &Reserved = D.reserved_bytes[0];
    return {uint64_t(Reserved.current), uint64_t(Reserved.peak),
            uint64_t(D.num_alloc_retries), uint64_t(D.num_ooms)};
  }
  void *stream(unsigned Index) override {
    while (Streams.size() <= Index)
      Streams.push_back(Streams.empty()
                            ? c10::cuda::getDefaultCUDAStream(0)
                            : c10::cuda::getStreamFromPool(false, 0));
    return Streams[Index].stream();
  }

private:
  std::vector<c10::cuda::CUDAStream> Streams;
};
} // namespace

std::unique_ptr<Subject>
torchtidy::bench::makeSubject(const SubjectOptions &Options) {
  if (Options.Name != "torch")
    return nullptr;
  return std::make_unique<TorchSubject>(Options.Fraction);
}

const char *torchtidy::bench::listSubjects() { return "torch"; }
