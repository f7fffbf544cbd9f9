//===- Random.h - Numbers that are the same everywhere ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The standard library's distributions differ between libraries; traces must
/// not. SplitMix64 (Steele, Lea, Flood 2014).
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_RANDOM_H
#define TORCHTIDY_BENCH_ALLOCATOR_RANDOM_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace torchtidy::bench {

class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed * 0x9e3779b97f4a7c15u + 1) {}

  uint64_t next() {
    uint64_t V = State += 0x9e3779b97f4a7c15u;
    V = (V ^ (V >> 30)) * 0xbf58476d1ce4e5b9u;
    V = (V ^ (V >> 27)) * 0x94d049bb133111ebu;
    return V ^ (V >> 31);
  }
  /// From 0 to below \p N.
  uint64_t below(uint64_t N) { return next() % N; }
  /// From \p Low to \p High, both possible.
  uint64_t between(uint64_t Low, uint64_t High) {
    return Low + below(High - Low + 1);
  }
  /// From 0 to below 1.
  double unit() { return double(next() >> 11) * 0x1p-53; }
  double normal() {
    constexpr double Tau = 6.283185307179586;
    double Radius = std::sqrt(-2 * std::log(1 - unit()));
    return Radius * std::cos(Tau * unit());
  }
  /// exp(N(\p Mu, \p Sigma)), cut at both ends.
  uint64_t logNormal(double Mu, double Sigma, uint64_t Low, uint64_t High) {
    double V = std::exp(Mu + Sigma * normal());
    return std::clamp(uint64_t(std::min(V, 1e18)), Low, High);
  }

private:
  uint64_t State;
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_RANDOM_H
