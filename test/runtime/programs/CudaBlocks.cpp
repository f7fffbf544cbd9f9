//===- CudaBlocks.cpp - Allocates through LibTorch's CUDA allocator -------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Twenty iterations on libc10_cuda alone: of three blocks each, the smallest
/// is kept. Then half of what was kept is freed, and the cache emptied.
///
//===----------------------------------------------------------------------===//

#include "torchtidy/torchtidy.h"
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <vector>

namespace c10::cuda::_internal {
// What libtorch_cuda does when it is loaded; in no public header.
C10_CUDA_API void setHasPrimaryContext(bool (*Function)(DeviceIndex));
} // namespace c10::cuda::_internal

namespace allocator = c10::cuda::CUDACachingAllocator;

int main() {
  c10::cuda::_internal::setHasPrimaryContext(
      [](c10::DeviceIndex) { return true; });
  allocator::init(1);
  c10::Allocator *Cuda = allocator::get();
  std::vector<c10::DataPtr> Kept;
  for (int I = 0; I < 20; ++I) {
    c10::DataPtr A = Cuda->allocate(1 << 20);
    c10::DataPtr B = Cuda->allocate(4 << 20);
    Kept.push_back(Cuda->allocate(512));
    torchtidy::iteration();
  }
  Kept.resize(10);
  allocator::emptyCache();
}
