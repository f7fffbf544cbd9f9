//===- ConfirmProofsTest.cpp - The three proofs on traces made by hand ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/InferenceTensorEscapeProof.h"
#include "Confirm/Proofs/MissingNoGradProof.h"
#include "Confirm/Proofs/RetainedGraphProof.h"
#include "Confirm/Proofs/StaleOutputProof.h"
#include "Confirm/Proofs/UnownedGradientsProof.h"
#include "Confirm/Proofs/UnscaledAccumulationProof.h"
#include "Confirm/Unattributed.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

enum Line : unsigned {
  ForwardLine = 10,
  LossLine = 11,
  BackwardLine = 12,
  StepLine = 13,
  StoreLine = 14,
  OtherLine = 20,
};

/// Makes the trace of a program by hand; a stack's id is its line.
class Program {
public:
  trace::Trace T;

  Program() { T.Types = {"", "N5torch8autograd9generated14ReluBackward0E"}; }

  uint32_t alloc(uint64_t Bytes, unsigned At, bool GradOn = true) {
    trace::Event &E = add(EventKind::Alloc, At);
    E.Pointer = NextAddress += 64;
    E.Value = Bytes;
    E.Flags = GradOn ? trace::GradOn : 0;
    return index();
  }
  void free(uint32_t Alloc) {
    trace::Event &E = add(EventKind::Free);
    E.Pointer = T.Events[Alloc].Pointer;
    E.Link = Alloc;
    T.Events[Alloc].Link = index();
  }
  uint32_t node(unsigned At, uint32_t Type = 1) {
    trace::Event &E = add(EventKind::NodeMade, At);
    E.Pointer = NextAddress += 64;
    E.Value = Type;
    return index();
  }
  void save(uint32_t Alloc, uint32_t Node) {
    trace::Event &E = add(EventKind::Saved);
    E.Pointer = T.Events[Alloc].Pointer;
    E.Link = Node;
  }
  void die(uint32_t Node) {
    add(EventKind::NodeDied).Link = Node;
    T.Events[Node].Link = index();
  }
  /// A backward through \p Nodes onto \p Variables.
  void backward(unsigned At, const std::vector<uint32_t> &Nodes,
                const std::vector<uint64_t> &Variables = {1, 2}) {
    add(EventKind::BackwardBegin, At);
    uint32_t Begin = index();
    for (uint32_t N : Nodes) {
      trace::Event &E = add(EventKind::NodeEvaluated);
      E.Link = N;
      E.Value = Begin;
      T.Events[N].Flags |= trace::Evaluated | trace::Released;
    }
    for (uint64_t V : Variables) {
      trace::Event &E = add(EventKind::GradAccumulated);
      E.Pointer = V;
      E.Value = Begin;
    }
    add(EventKind::BackwardEnd).Link = Begin;
    T.Events[Begin].Link = index();
  }
  void inferenceMode(bool On) {
    add(EventKind::GradMode).Flags = On ? trace::InferenceOn : trace::GradOn;
  }
  void zeroGrad(uint64_t Optimizer = 7) {
    add(EventKind::ZeroGrad).Pointer = Optimizer;
  }
  void step(uint64_t Optimizer = 7) {
    add(EventKind::StepBegin, StepLine).Pointer = Optimizer;
    uint32_t Begin = index();
    add(EventKind::StepEnd).Link = Begin;
    T.Events[Begin].Link = index();
  }
  void heap(uint64_t Bytes) { add(EventKind::Heap).Value = Bytes; }
  uint32_t type(const std::string &Name) {
    T.Types.push_back(Name);
    return static_cast<uint32_t>(T.Types.size()) - 1;
  }

private:
  trace::Event &add(EventKind Kind, unsigned At = 0) {
    T.Events.emplace_back();
    T.Events.back().Kind = Kind;
    T.Events.back().Stack = At;
    return T.Events.back();
  }
  uint32_t index() const { return static_cast<uint32_t>(T.Events.size()) - 1; }
  uint64_t NextAddress = 0x1000;
};

SourceSpan line(unsigned L) { return {"/p/train.cpp", L, 0, L, 0}; }

Finding finding(const char *Check, unsigned At,
                const std::vector<unsigned> &Producers = {}) {
  Finding F;
  F.Check = Check;
  F.Where = F.Range = line(At);
  for (unsigned P : Producers)
    F.Producers.push_back(line(P));
  return F;
}

Finding store(bool Bounded = false) {
  Finding F =
      finding("torch-retained-graph", StoreLine, {ForwardLine, LossLine});
  F.HeldBy = Holder{"losses", line(5), Bounded};
  return F;
}

struct Asked {
  Program &P;
  std::unique_ptr<Evidence> Run;

  explicit Asked(Program &P) : P(P) {
    P.T.Complete = true;
    Run = std::make_unique<Evidence>(P.T);
    for (unsigned L = 1; L < 40; ++L)
      Run->setPlaces(L, {{"/p/train.cpp", L, 5, "main"}});
  }
  Verdict ask(Verdict (*Proof)(const Case &), const Finding &F, Ran DidRun,
              const Finding *Rival = nullptr) {
    Attribution Made = attribute(*Run, F);
    return Proof({F, *Run, Made, DidRun, "", Rival});
  }
};

/// One training iteration: forward, loss, backward, step. What happens to the
/// loss is the caller's business; the nodes are given back.
std::vector<uint32_t> train(Program &P, bool Backward = true) {
  std::vector<uint32_t> Nodes, Blocks;
  P.zeroGrad();
  for (int Layer = 0; Layer < 3; ++Layer) {
    Blocks.push_back(P.alloc(4096, ForwardLine));
    Nodes.push_back(P.node(ForwardLine));
    P.save(Blocks.back(), Nodes.back());
  }
  Blocks.push_back(P.alloc(4, LossLine));
  Nodes.push_back(P.node(LossLine));
  if (Backward) {
    P.backward(BackwardLine, Nodes);
    P.step();
  }
  for (size_t I = 0; I + 1 < Blocks.size(); ++I)
    if (Backward)
      P.free(Blocks[I]);
  return Nodes;
}

void drop(Program &P, const std::vector<uint32_t> &Nodes) {
  for (uint32_t N : Nodes)
    P.die(N);
}

} // namespace

TEST(ConfirmRetained, LossKeptAfterBackward) {
  Program P;
  for (int I = 0; I < 200; ++I)
    train(P);
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_DOUBLE_EQ(*V.NodesPerIteration, 4);
  EXPECT_DOUBLE_EQ(*V.BytesPerIteration, 4);
  EXPECT_EQ(*V.Iterations, 200u);
}

TEST(ConfirmRetained, ActivationsKeptWithoutBackward) {
  Program P;
  for (int I = 0; I < 200; ++I) {
    train(P, false);
    P.step();
  }
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_DOUBLE_EQ(*V.BytesPerIteration, 3 * 4096 + 4);
}

TEST(ConfirmRetained, ProducerIsOnlyTheLoss) {
  // The graph behind the loss is found through the backward that ran over it.
  Program P;
  for (int I = 0; I < 200; ++I)
    train(P);
  Finding F = finding("torch-retained-graph", StoreLine, {LossLine});
  Verdict V = Asked(P).ask(proveRetainedGraph, F, Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_DOUBLE_EQ(*V.NodesPerIteration, 4);
}

TEST(ConfirmRetained, WithdrawnIfAllIsFreed) {
  Program P;
  for (int I = 0; I < 200; ++I)
    drop(P, train(P));
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
}

TEST(ConfirmRetained, UnknownIsNeverContradicted) {
  Program P;
  for (int I = 0; I < 200; ++I)
    drop(P, train(P));
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Unknown);
  EXPECT_EQ(V.State, VerdictState::Undecided) << V.Reason;
}

TEST(ConfirmRetained, NotExercised) {
  Program P;
  for (int I = 0; I < 200; ++I)
    train(P);
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::No);
  EXPECT_EQ(V.State, VerdictState::NotExercised);
}

TEST(ConfirmRetained, HolderClearedPerEpoch) {
  Program P;
  std::vector<uint32_t> Kept;
  for (int I = 0; I < 200; ++I) {
    for (uint32_t N : train(P))
      Kept.push_back(N);
    if (I % 20 == 19) {
      drop(P, Kept);
      Kept.clear();
    }
  }
  Verdict V = Asked(P).ask(proveRetainedGraph, store(true), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
}

TEST(ConfirmRetained, BoundNotYetSeen) {
  Program P;
  for (int I = 0; I < 200; ++I)
    train(P);
  Verdict V = Asked(P).ask(proveRetainedGraph, store(true), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Undecided) << V.Reason;
}

TEST(ConfirmRetained, ShortRunSaysSo) {
  Program P;
  for (int I = 0; I < 30; ++I)
    train(P);
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Undecided);
  EXPECT_NE(V.Reason.find("grew in all 30 steps seen"), std::string::npos)
      << V.Reason;
}

TEST(ConfirmRetained, SharedProducers) {
  Program P;
  for (int I = 0; I < 200; ++I)
    train(P);
  Finding Rival = finding("torch-retained-graph", OtherLine, {LossLine});
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes, &Rival);
  EXPECT_EQ(V.State, VerdictState::Undecided) << V.Reason;
}

TEST(ConfirmRetained, OwnNodesSettleSharedProducers) {
  Program P;
  for (int I = 0; I < 200; ++I) {
    train(P);
    P.node(StoreLine); // the addition of total += loss
  }
  Finding Rival = finding("torch-retained-graph", OtherLine, {LossLine});
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes, &Rival);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_DOUBLE_EQ(*V.NodesPerIteration, 5);
}

TEST(ConfirmRetained, ValuesAloneAreNoHistory) {
  Program P;
  for (int I = 0; I < 200; ++I) {
    drop(P, train(P)); // the loss's block stays, as with detach()
  }
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Contradicted);
  EXPECT_NE(V.Reason.find("values"), std::string::npos) << V.Reason;
}

TEST(ConfirmRetained, ExecutionsWhereThereAreNoMarks) {
  Program P;
  for (int I = 0; I < 100; ++I) {
    P.alloc(4096, ForwardLine);
    P.node(ForwardLine);
  }
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_EQ(V.Evidence.front().second, "executions");
}

TEST(ConfirmRetained, EvaluationAtTheEndOfEachEpoch) {
  // Ten evaluations of 20 batches, kept for good, between 100 steps each.
  Program P;
  for (int Epoch = 0; Epoch < 10; ++Epoch) {
    for (int I = 0; I < 100; ++I)
      P.step();
    for (int I = 0; I < 20; ++I) {
      P.alloc(4096, ForwardLine);
      P.node(ForwardLine);
    }
  }
  Verdict V = Asked(P).ask(proveRetainedGraph, store(), Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
}

namespace {

/// Twelve epochs of training and of validation; the validation's graphs are
/// held until it ends, or for \p Keep rounds.
Verdict validate(size_t Keep, bool Bounded) {
  Program P;
  for (int Epoch = 0; Epoch < 12; ++Epoch) {
    for (int I = 0; I < 20; ++I)
      P.step();
    std::vector<std::pair<uint32_t, uint32_t>> Held;
    auto release = [&](size_t I) {
      P.die(Held[I].second);
      P.free(Held[I].first);
    };
    for (size_t I = 0; I < 15; ++I) {
      uint32_t B = P.alloc(4096, ForwardLine), N = P.node(ForwardLine);
      P.save(B, N);
      Held.emplace_back(B, N);
      if (I >= Keep)
        release(I - Keep);
    }
    for (size_t I = 15 - std::min<size_t>(Keep, 15); I < 15; ++I)
      release(I);
  }
  return Asked(P).ask(proveRetainedGraph, store(Bounded), Ran::Yes);
}

} // namespace

TEST(ConfirmRetained, HeldUntilEachValidationEnds) {
  Verdict V = validate(15, false);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_EQ(*V.PeakBytes, 15u * 4096);
}

TEST(ConfirmRetained, ClearedAfterEachValidation) {
  EXPECT_EQ(validate(15, true).State, VerdictState::Contradicted);
}

TEST(ConfirmRetained, AFewHeldDuringValidation) {
  EXPECT_EQ(validate(3, false).State, VerdictState::Contradicted);
  EXPECT_EQ(validate(0, false).State, VerdictState::Contradicted);
}

TEST(ConfirmMissingNoGrad, NeverUsed) {
  Program P;
  for (int I = 0; I < 5; ++I) {
    uint32_t B = P.alloc(1000, ForwardLine), N = P.node(ForwardLine);
    P.save(B, N);
    P.die(N);
    P.free(B);
  }
  Finding F = finding("torch-missing-no-grad", ForwardLine);
  Verdict V = Asked(P).ask(proveMissingNoGrad, F, Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_EQ(*V.PeakBytes, 1000u);
  EXPECT_EQ(*V.Iterations, 5u);
}

TEST(ConfirmMissingNoGrad, TwoCallsAreNotEnough) {
  Program P;
  for (int I = 0; I < 2; ++I)
    P.die(P.node(ForwardLine));
  Finding F = finding("torch-missing-no-grad", ForwardLine);
  EXPECT_EQ(Asked(P).ask(proveMissingNoGrad, F, Ran::Yes).State,
            VerdictState::Undecided);
}

TEST(ConfirmMissingNoGrad, OneUseWithdraws) {
  Program P;
  for (int I = 0; I < 5; ++I) {
    uint32_t N = P.node(ForwardLine);
    if (I == 4)
      P.backward(BackwardLine, {N});
    P.die(N);
  }
  Finding F = finding("torch-missing-no-grad", ForwardLine);
  EXPECT_EQ(Asked(P).ask(proveMissingNoGrad, F, Ran::Yes).State,
            VerdictState::Contradicted);
}

TEST(ConfirmMissingNoGrad, GuardOnAtRunTime) {
  Program P;
  for (int I = 0; I < 5; ++I)
    P.free(P.alloc(1000, ForwardLine, /*GradOn=*/false));
  Finding F = finding("torch-missing-no-grad", ForwardLine);
  Verdict V = Asked(P).ask(proveMissingNoGrad, F, Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Contradicted);
  EXPECT_NE(V.Reason.find("grad mode was off"), std::string::npos);
}

TEST(ConfirmMissingNoGrad, NothingTraced) {
  Program P;
  P.node(OtherLine);
  Finding F = finding("torch-missing-no-grad", ForwardLine);
  EXPECT_EQ(Asked(P).ask(proveMissingNoGrad, F, Ran::Yes).State,
            VerdictState::Undecided);
  EXPECT_EQ(Asked(P).ask(proveMissingNoGrad, F, Ran::Unknown).State,
            VerdictState::Undecided);
  EXPECT_EQ(Asked(P).ask(proveMissingNoGrad, F, Ran::No).State,
            VerdictState::NotExercised);
}

namespace {

Verdict accumulate(unsigned PerStep, unsigned Steps,
                   const std::vector<std::string> &Types = {},
                   bool ZeroEach = false) {
  Program P;
  std::vector<uint32_t> Ids;
  for (const std::string &T : Types)
    Ids.push_back(P.type(T));
  for (unsigned S = 0; S < Steps; ++S) {
    P.zeroGrad();
    for (unsigned M = 0; M < PerStep; ++M) {
      if (ZeroEach)
        P.zeroGrad();
      std::vector<uint32_t> Nodes;
      for (uint32_t Id : Ids)
        Nodes.push_back(P.node(LossLine, Id));
      P.backward(BackwardLine, Nodes);
    }
    P.step();
  }
  Finding F = finding("torch-unscaled-accumulation", BackwardLine);
  return Asked(P).ask(proveUnscaledAccumulation, F, Ran::Yes);
}

constexpr char Mse[] = "N5torch8autograd9generated16MseLossBackward0E";
constexpr char Div[] = "N5torch8autograd9generated12DivBackward0E";
constexpr char Mul[] = "N5torch8autograd9generated12MulBackward0E";
constexpr char Sum[] = "N5torch8autograd9generated12SumBackward0E";

} // namespace

TEST(ConfirmUnscaled, FourPerStep) {
  Verdict V = accumulate(4, 10, {Mse});
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_NE(V.Reason.find("4 times per step"), std::string::npos);
}

TEST(ConfirmUnscaled, OncePerStep) {
  EXPECT_EQ(accumulate(1, 10, {Mse}).State, VerdictState::Contradicted);
}

TEST(ConfirmUnscaled, ZeroedEachTime) {
  EXPECT_EQ(accumulate(4, 10, {Mse}, true).State, VerdictState::Contradicted);
}

TEST(ConfirmUnscaled, TooFewSteps) {
  EXPECT_EQ(accumulate(4, 2, {Mse}).State, VerdictState::Undecided);
}

TEST(ConfirmUnscaled, MeanLossDivided) {
  EXPECT_EQ(accumulate(4, 10, {Div, Mse}).State, VerdictState::Contradicted);
}

TEST(ConfirmUnscaled, DivisionIsTheMean) {
  EXPECT_EQ(accumulate(4, 10, {Div, Sum}).State, VerdictState::Confirmed);
}

TEST(ConfirmUnscaled, FactorMayBeAWeight) {
  EXPECT_EQ(accumulate(4, 10, {Mul, Mse}).State, VerdictState::Undecided);
}

TEST(ConfirmUnscaled, TwoNetworksThroughOneHelper) {
  // One line backs two losses onto different parameters before one step.
  Program P;
  for (int S = 0; S < 10; ++S) {
    P.zeroGrad();
    P.backward(BackwardLine, {}, {1, 2});
    P.backward(BackwardLine, {}, {3, 4});
    P.step();
  }
  Finding F = finding("torch-unscaled-accumulation", BackwardLine);
  Verdict V = Asked(P).ask(proveUnscaledAccumulation, F, Ran::Yes);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
}

TEST(ConfirmUnscaled, ZeroGradOfAnotherOptimizerDoesNotCount) {
  Program P;
  for (int S = 0; S < 10; ++S) {
    P.zeroGrad();
    for (int M = 0; M < 4; ++M) {
      P.zeroGrad(99);
      P.backward(BackwardLine, {});
    }
    P.step();
  }
  Finding F = finding("torch-unscaled-accumulation", BackwardLine);
  EXPECT_EQ(Asked(P).ask(proveUnscaledAccumulation, F, Ran::Yes).State,
            VerdictState::Confirmed);
}

namespace {

/// What becomes of the graph of each round.
enum class Fate { DiesBefore, DiesAfter, Backward, Stays, DiesWithTheNext };

Verdict staleRounds(unsigned Count, Fate F, bool Saves = true) {
  Program P;
  std::vector<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> Alive;
  auto drop = [&](size_t Keep) {
    while (Alive.size() > Keep) {
      for (uint32_t N : Alive.front().first)
        P.die(N);
      for (uint32_t B : Alive.front().second)
        P.free(B);
      Alive.erase(Alive.begin());
    }
  };
  for (unsigned I = 0; I < Count; ++I) {
    if (F == Fate::DiesBefore)
      drop(0);
    Alive.emplace_back();
    for (int Layer = 0; Layer < 3; ++Layer) {
      const uint32_t B = P.alloc(1000, ForwardLine), N = P.node(ForwardLine);
      if (Saves)
        P.save(B, N);
      Alive.back().first.push_back(N);
      Alive.back().second.push_back(B);
      if (Layer == 0) // not used by what follows
        P.die(P.node(ForwardLine));
    }
    if (F == Fate::DiesAfter)
      drop(1);
    if (F == Fate::DiesWithTheNext)
      drop(4);
    if (F == Fate::Backward) {
      P.backward(BackwardLine, Alive.back().first);
      drop(1);
    }
  }
  if (F != Fate::Stays)
    drop(0);
  Finding Stale = finding("torch-stale-output", ForwardLine);
  return Asked(P).ask(proveStaleOutput, Stale, Ran::Yes);
}

} // namespace

TEST(ConfirmStale, TwoGraphsAtATime) {
  Verdict V = staleRounds(20, Fate::DiesAfter);
  EXPECT_EQ(V.State, VerdictState::Confirmed) << V.Reason;
  EXPECT_EQ(*V.Iterations, 20u);
  EXPECT_EQ(*V.PeakBytes, 6000u);
  EXPECT_NE(V.Reason.find("19 of 20 rounds"), std::string::npos) << V.Reason;
  EXPECT_EQ(V.Evidence.back().second, "3000");
}

TEST(ConfirmStale, OneGraphAtATime) {
  Verdict V = staleRounds(20, Fate::DiesBefore);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
  EXPECT_NE(V.Reason.find("freed before"), std::string::npos) << V.Reason;
}

TEST(ConfirmStale, BackwardFreesWhatIsSaved) {
  Verdict V = staleRounds(20, Fate::Backward);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
  EXPECT_NE(V.Reason.find("backward had freed"), std::string::npos) << V.Reason;
}

TEST(ConfirmStale, KeptBySomethingElse) {
  EXPECT_EQ(staleRounds(20, Fate::Stays).State, VerdictState::Undecided);
  EXPECT_EQ(staleRounds(20, Fate::DiesWithTheNext).State,
            VerdictState::Undecided);
}

TEST(ConfirmStale, TooFewRounds) {
  EXPECT_EQ(staleRounds(3, Fate::DiesAfter).State, VerdictState::Undecided);
  EXPECT_EQ(staleRounds(4, Fate::DiesAfter).State, VerdictState::Confirmed);
  EXPECT_EQ(staleRounds(2, Fate::DiesBefore).State, VerdictState::Undecided);
}

TEST(ConfirmStale, GraphsThatSaveNothing) {
  Verdict V = staleRounds(20, Fate::DiesAfter, /*Saves=*/false);
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
}

TEST(ConfirmStale, NothingSeen) {
  Program P;
  P.node(OtherLine);
  Finding F = finding("torch-stale-output", ForwardLine);
  EXPECT_EQ(Asked(P).ask(proveStaleOutput, F, Ran::Unknown).State,
            VerdictState::Undecided);
  EXPECT_EQ(Asked(P).ask(proveStaleOutput, F, Ran::No).State,
            VerdictState::NotExercised);
  P.alloc(100, ForwardLine, /*GradOn=*/false);
  EXPECT_EQ(Asked(P).ask(proveStaleOutput, F, Ran::Yes).State,
            VerdictState::Contradicted);
}

namespace {

/// Backward calls onto \p Variables; were their gradients there before?
Verdict fill(unsigned Count, const std::vector<uint64_t> &Variables,
             const std::set<uint64_t> &Stay, bool Known = true) {
  Program P;
  for (unsigned I = 0; I < Count; ++I) {
    P.backward(BackwardLine, {}, Variables);
    P.step();
    P.backward(OtherLine, {}, {77});
  }
  for (trace::Event &E : P.T.Events)
    if (E.Kind == EventKind::GradAccumulated)
      E.Flags = (Known ? trace::KnowsDefined : 0) |
                (Stay.count(E.Pointer) ? trace::WasDefined : 0);
  Finding F = finding("torch-unowned-gradients", BackwardLine);
  return Asked(P).ask(proveUnownedGradients, F, Ran::Yes);
}

} // namespace

TEST(ConfirmUnowned, WhoseTheyAreIsNotRecorded) {
  Verdict V = fill(10, {1, 2, 3}, {1, 2});
  EXPECT_EQ(V.State, VerdictState::Undecided) << V.Reason;
  EXPECT_NE(V.Reason.find("3 tensors"), std::string::npos) << V.Reason;
  EXPECT_EQ(*V.Iterations, 10u);
  EXPECT_EQ(V.Evidence.back().second, "2");
  EXPECT_EQ(fill(10, {1, 2}, {}, /*Known=*/false).State,
            VerdictState::Undecided);
  EXPECT_EQ(fill(3, {1, 2}, {}).State, VerdictState::Undecided);
}

TEST(ConfirmUnowned, SomebodyEmptiesThem) {
  Verdict V = fill(10, {1, 2}, {});
  EXPECT_EQ(V.State, VerdictState::Contradicted) << V.Reason;
  EXPECT_NE(V.Reason.find("all 2 gradients"), std::string::npos) << V.Reason;
}

TEST(ConfirmUnowned, NoneAreFilled) {
  EXPECT_EQ(fill(10, {}, {}).State, VerdictState::Contradicted);
}

TEST(ConfirmUnowned, NotRun) {
  Program P;
  P.backward(OtherLine, {});
  Finding F = finding("torch-unowned-gradients", BackwardLine);
  EXPECT_EQ(Asked(P).ask(proveUnownedGradients, F, Ran::No).State,
            VerdictState::NotExercised);
  EXPECT_EQ(Asked(P).ask(proveUnownedGradients, F, Ran::Yes).State,
            VerdictState::Undecided);
}

namespace {

/// Features are made on one line and used on another.
Verdict escape(bool UnderIt, bool Saves, bool Clone, Ran DidRun = Ran::Yes) {
  Program P;
  P.inferenceMode(UnderIt);
  const uint32_t Features = P.alloc(100, ForwardLine, !UnderIt);
  P.inferenceMode(false);
  const uint32_t Copy = Clone ? P.alloc(100, OtherLine) : Features;
  if (Saves)
    P.save(Copy, trace::NoLink);
  if (Saves && (Clone || !UnderIt)) {
    P.alloc(4, LossLine);
    const uint32_t Node = P.node(LossLine);
    P.save(Copy, Node);
  }
  Finding F = finding("torch-inference-tensor-escape", LossLine, {ForwardLine});
  return Asked(P).ask(proveInferenceTensorEscape, F, DidRun);
}

} // namespace

TEST(ConfirmEscape, WhatAutogradWasToSave) {
  EXPECT_EQ(escape(true, true, false).State, VerdictState::Confirmed);
  EXPECT_EQ(escape(false, true, false).State, VerdictState::Contradicted);
  EXPECT_EQ(escape(true, true, true).State, VerdictState::Contradicted);
  EXPECT_EQ(escape(true, false, false).State, VerdictState::Undecided);
  EXPECT_EQ(escape(false, true, false, Ran::Unknown).State,
            VerdictState::Undecided);
  EXPECT_EQ(escape(true, true, false, Ran::No).State,
            VerdictState::NotExercised);
}

TEST(ConfirmUnattributed, WhatNoFindingExplains) {
  Program P;
  for (int I = 0; I < 200; ++I) {
    P.alloc(100, StoreLine);
    P.alloc(300, OtherLine);
    P.free(P.alloc(1000, ForwardLine));
    P.step();
  }
  Asked A(P);
  std::set<uint32_t> Explained;
  addExplained(*A.Run, attribute(*A.Run, store()), Explained);
  UnattributedGrowth G = findUnattributed(*A.Run, Explained);
  ASSERT_EQ(G.Places.size(), 1u);
  EXPECT_EQ(G.Places[0].Line, OtherLine);
  EXPECT_EQ(G.Places[0].Function, "main");
  EXPECT_DOUBLE_EQ(G.Places[0].BytesPerIteration, 300);
}

TEST(ConfirmHeap, SamplesOfOnePhaseAndWithoutJumps) {
  // Backwards find gradients there that steps do not; something large is made
  // for good at the fifth step.
  Program P;
  for (uint64_t I = 0; I < 16; ++I) {
    uint64_t Bytes = 1000000 + I * 300 + (I < 5 ? 0 : 50000);
    drop(P, train(P, false));
    P.backward(BackwardLine, {});
    if (I % 3 == 0)
      P.heap(Bytes + 80000);
    P.step();
    P.heap(Bytes);
  }
  Asked A(P);
  for (const Clock &C : A.Run->marks())
    EXPECT_NEAR(A.Run->heapPerTick(C).value_or(0), 300, 1) << C.Unit;
  EXPECT_EQ(A.Run->marks().size(), 2u);
}

TEST(ConfirmHeap, NoFigureFromAFewSamplesOrFromAPartOfTheRun) {
  for (uint64_t From : {14, 20}) {
    Program P;
    for (uint64_t I = 0; I < 40; ++I) {
      P.step();
      if (I < From && I > 10 && (From == 14 || I % 4 == 3))
        P.heap(1000000 + I * 300);
    }
    Asked A(P);
    EXPECT_FALSE(A.Run->heapPerTick(A.Run->marks().front()))
        << "samples until " << From;
  }
}
