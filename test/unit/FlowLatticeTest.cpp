//===- FlowLatticeTest.cpp - May-sets and states --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Lattice.h"
#include "Snippet.h"

using namespace clang;
using namespace torchtidy::flow;

namespace {

const Mode On = Mode::of(Mode::On), Off = Mode::of(Mode::Off),
           Entry = Mode::of(Mode::Entry), Unknown = Mode::of(Mode::Unknown);

History noValue(const Storage &) { return History::unknown(); }

TEST(FlowLattice, AnOperatorRecordsOnlyWithGradModeOn) {
  EXPECT_TRUE(History::leaf().through(On, nullptr).has(Atom::Live));
  EXPECT_TRUE(History::leaf().through(Off, nullptr).onlyNone());
  EXPECT_TRUE(
      History::leaf().through(Mode::of(Mode::Inference), nullptr).onlyNone());
  EXPECT_TRUE(History::none().through(On, nullptr).onlyNone());
}

TEST(FlowLattice, AMixedModeIsNoProof) {
  Mode Mixed = On;
  Mixed.join(Off);
  EXPECT_FALSE(History::leaf().through(Mixed, nullptr).has(Atom::Live));
  EXPECT_TRUE(History::leaf().through(Mixed, nullptr).has(Atom::Unknown));
  EXPECT_FALSE(History::leaf().through(Unknown, nullptr).has(Atom::Live));
}

TEST(FlowLattice, EntryModeIsDecidedByTheCaller) {
  const History H = History::leaf().through(Entry, nullptr);
  EXPECT_TRUE(H.substitute(On, noValue).has(Atom::Live));
  EXPECT_TRUE(H.substitute(Off, noValue).onlyNone());
  EXPECT_FALSE(H.substitute(Unknown, noValue).has(Atom::Live));
  // Symbolic for one more level.
  const History Up = H.substitute(Entry, noValue);
  EXPECT_TRUE(Up.substitute(Off, noValue).onlyNone());
  EXPECT_TRUE(Up.substitute(On, noValue).has(Atom::Live));
}

/// The initialiser of a variable, which may stand for what turns grad mode off.
const Expr *init(ASTUnit &Unit, const char *Name) {
  return torchtidy::test::named<VarDecl>(Unit.getASTContext(), Name)->getInit();
}

TEST(FlowLattice, WhatTurnedGradModeOffIsRemembered) {
  auto Unit = torchtidy::test::parse("int a = 1; int b = 2;");
  ASSERT_TRUE(Unit);
  const Expr *A = init(*Unit, "a"), *B = init(*Unit, "b");
  const Mode ByA = Mode::of(Mode::Off, A), ByB = Mode::of(Mode::Off, B);
  EXPECT_TRUE(History::leaf().through(ByA, nullptr).isLostBy(A));
  EXPECT_FALSE(History::leaf().through(ByA, nullptr).isLostBy(B));
  // Nothing is lost that was not there, or may not have been.
  EXPECT_FALSE(History::none().through(ByA, nullptr).isLostBy(A));
  EXPECT_FALSE(History::unknown().through(ByA, nullptr).isLostBy(A));
  // Later operators do not bring it back, nor forget who lost it.
  EXPECT_TRUE(
      History::leaf().through(ByA, nullptr).through(On, nullptr).isLostBy(A));
  // The caller's guard, through a summary.
  const History H = History::leaf().through(Entry, nullptr);
  EXPECT_TRUE(H.substitute(ByB, noValue).isLostBy(B));
  EXPECT_FALSE(H.substitute(On, noValue).isLostBy(B));
  // Of two the first in the file, in either order of joining.
  Mode One = ByA, Other = ByB;
  One.join(ByB);
  Other.join(ByA);
  EXPECT_EQ(One.By, A);
  EXPECT_TRUE(One == Other);
}

TEST(FlowLattice, EntryValuesAreDecidedByTheCaller) {
  auto Unit = torchtidy::test::parse("torch::Tensor t;");
  const Storage S =
      Storage::of(torchtidy::test::named<VarDecl>(Unit->getASTContext(), "t"));
  const History H = History::entry(S).through(Entry, nullptr);
  auto Leaf = [](const Storage &) { return History::leaf(); };
  auto None = [](const Storage &) { return History::none(); };
  EXPECT_TRUE(H.substitute(On, Leaf).has(Atom::Live));
  EXPECT_TRUE(H.substitute(On, None).onlyNone());
  EXPECT_TRUE(H.substitute(Off, Leaf).onlyNone());
}

TEST(FlowLattice, JoiningLosesNothing) {
  History H = History::none();
  EXPECT_TRUE(H.join(History::leaf()));
  EXPECT_FALSE(H.join(History::leaf()));
  EXPECT_TRUE(H.has(Atom::None));
  EXPECT_TRUE(H.has(Atom::Leaf));
}

TEST(FlowLattice, TooManyPossibilitiesAreUnknown) {
  History H;
  std::vector<int> Places(100);
  for (int &P : Places)
    H.add({Atom::Live, false, false, {}, reinterpret_cast<const Expr *>(&P)});
  EXPECT_TRUE(H.has(Atom::Unknown));
  EXPECT_LT(H.atoms().size(), 30u);
}

struct StateTest : testing::Test {
  StateTest()
      : Unit(torchtidy::test::parse(
            "struct P { torch::Tensor a, b; }; P p; torch::Tensor q;")),
        P(storage("p")), Q(storage("q")) {
    const auto *R =
        torchtidy::test::named<CXXRecordDecl>(Unit->getASTContext(), "P");
    A = P.field(*R->field_begin());
    B = P.field(*std::next(R->field_begin()));
  }
  Storage storage(const char *Name) {
    return Storage::of(
        torchtidy::test::named<VarDecl>(Unit->getASTContext(), Name));
  }
  std::unique_ptr<ASTUnit> Unit;
  Storage P, Q, A, B;
  State S;
};

TEST_F(StateTest, PartsAndWholes) {
  S.write(P, {History::none(), {}}, false, true);
  EXPECT_TRUE(S.read(A, true).H.onlyNone());
  S.write(A, {History::leaf(), {}}, false, true);
  EXPECT_TRUE(S.read(P, true).H.has(Atom::Leaf));
  EXPECT_TRUE(S.read(B, true).H.onlyNone());
  S.write(P, {History::none(), {}}, false, true);
  EXPECT_TRUE(S.read(A, true).H.onlyNone());
}

TEST_F(StateTest, WeakWritesKeepTheOld) {
  S.write(Q, {History::leaf(), {}}, false, true);
  S.write(Q, {History::none(), {}}, true, true);
  EXPECT_TRUE(S.read(Q, true).H.has(Atom::Leaf));
}

TEST_F(StateTest, UnwrittenIsTheEntryValue) {
  EXPECT_TRUE(S.read(Q, false).H.has(Atom::Entry));
  EXPECT_TRUE(S.read(Q, true).H.onlyNone());
  State Other;
  S.Reached = Other.Reached = true;
  Other.write(Q, {History::none(), {}}, false, false);
  S.join(Other, [](const Storage &) { return false; });
  EXPECT_TRUE(S.read(Q, false).H.has(Atom::Entry));
  EXPECT_TRUE(S.read(Q, false).H.has(Atom::None));
}

TEST_F(StateTest, EachParallelRegionHasItsGradMode) {
  Unit = torchtidy::test::parse("void f() { ; ; }");
  const auto *F =
      torchtidy::test::named<FunctionDecl>(Unit->getASTContext(), "f");
  const auto *Body = cast<CompoundStmt>(F->getBody());
  const Stmt *Inner = *Body->body_begin(), *Other = Body->body_back();
  S.Reached = true;
  S.Grad = Mode::of(Mode::Off);
  State Outside = S;
  S.switchTo(Inner, Mode::of(Mode::On));
  EXPECT_TRUE(S.Grad.is(Mode::On));
  // A path from outside does not bring its mode into the region.
  S.join(Outside, [](const Storage &) { return false; });
  EXPECT_TRUE(S.Grad.is(Mode::On));
  S.switchTo(Other, Mode::of(Mode::Unknown));
  EXPECT_TRUE(S.Grad.is(Mode::Unknown));
  S.switchTo(Inner, Mode::of(Mode::Unknown));
  EXPECT_TRUE(S.Grad.is(Mode::On)); // as it was left
  S.switchTo(nullptr, Mode::of(Mode::Unknown));
  EXPECT_TRUE(S.Grad.is(Mode::Off));
  // ... but two paths outside meet there.
  Outside.Grad = Mode::of(Mode::On);
  S.switchTo(Inner, Mode::of(Mode::On));
  EXPECT_TRUE(S.join(Outside, [](const Storage &) { return false; }));
  EXPECT_FALSE(S.join(Outside, [](const Storage &) { return false; }));
  S.switchTo(nullptr, Mode::of(Mode::Unknown));
  EXPECT_EQ(S.Grad, Mode::of(Mode::On | Mode::Off));
}

TEST(FlowLattice, InferenceModeOutlivesGradMode) {
  const Mode Inference = Mode::of(Mode::Inference);
  EXPECT_TRUE(Birth::made(Inference, nullptr).isInference());
  EXPECT_TRUE(Birth::made(Off.inside(Inference), nullptr).isInference());
  EXPECT_TRUE(
      Birth::made(Off.inside(Inference).substitute(On), nullptr).isInference());
  for (const Mode &M : {On, Off, Entry, Unknown})
    EXPECT_FALSE(Birth::made(M, nullptr).isInference());
  // NoGradGuard in a callee does not hide what the caller runs under.
  const Birth B = Birth::made(Off.inside(Entry), nullptr);
  auto Nothing = [](const Storage &) { return Birth::nothing(); };
  EXPECT_TRUE(B.mayBeInference());
  EXPECT_TRUE(B.substitute(Inference, Nothing).isInference());
  EXPECT_FALSE(B.substitute(On, Nothing).mayBeInference());
  EXPECT_FALSE(B.substitute(Unknown, Nothing).isInference());
}

TEST_F(StateTest, AllWaysMustAgreeOnABirth) {
  const Birth Inference = Birth::made(Mode::of(Mode::Inference), nullptr);
  Birth Born = Birth::nothing();
  EXPECT_TRUE(Born.join(Inference));
  EXPECT_TRUE(Born.isInference()); // an empty container says nothing
  EXPECT_FALSE(Born.join(Inference));
  EXPECT_TRUE(Born.join(Birth::made(On, nullptr)));
  EXPECT_FALSE(Born.isInference());
  EXPECT_FALSE(Birth::unknown().isInference());

  S.write(P, {History::none(), LossShape::other(), Inference}, false, false);
  EXPECT_TRUE(S.read(P, false).B.isInference());
  EXPECT_TRUE(S.read(A, false).B.isInference()); // a part of it
  EXPECT_EQ(S.read(Q, false).B, Birth::entry(Q));
  S.forgetBirths(P);
  EXPECT_FALSE(S.read(P, false).B.mayBeInference());

  Birth Either = Birth::entry(P);
  Either.join(Birth::entry(Q));
  auto Made = [&](const Storage &X) {
    return X == P ? Inference : Birth::made(On, nullptr);
  };
  EXPECT_TRUE(Birth::entry(P).substitute(On, Made).isInference());
  EXPECT_FALSE(Either.substitute(On, Made).isInference());
}

TEST_F(StateTest, RebasedNamesKeepTheirFields) {
  EXPECT_EQ(A.rebase(P, Q).firstField(), A.firstField());
  EXPECT_EQ(A.name(), "p.a");
}

} // namespace
