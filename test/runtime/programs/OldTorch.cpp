//===- OldTorch.cpp - Stands in for a LibTorch that is too old ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Enough of a libtorch_cpu to allocate and to tell its version.
///
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <map>
#include <string>

namespace c10 {
void *alloc_cpu(size_t Bytes) { return std::malloc(Bytes); }
void free_cpu(void *P) { std::free(P); }
} // namespace c10

namespace caffe2 {
const std::map<std::string, std::string> &GetBuildOptions() {
  static const std::map<std::string, std::string> Options = {
      {"BLAS_INFO", "generic"}, {"TORCH_VERSION", "1.9.0"}, {"USE_CUDA", "0"}};
  return Options;
}
} // namespace caffe2
