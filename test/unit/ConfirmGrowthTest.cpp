//===- ConfirmGrowthTest.cpp - Growth rule on patterns of known truth -----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Growth.h"
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace torchtidy::confirm;

namespace {

/// Plays a program: makes and drops things of some stacks, mark by mark.
class Player {
public:
  std::vector<Life> Lives;
  uint64_t Now = 0;

  size_t make(uint32_t Stack, uint64_t Bytes = 1024) {
    Lives.push_back({Now, Never, Stack, Bytes});
    return Lives.size() - 1;
  }
  void drop(size_t I) { Lives[I].Death = Now; }
  void temporary(uint32_t Stack, uint64_t Bytes = 4096) {
    drop(make(Stack, Bytes));
  }
};

struct Pattern {
  const char *Name;
  bool Leaks;
  /// Called once per program; returns what one iteration does.
  std::function<std::function<void(Player &, uint64_t, uint64_t)>()> Start;
};

using Step = std::function<void(Player &, uint64_t, uint64_t)>;

/// Every iteration pushes and nothing pops.
Step push(uint32_t Stack, uint64_t Bytes = 1024) {
  return [=](Player &P, uint64_t, uint64_t) { P.make(Stack, Bytes); };
}

Step pushEvery(uint64_t N, uint64_t Phase) {
  return [=](Player &P, uint64_t I, uint64_t) {
    if (I % N == Phase)
      P.make(1);
  };
}

Step fifo(size_t Limit) {
  auto Q = std::make_shared<std::deque<size_t>>();
  return [=](Player &P, uint64_t, uint64_t) {
    Q->push_back(P.make(1));
    if (Q->size() > Limit) {
      P.drop(Q->front());
      Q->pop_front();
    }
  };
}

Step clearedEvery(size_t N) {
  auto Kept = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t I, uint64_t) {
    Kept->push_back(P.make(1));
    if (I % N == N - 1) {
      for (size_t L : *Kept)
        P.drop(L);
      Kept->clear();
    }
  };
}

/// A chain through time: every iteration adds nodes that the state keeps;
/// \p Window is where it is cut (0: never).
Step chain(uint64_t Window) {
  auto Kept = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t I, uint64_t) {
    for (int Node = 0; Node < 3; ++Node)
      Kept->push_back(P.make(1, 200));
    if (Window && I % Window == Window - 1) {
      for (size_t L : *Kept)
        P.drop(L);
      Kept->clear();
    }
  };
}

Step overwrite(std::function<bool(uint64_t)> When) {
  auto Held = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t I, uint64_t) {
    size_t New = P.make(1);
    if (!When(I)) {
      P.drop(New);
      return;
    }
    for (size_t L : *Held)
      P.drop(L);
    *Held = {New};
  };
}

Step reservoir(size_t Size) {
  auto Kept = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t I, uint64_t) {
    size_t New = P.make(1);
    if (Kept->size() < Size) {
      Kept->push_back(New);
      return;
    }
    uint64_t R = (I * 2654435761u) % (I + 1);
    if (R < Size) {
      P.drop((*Kept)[R]);
      (*Kept)[R] = New;
    } else {
      P.drop(New);
    }
  };
}

Step cache(uint64_t Keys) {
  return [=](Player &P, uint64_t I, uint64_t) {
    if (I < Keys)
      P.make(1, 16384);
    P.temporary(2);
  };
}

Step lazy(std::function<bool(uint64_t, uint64_t)> When, int Blocks) {
  return [=](Player &P, uint64_t I, uint64_t N) {
    if (When(I, N))
      for (int B = 0; B < Blocks; ++B)
        P.make(1 + B, 65536);
    P.temporary(9);
  };
}

/// A replay buffer that fills and is emptied only just before the end.
Step emptiedLate() {
  auto Kept = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t I, uint64_t N) {
    Kept->push_back(P.make(1));
    if (I == N - 2) {
      for (size_t L : *Kept)
        P.drop(L);
      Kept->clear();
    }
  };
}

Step both(Step A, Step B) {
  return [=](Player &P, uint64_t I, uint64_t N) {
    A(P, I, N);
    B(P, I, N);
  };
}

Step varying() {
  return [](Player &P, uint64_t I, uint64_t) {
    P.make(1, 32 * (8 + (I * 37) % 56));
    P.temporary(2, 1024 * (8 + (I * 37) % 56));
  };
}

Step temporaries() {
  return [](Player &P, uint64_t, uint64_t) {
    for (int S = 1; S < 6; ++S)
      P.temporary(S);
  };
}

/// Four micro-batches, gradients made at the first and dropped at the step.
Step accumulate4() {
  auto Grads = std::make_shared<std::vector<size_t>>();
  return [=](Player &P, uint64_t, uint64_t) {
    for (int Micro = 0; Micro < 4; ++Micro)
      P.temporary(1);
    for (size_t G : *Grads)
      P.drop(G);
    *Grads = {P.make(2, 65536)};
  };
}

std::vector<Pattern> patterns() {
  auto Always = [](uint64_t) { return true; };
  return {
      {"push_loss", true, [] { return both(push(1), temporaries()); }},
      {"push_detached", true, [] { return push(1, 4); }},
      {"total", true, [] { return push(1, 0); }},
      {"total_without_backward", true, [] { return push(1, 99328); }},
      {"retain_graph", true, [] { return push(1, 100352); }},
      {"stored_outputs", true, [] { return push(1, 98304); }},
      {"stored_detached_outputs", true, [] { return push(1, 1024); }},
      {"create_graph_without_zero", true,
       [] { return both(push(1, 65536), push(2, 1024)); }},
      {"model_made_anew", true, [] { return both(push(1), push(2)); }},
      {"bptt_never_cut", true, [] { return chain(0); }},
      {"varying_batch", true, [] { return varying(); }},
      {"leak_in_one_of_7", true, [] { return pushEvery(7, 3); }},
      {"leak_in_one_of_20", true, [] { return pushEvery(20, 7); }},
      {"leak_beside_deque", true, [] { return both(push(2), fifo(5)); }},
      {"item", false, [] { return temporaries(); }},
      {"lazy_gradients", false,
       [] {
         return lazy([](uint64_t I, uint64_t N) { return I == N / 3; }, 4);
       }},
      {"momentum", false,
       [] { return lazy([](uint64_t I, uint64_t) { return I == 0; }, 4); }},
      {"adam_state", false,
       [] { return lazy([](uint64_t I, uint64_t) { return I == 0; }, 8); }},
      {"best_so_far", false,
       [] { return overwrite([](uint64_t I) { return !(I & (I - 1)); }); }},
      {"stale", false, [=] { return overwrite(Always); }},
      {"deque_5", false, [] { return fifo(5); }},
      {"deque_50", false, [] { return fifo(50); }},
      {"epoch_of_10", false, [] { return clearedEvery(10); }},
      {"epoch_of_100", false, [] { return clearedEvery(100); }},
      {"cache_of_100", false, [] { return cache(100); }},
      {"reservoir_20", false, [] { return reservoir(20); }},
      {"replay_emptied_late", false, [] { return emptiedLate(); }},
      {"accumulation", false, [] { return accumulate4(); }},
      {"bptt_window_8", false, [] { return chain(8); }},
      {"guarded_evaluation", false, [] { return temporaries(); }},
      {"varying_batch_dropped", false,
       [] {
         return [](Player &P, uint64_t I, uint64_t) {
           P.temporary(1, 1024 * (8 + (I * 37) % 56));
         };
       }},
      {"holder_cleared_each_iteration", false, [] { return clearedEvery(1); }},
  };
}

Growth play(const Pattern &What, uint64_t Iterations, bool MayBeBounded) {
  Player P;
  Step OneIteration = What.Start();
  for (uint64_t I = 0; I < Iterations; ++I) {
    OneIteration(P, I, Iterations);
    ++P.Now;
  }
  return judgeGrowth(P.Lives, P.Now, MayBeBounded);
}

} // namespace

TEST(ConfirmGrowth, ThirtyTwoProgramsAt300Iterations) {
  auto All = patterns();
  ASSERT_EQ(All.size(), 32u);
  for (const Pattern &What : All) {
    SCOPED_TRACE(What.Name);
    EXPECT_EQ(play(What, 300, false).State == GrowthState::Grows, What.Leaks);
  }
}

TEST(ConfirmGrowth, ShortRunsNeverConfirm) {
  for (const Pattern &What : patterns())
    for (uint64_t N : {1, 5, 10, 11, 20, 30, 63}) {
      SCOPED_TRACE(What.Name);
      EXPECT_LT(play(What, N, false).State, GrowthState::BoundOpen);
    }
}

TEST(ConfirmGrowth, ShortRunsSayWhatTheySaw) {
  // Steady leaks grew in all of it; so did what was not yet full.
  for (const Pattern &What : patterns()) {
    std::string Name = What.Name;
    bool FillsAtFirst = Name == "deque_50" || Name == "epoch_of_100" ||
                        Name == "cache_of_100" || Name == "reservoir_20";
    bool Rare = Name == "leak_in_one_of_20" || Name == "leak_in_one_of_7";
    if (Rare || Name == "reservoir_20")
      continue;
    SCOPED_TRACE(Name);
    EXPECT_EQ(play(What, 30, false).State == GrowthState::GrewInAll,
              What.Leaks || FillsAtFirst);
  }
}

TEST(ConfirmGrowth, ShortRunsAreNotCalledFlatWhenSomethingWasLeft) {
  for (const Pattern &What : patterns())
    if (What.Leaks) {
      SCOPED_TRACE(What.Name);
      EXPECT_NE(play(What, 30, false).State, GrowthState::Flat);
    }
}

TEST(ConfirmGrowth, StoppedAnywhereABoundedHolderIsNeverConfirmed) {
  // All clean programs whose holder the analysis can see to be bounded.
  for (const Pattern &What : patterns()) {
    if (What.Leaks)
      continue;
    for (uint64_t N = 20; N < 300; N += 13) {
      SCOPED_TRACE(std::string(What.Name) + " " + std::to_string(N));
      EXPECT_NE(play(What, N, true).State, GrowthState::Grows);
    }
  }
}

TEST(ConfirmGrowth, BoundThatWorksAndDoesNotBound) {
  // Two pushes per iteration; an erase takes one of them, three later.
  std::deque<size_t> Erased;
  Player P;
  for (uint64_t I = 0; I < 300; ++I) {
    P.make(1);
    Erased.push_back(P.make(1));
    if (Erased.size() > 3) {
      P.drop(Erased.front());
      Erased.pop_front();
    }
    ++P.Now;
  }
  EXPECT_EQ(judgeGrowth(P.Lives, P.Now, true).State, GrowthState::Grows);
}

TEST(ConfirmGrowth, BoundNeverSeenAtWork) {
  Pattern Leak{"push", true, [] { return push(1); }};
  EXPECT_EQ(play(Leak, 300, true).State, GrowthState::BoundOpen);
}

TEST(ConfirmGrowth, RatesAreExact) {
  Pattern Leak{"push", true, [] {
                 return both(push(1, 1024), both(push(2, 200), push(2, 200)));
               }};
  Growth G = play(Leak, 200, false);
  EXPECT_EQ(G.State, GrowthState::Grows);
  EXPECT_DOUBLE_EQ(G.BytesPerMark, 1424);
  EXPECT_DOUBLE_EQ(G.CountPerMark, 3);
  EXPECT_EQ(G.Stacks, (std::vector<uint32_t>{1, 2}));
}

TEST(ConfirmGrowth, NothingAndTooFew) {
  EXPECT_EQ(judgeGrowth({}, 300, false).State, GrowthState::NotSeen);
  EXPECT_EQ(judgeGrowth({{0, Never, 1, 8}}, 5, false).State,
            GrowthState::TooFew);
}

TEST(ConfirmGrowth, FreedAtExitStillGrows) {
  Player P;
  for (uint64_t I = 0; I < 100; ++I) {
    P.make(1);
    ++P.Now;
  }
  for (size_t L = 0; L < P.Lives.size(); ++L)
    P.drop(L);
  EXPECT_EQ(judgeGrowth(P.Lives, P.Now, false).State, GrowthState::Grows);
}

namespace {

/// Five loops of 20 rounds; \p Keep of the rounds' things stay until the loop
/// ends.
LoopHold loops(uint64_t Keep, uint64_t Rounds = 20) {
  std::vector<Life> Lives;
  std::vector<uint64_t> Ticks;
  uint64_t Time = 0;
  for (int Loop = 0; Loop < 5; ++Loop) {
    std::deque<size_t> Held;
    for (uint64_t R = 0; R < Rounds; ++R) {
      Ticks.push_back(++Time);
      Held.push_back(Lives.size());
      Lives.push_back({++Time, Never, 1, 8});
      if (Held.size() > Keep) {
        Lives[Held.front()].Death = ++Time;
        Held.pop_front();
      }
    }
    for (size_t H : Held)
      Lives[H].Death = ++Time;
  }
  return findLoopHold(Lives, Ticks);
}

} // namespace

TEST(ConfirmLoopHold, AllRoundsHeldUntilTheLoopEnds) {
  LoopHold H = loops(20);
  EXPECT_EQ(H.Loops, 5u);
  EXPECT_GE(H.Rounds, 19u); // the first tick lies before the first birth
}

TEST(ConfirmLoopHold, OverwrittenBoundedOrShortLoopsDoNotCount) {
  EXPECT_EQ(loops(0).Loops, 0u);
  EXPECT_EQ(loops(1).Loops, 0u);
  EXPECT_EQ(loops(3).Loops, 0u);
  EXPECT_EQ(loops(8, 7).Loops, 0u);
}
