//===- FindingTest.cpp - Tests of the finding model -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Finding/Finding.h"
#include "gtest/gtest.h"

using namespace torchtidy;

namespace {

Finding someFinding() {
  Finding F;
  F.Check = "torch-retained-graph";
  F.Function = "train";
  return F;
}

TEST(Fingerprint, HasSixteenHexDigits) {
  std::string P = fingerprint(someFinding(), "a.cpp", "v.push_back(x);", 0);
  EXPECT_EQ(P.size(), 16u);
  EXPECT_EQ(P.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Fingerprint, IgnoresWhiteSpaceAndPosition) {
  Finding Moved = someFinding();
  Moved.Where.Line = 99;
  EXPECT_EQ(fingerprint(someFinding(), "a.cpp", "v.push_back(x);", 0),
            fingerprint(Moved, "a.cpp", "\t  v.push_back( x );", 0));
}

TEST(Fingerprint, TellsApart) {
  Finding F = someFinding(), Other = F, Check = F;
  Other.Function = "test";
  Check.Check = "torch-missing-no-grad";
  const std::string P = fingerprint(F, "a.cpp", "v.push_back(x);", 0);
  EXPECT_NE(P, fingerprint(F, "b.cpp", "v.push_back(x);", 0));
  EXPECT_NE(P, fingerprint(F, "a.cpp", "v.push_back(y);", 0));
  EXPECT_NE(P, fingerprint(F, "a.cpp", "v.push_back(x);", 1));
  EXPECT_NE(P, fingerprint(Other, "a.cpp", "v.push_back(x);", 0));
  EXPECT_NE(P, fingerprint(Check, "a.cpp", "v.push_back(x);", 0));
}

} // namespace
