//===- Parallel.h - Mock of LibTorch's ATen/Parallel.h ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <functional>

namespace at {

template <class F>
inline void parallel_for(const int64_t begin, const int64_t end,
                         const int64_t grain_size, const F &f) {
  f(begin, end);
}

template <class scalar_t, class F, class SF>
inline scalar_t parallel_reduce(const int64_t begin, const int64_t end,
                                const int64_t grain_size, const scalar_t ident,
                                const F &f, const SF &sf) {
  return sf(ident, f(begin, end, ident));
}

void launch(std::function<void()> func);
void intraop_launch(std::function<void()> func);
int get_num_threads();

} // namespace at
