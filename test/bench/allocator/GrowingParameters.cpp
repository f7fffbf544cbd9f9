//===- GrowingParameters.cpp - A Gaussian-splatting trainer ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shapes of graphdeco-inria/gaussian-splatting: 59 floats per Gaussian in six
/// parameters, each with gradient and two states of Adam. Between iterations
/// 500 and 15,000 the model is made denser every 100: clone, split and prune,
/// each of which replaces every parameter and state by a new tensor, one after
/// the other; after the opacities were reset (every 3000) pruning takes more.
/// Images have 1600 columns as the trainer's default limit. The trace shows
/// \c PerDensification iterations between densifications, not 100, and calls
/// emptyCache only where asked to, while the original does so after each.
///
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Generators.h"
#include "Random.h"
#include <array>

using namespace torchtidy::bench;

namespace {
constexpr unsigned PerDensification = 5, PerReset = 30;
constexpr uint64_t Columns = 1600, Rows = 1064, Views = 60;
constexpr uint64_t Image = 4 * 3 * Columns * Rows, Plane = 4 * Columns * Rows;
constexpr uint64_t FirstGaussians = 150000;

/// Position, colour (constant and rest), opacity, scale, rotation.
constexpr std::array<uint64_t, 6> Floats = {3, 3, 45, 1, 3, 4};

class Trainer {
public:
  Trainer(const Shape &S, bool Empties) : S(S), Empties(Empties), R(S.Seed) {
    for (uint64_t I = 0; I != Views; ++I)
      Truth.push_back(B.allocate(Image));
    B.allocate(32 * MiB);
  }

  Trace train() {
    unsigned N = S.Iterations ? S.Iterations : 145 * PerDensification;
    B.mark();
    for (uint64_t F : Floats)
      Parameters.push_back({B.allocate(4 * F * Count), 0, 0});
    makeStatistics();
    for (unsigned I = 0; I != N; ++I) {
      if (I)
        B.mark();
      iteration();
      if (!S.Stable && I % PerDensification == PerDensification - 1)
        densify(I / PerDensification);
    }
    return B.take();
  }

private:
  const Shape &S;
  const bool Empties;
  Random R;
  Builder B;
  std::vector<uint32_t> Truth;
  uint64_t Count = FirstGaussians;
  struct Parameter {
    uint32_t Value, Mean,
        Square; ///< the states of Adam: 0 before the first step
  };
  std::vector<Parameter> Parameters;
  std::array<uint32_t, 3> Statistics; ///< gradient sums, their number, radii

  void makeStatistics() {
    for (uint32_t &Id : Statistics)
      Id = B.make(4 * Count, {});
  }

  void iteration() {
    // Half of the scene is in view, more or less.
    double Share = S.Stable ? 0.5 : 0.3 + 0.4 * R.unit();
    uint64_t Visible = uint64_t(double(Count) * Share);
    uint64_t Instances = Visible * (S.Stable ? 6 : R.between(4, 9));
    uint32_t Scale = B.make(12 * Count, {Parameters[4].Value});
    uint32_t Rotation = B.make(16 * Count, {Parameters[5].Value});
    uint32_t Opacity = B.make(4 * Count, {Parameters[3].Value});
    uint32_t Colour =
        B.make(192 * Count, {Parameters[1].Value, Parameters[2].Value});
    uint32_t Points = B.make(12 * Count, {}); // gradient carrier in 2D
    uint32_t Geometry = B.make(
        108 * Count, {Parameters[0].Value, Scale, Rotation, Opacity, Colour});
    uint32_t Radii = B.make(4 * Count, {Geometry});
    // Keys and values, unsorted and sorted, and the radix sort's own part.
    uint32_t Binning = B.make(26 * Instances, {Geometry});
    uint32_t Ranges = B.make(4 * Plane, {Binning});
    uint32_t Rendered = B.make(Image, {Binning, Geometry, Ranges});
    uint32_t Depth = B.make(Plane, {Binning, Geometry});
    uint32_t DRendered = loss(Rendered);
    B.free(Rendered);
    B.free(Depth);

    std::vector<uint32_t> Screen; // gradients that the rasterizer needs inside
    for (uint64_t Bytes : {16, 12, 24})
      Screen.push_back(B.make(Bytes * Count, {DRendered, Geometry, Binning}));
    uint32_t DColour = B.make(192 * Count, {Screen[0], Geometry});
    std::array<uint32_t, 6> Gradients;
    Gradients[0] = B.make(12 * Count, {Screen[1], Geometry});
    Gradients[3] = B.make(4 * Count, {Screen[0], Opacity});
    Gradients[4] = B.make(12 * Count, {Screen[2], Scale});
    Gradients[5] = B.make(16 * Count, {Screen[2], Rotation});
    B.freeAll(Screen);
    B.freeAll(Builder::Ids{DRendered, Geometry, Binning, Ranges});
    // Of torch.cat: a copy for each part.
    Gradients[1] = B.make(12 * Count, {DColour});
    Gradients[2] = B.make(180 * Count, {DColour});
    B.freeAll(Builder::Ids{DColour, Colour, Scale, Rotation, Opacity});
    B.run({Points, Radii}, {Statistics[0], Statistics[1], Statistics[2]});
    B.free(Points);
    B.free(Radii);
    B.sync(0);
    step(Gradients);
  }

  /// L1 and SSIM; returns the gradient of the picture.
  uint32_t loss(uint32_t Rendered) {
    uint32_t Real = Truth[R.below(Views)];
    uint32_t Difference = B.make(Image, {Rendered, Real});
    std::vector<uint32_t> Means; // mu1, mu2, E[x^2], E[y^2], E[xy]
    for (unsigned I = 0; I != 5; ++I) {
      uint32_t Product = B.make(Image, {Rendered, Real});
      Means.push_back(B.make(Image, {Product}));
      B.free(Product);
    }
    uint32_t Map = B.make(Image, {Means[0], Means[1], Means[4]});
    uint32_t Gradient = B.make(Image, {Map, Difference});
    B.freeAll(Means);
    B.free(Map);
    B.free(Difference);
    return Gradient;
  }

  void step(const std::array<uint32_t, 6> &Gradients) {
    for (size_t I = 0; I != Floats.size(); ++I) {
      Parameter &P = Parameters[I];
      uint64_t Bytes = 4 * Floats[I] * Count;
      if (!P.Mean) {
        P.Mean = B.make(Bytes, {});
        P.Square = B.make(Bytes, {});
      }
      uint32_t Root = B.make(Bytes, {P.Square, Gradients[I]});
      uint32_t Divisor = B.make(Bytes, {Root});
      B.free(Root);
      B.run({P.Mean, Divisor}, {P.Value});
      B.free(Divisor);
    }
    B.freeAll(Gradients);
  }

  /// Every tensor anew, for \p NewCount Gaussians.
  void replaceAll(uint64_t NewCount) {
    for (size_t I = 0; I != Floats.size(); ++I) {
      Parameter &P = Parameters[I];
      for (uint32_t *Id : {&P.Mean, &P.Square, &P.Value}) {
        uint32_t Old = *Id;
        *Id = B.make(4 * Floats[I] * NewCount, {Old});
        B.free(Old);
      }
    }
    Count = NewCount;
    B.freeAll(Statistics);
    makeStatistics();
  }

  /// Copies of the chosen Gaussians are appended.
  void append(uint64_t Chosen) {
    if (!Chosen)
      return;
    uint32_t Mask = B.make(Count, {Statistics[0]});
    std::vector<uint32_t> Parts;
    for (size_t I = 0; I != Floats.size(); ++I)
      Parts.push_back(
          B.make(4 * Floats[I] * Chosen, {Parameters[I].Value, Mask}));
    B.sync(0);
    replaceAll(Count + Chosen);
    B.freeAll(Parts);
    B.free(Mask);
  }

  void prune(uint64_t Gone) {
    uint32_t Mask = B.make(Count, {Parameters[3].Value});
    uint32_t Index = B.make(8 * (Count - Gone), {Mask});
    B.sync(0);
    replaceAll(Count - Gone);
    B.free(Index);
    B.free(Mask);
  }

  void densify(unsigned Nth) {
    // Fast at first, as gradients above the threshold grow rarer.
    double Rate = 0.08 * std::exp(-double(Nth) / 40) + 0.012;
    auto Part = [&](double Share) {
      return uint64_t(double(Count) * Share * (0.5 + R.unit()));
    };
    append(Part(0.6 * Rate));
    uint64_t Split = Part(0.4 * Rate);
    append(2 * Split);
    prune(Split);
    prune(Part(Nth % PerReset == 1 && Nth > PerReset ? 0.15 : 0.004));
    if (Empties)
      B.emptyCache();
  }
};
} // namespace

Trace torchtidy::bench::growingParameters(const Shape &S) {
  return Trainer(S, false).train();
}

Trace torchtidy::bench::growingParametersEmptied(const Shape &S) {
  return Trainer(S, true).train();
}
