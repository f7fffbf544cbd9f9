//===- BenchTracesTest.cpp - The traces of the allocators' benchmark ------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Generators.h"
#include "TraceText.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace torchtidy::bench;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {
std::string text(const Trace &T) {
  std::ostringstream Out;
  dump(T, Out);
  return Out.str();
}

Trace read(const std::string &Text) {
  std::istringstream In(Text);
  Trace T;
  EXPECT_EQ(load(In, T), "");
  return T;
}

std::string wrong(const std::string &Text) {
  std::istringstream In(Text);
  Trace T;
  return load(In, T);
}

Op op(OpKind Kind, uint32_t Id, uint64_t Value = 0) {
  Op O{Kind};
  O.Id = Id;
  O.Value = Value;
  return O;
}

Shape few(uint64_t Seed) {
  Shape S;
  S.Seed = Seed;
  S.Iterations = 12;
  return S;
}

class EachTrace : public testing::TestWithParam<Generator> {};

TEST_P(EachTrace, IsTheSameForTheSameSeed) {
  EXPECT_EQ(text(GetParam().Make(few(3))), text(GetParam().Make(few(3))));
}

TEST_P(EachTrace, DiffersBySeed) {
  bool Loop = GetParam().Make == smallLoop;
  EXPECT_EQ(text(GetParam().Make(few(3))) == text(GetParam().Make(few(4))),
            Loop);
}

TEST_P(EachTrace, IsWellFormed) {
  for (bool Stable : {false, true}) {
    Shape S = few(1);
    S.Stable = Stable;
    EXPECT_THAT(whyMalformed(GetParam().Make(S)), IsEmpty());
  }
  EXPECT_THAT(whyMalformed(GetParam().Make({})), IsEmpty());
}

TEST_P(EachTrace, SurvivesText) {
  Trace T = GetParam().Make(few(2));
  Trace Again = read(text(T));
  EXPECT_EQ(text(Again), text(T));
  EXPECT_EQ(Again.IdealPeak, T.IdealPeak);
  EXPECT_EQ(Again.Blocks, T.Blocks);
  EXPECT_EQ(Again.Persistent, T.Persistent);
  EXPECT_EQ(Again.Streams, T.Streams);
  EXPECT_EQ(Again.Iterations, T.Iterations);
  EXPECT_EQ(Again.StreamPeaks, T.StreamPeaks);
}

/// Sizes of the blocks of each iteration.
std::vector<std::vector<uint64_t>> sizes(const Trace &T) {
  std::vector<std::vector<uint64_t>> All(1);
  for (const Op &O : T.Ops) {
    if (O.Kind == OpKind::Mark)
      All.emplace_back();
    else if (O.Kind == OpKind::Allocate)
      All.back().push_back(O.Value);
  }
  return All;
}

TEST_P(EachTrace, RepeatsItselfWhenStable) {
  Shape S = few(5);
  S.Iterations = 24;
  S.Stable = true;
  auto All = sizes(GetParam().Make(S));
  // Optimizers step every fourth iteration.
  ASSERT_GT(All.size(), 16u);
  for (size_t I = 8; I + 4 < All.size(); ++I)
    EXPECT_EQ(All[I], All[I + 4]) << "iteration " << I;
}

INSTANTIATE_TEST_SUITE_P(Bench, EachTrace, testing::ValuesIn(generators()),
                         [](const auto &Info) {
                           std::string Name = Info.param.Name;
                           for (char &C : Name)
                             if (C == '-')
                               C = '_';
                           return Name;
                         });

TEST(Trace, PeakCountsRoundedSizesLiveAtOnce) {
  Trace T = read("allocate 0 1\n"
                 "mark\n"
                 "allocate 1 513\n"
                 "free 1\n"
                 "allocate 2 512 1\n"
                 "allocate 3 100 1\n"
                 "free 2\n");
  EXPECT_EQ(T.IdealPeak, 512u + 1024u);
  EXPECT_THAT(T.StreamPeaks, testing::ElementsAre(1536, 1024));
  EXPECT_EQ(T.Persistent, 1u);
  EXPECT_EQ(T.Iterations, 1u);
  EXPECT_EQ(T.Streams, 2u);
}

TEST(Trace, VariableLengthTransformer) {
  Trace T = variableLength({});
  EXPECT_EQ(T.Blocks, 184191u);
  EXPECT_EQ(T.IdealPeak / MiB, 17466u);
}

TEST(Trace, BatchOf32FitsInSixteenGigabytes) {
  for (uint64_t Seed = 1; Seed != 4; ++Seed) {
    Shape S;
    S.Seed = Seed;
    EXPECT_LT(fragmentingTransformer(S).IdealPeak, 15 * GiB);
    EXPECT_LT(fragmentingTransformerPlain(S).IdealPeak, 15 * GiB);
  }
}

TEST(Trace, LargerBatchesNeedMore) {
  Shape S = few(1);
  uint64_t Before = 0;
  for (unsigned Batch : {8, 16, 32, 48, 49, 50}) {
    S.Batch = Batch;
    uint64_t Peak = fragmentingTransformer(S).IdealPeak;
    EXPECT_GT(Peak, Before);
    Before = Peak;
  }
}

TEST(Trace, PeaksOfStreamsDoNotCoincide) {
  for (auto *Make : {twoStreams, fourStreams}) {
    Trace T = Make({});
    uint64_t Sum = 0;
    for (uint64_t Peak : T.StreamPeaks)
      Sum += Peak;
    EXPECT_LT(double(T.IdealPeak), 0.65 * double(Sum));
  }
}

TEST(Trace, GaussiansGrow) {
  Trace T = growingParameters({});
  uint64_t First = 0, Last = 0, Live = 0;
  std::vector<uint64_t> Bytes;
  unsigned Iteration = 0;
  for (const Op &O : T.Ops) {
    if (O.Kind == OpKind::Allocate) {
      Bytes.push_back(O.Value);
      Live += O.Value;
    } else if (O.Kind == OpKind::Free) {
      Live -= Bytes[O.Id];
    } else if (O.Kind == OpKind::Mark && ++Iteration == 3) {
      First = Live;
    }
  }
  Last = Live;
  EXPECT_GT(Last, 2 * First);
}

TEST(Trace, LateFreesComeLaterButAll) {
  Trace T = delayedFrees(few(1));
  size_t Allocated = 0, Freed = 0;
  for (const Op &O : T.Ops) {
    Allocated += O.Kind == OpKind::Allocate;
    Freed += O.Kind == OpKind::Free;
  }
  EXPECT_EQ(Allocated - Freed, T.Persistent);
}

TEST(Trace, SaysWhatIsMalformed) {
  Trace T;
  T.Ops = {op(OpKind::Allocate, 0, 1), op(OpKind::Free, 0)};
  EXPECT_EQ(whyMalformed(T), "");
  T.Ops.push_back(op(OpKind::Free, 0));
  EXPECT_EQ(whyMalformed(T), "operation 2: frees a block that is not live");
  T.Ops[2] = op(OpKind::Allocate, 0, 1);
  EXPECT_THAT(whyMalformed(T), HasSubstr("numbered in order"));
  T.Ops[2] = op(OpKind::Allocate, 1, 0);
  EXPECT_THAT(whyMalformed(T), HasSubstr("without bytes"));
  T.Ops[2] = op(OpKind::Record, 0);
  EXPECT_THAT(whyMalformed(T), HasSubstr("records a block"));
  T.Ops[2] = op(OpKind::Wait, 0);
  EXPECT_THAT(whyMalformed(T), HasSubstr("waits for itself"));
  T.Uses = {{0, true}};
  T.Ops[2] = op(OpKind::Launch, 0);
  T.Ops[2].Count = 1;
  EXPECT_THAT(whyMalformed(T), HasSubstr("touches a block"));
  T.Ops[2].Count = 2;
  EXPECT_THAT(whyMalformed(T), HasSubstr("uses that are not there"));
}

TEST(TraceText, TakesForeignNumbersCommentsAndEmptyLines) {
  Trace T = read("# another tool wrote this\n"
                 "\n"
                 "allocate 140000000000 4096   # first\n"
                 "allocate 7 100 2\n"
                 "launch 2 500 r:140000000000 w:7\n"
                 "record 7 1\n"
                 "wait 1 2\n"
                 "sync 1\n"
                 "host 10\n"
                 "empty\n"
                 "free 140000000000\n");
  EXPECT_EQ(text(T), "allocate 0 4096\n"
                     "allocate 1 100 2\n"
                     "launch 2 500 r:0 w:1\n"
                     "record 1 1\n"
                     "wait 1 2\n"
                     "sync 1\n"
                     "host 10\n"
                     "empty\n"
                     "free 0\n");
  EXPECT_EQ(T.Streams, 3u);
}

TEST(TraceText, RefusesWithLineAndReason) {
  EXPECT_EQ(wrong(""), "line 1: no operations");
  EXPECT_EQ(wrong("mark\nnoise\n"), "line 2: no such operation");
  EXPECT_EQ(wrong("allocate\n"), "line 1: needs the number of a block");
  EXPECT_EQ(wrong("allocate -1 5\n"), "line 1: needs the number of a block");
  EXPECT_EQ(wrong("allocate 99999999999999999999 5\n"),
            "line 1: needs the number of a block");
  for (const char *Size : {"", " 0", " x", " -5", " 1.5", " 1099511627777"})
    EXPECT_EQ(wrong(std::string("allocate 1") + Size),
              "line 1: needs a size from 1 to 2^40 bytes");
  EXPECT_EQ(wrong("allocate 1 5 x\n"), "line 1: needs the number of a stream");
  EXPECT_EQ(wrong("allocate 1 5 1024\n"),
            "line 1: streams count from 0 to 1023");
  EXPECT_EQ(wrong("allocate 1 5 0 9\n"), "line 1: too many words");
  EXPECT_EQ(wrong("allocate 1 5\nfree 1\nallocate 1 5\n"),
            "line 3: this number was allocated before");
  EXPECT_EQ(wrong("free 3\n"), "line 1: a block that was never allocated");
  EXPECT_EQ(wrong("allocate 3 1\nfree 3\nfree 3\n"),
            "line 3: a block that was freed");
  EXPECT_EQ(wrong("allocate 3 1\nfree 3\nlaunch 0 5 w:3\n"),
            "line 3: a block that was freed");
  EXPECT_EQ(wrong("allocate 3 1\nlaunch 0 5 3\n"),
            "line 2: uses are written r:ID or w:ID");
  EXPECT_EQ(wrong("allocate 3 1\nlaunch 0 5 r:\n"),
            "line 2: uses are written r:ID or w:ID");
  EXPECT_EQ(wrong("launch 0\n"), "line 1: needs a duration in ns");
  EXPECT_EQ(wrong("record 1 0\n"), "line 1: a block that was never allocated");
  EXPECT_EQ(wrong("wait 1 1\n"), "line 1: a stream waits for itself");
  EXPECT_EQ(wrong("wait 1\n"), "line 1: needs the number of a stream");
  EXPECT_EQ(wrong("sync\n"), "line 1: needs the number of a stream");
  EXPECT_EQ(wrong("host x\n"), "line 1: needs a duration in ns");
  EXPECT_EQ(wrong("mark 1\n"), "line 1: too many words");
}
} // namespace
