//===- Judge.cpp - Verdicts on findings from a run ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Judge.h"
#include "Confirm/Proofs/InferenceTensorEscapeProof.h"
#include "Confirm/Proofs/MissingNoGradProof.h"
#include "Confirm/Proofs/NoGradInTrainingProof.h"
#include "Confirm/Proofs/RetainGraphProof.h"
#include "Confirm/Proofs/RetainedGraphProof.h"
#include "Confirm/Proofs/SavedDataProof.h"
#include "Confirm/Proofs/StaleOutputProof.h"
#include "Confirm/Proofs/UndetachedStateProof.h"
#include "Confirm/Proofs/UnnamedGuardProof.h"
#include "Confirm/Proofs/UnownedGradientsProof.h"
#include "Confirm/Proofs/UnscaledAccumulationProof.h"
#include "Confirm/Proofs/ZeroGradProof.h"
#include <algorithm>
#include <filesystem>
#include <iterator>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

using Proof = Verdict (*)(const Case &);

Proof proofOf(const std::string &Check) {
  static const std::pair<const char *, Proof> Proofs[] = {
      {"torch-retain-graph", proveRetainGraph},
      {"torch-retained-graph", proveRetainedGraph},
      {"torch-inference-tensor-escape", proveInferenceTensorEscape},
      {"torch-missing-no-grad", proveMissingNoGrad},
      {"torch-no-grad-in-training", proveNoGradInTraining},
      {"torch-unnamed-guard", proveUnnamedGuard},
      {"torch-saved-data", proveSavedData},
      {"torch-stale-output", proveStaleOutput},
      {"torch-undetached-state", proveUndetachedState},
      {"torch-unowned-gradients", proveUnownedGradients},
      {"torch-unscaled-accumulation", proveUnscaledAccumulation},
      {"torch-zero-grad", proveZeroGrad},
  };
  for (const auto &[Name, Function] : Proofs)
    if (Check == Name)
      return Function;
  return nullptr;
}

std::string baseName(const std::string &Path) {
  return std::filesystem::path(Path).filename().string();
}

bool samePlace(const SourceSpan &A, const SourceSpan &B) {
  return A.Line == B.Line && A.Column == B.Column && samePath(A.File, B.File);
}

bool shareProducers(const Finding &A, const Finding &B) {
  return std::any_of(
      A.Producers.begin(), A.Producers.end(), [&](const SourceSpan &P) {
        return std::any_of(
            B.Producers.begin(), B.Producers.end(),
            [&](const SourceSpan &Q) { return samePlace(P, Q); });
      });
}

/// Branches of one function that store into one variable: what is kept, that
/// variable keeps.
bool sameHolder(const Finding &A, const Finding &B) {
  return A.HeldBy && B.HeldBy && A.HeldBy->Declaration.valid() &&
         samePlace(A.HeldBy->Declaration, B.HeldBy->Declaration) &&
         A.HeldBy->Name == B.HeldBy->Name && !A.Function.empty() &&
         A.Function == B.Function;
}

/// All findings against one process.
class ProcessJudge {
public:
  ProcessJudge(const std::vector<Finding> &Findings, const trace::Trace &T,
               const std::vector<Watch::Answer> &Answers)
      : Findings(Findings), Run(T), Answers(Answers) {}

  std::vector<Verdict> judge() {
    for (const Finding &F : Findings)
      Made.push_back(attribute(Run, F));
    for (size_t I = 0; I < Findings.size(); ++I)
      DidRun.push_back(Made[I].Own.empty() ? Answers[I].DidRun : Ran::Yes);
    std::vector<Verdict> Verdicts;
    for (size_t I = 0; I < Findings.size(); ++I)
      Verdicts.push_back(judgeOne(I));
    return Verdicts;
  }

  UnattributedGrowth unattributed(const std::vector<Verdict> &Verdicts) {
    std::set<uint32_t> Explained;
    for (size_t I = 0; I < Findings.size(); ++I)
      if (Verdicts[I].State == VerdictState::Confirmed ||
          Verdicts[I].State == VerdictState::Undecided)
        addExplained(Run, Made[I], Explained);
    return findUnattributed(Run, Explained);
  }

  std::vector<std::string> remarks() {
    std::vector<std::string> Result;
    const trace::Trace &T = Run.trace();
    const std::string Who = baseName(T.Program);
    if (!T.Complete)
      Result.push_back("the log of " + Who +
                       " ends early (crashed, killed or cut off): judged up "
                       "to there");
    if (T.LostEvents)
      Result.push_back(std::to_string(T.LostEvents) + " events of " + Who +
                       " could not be recorded");
    for (const std::string &Path : Run.symbols().changed())
      Result.push_back(Path + " is not the one that ran: build and record "
                              "again");
    if (cudaUnseen())
      Result.push_back("CUDA memory not observed");
    return Result;
  }

private:
  bool cudaUnseen() const {
    const trace::Trace &T = Run.trace();
    bool Loaded = std::any_of(
        T.Modules.begin(), T.Modules.end(), [](const trace::Module &M) {
          return M.Path.find("libc10_cuda") != std::string::npos;
        });
    return Loaded && std::none_of(T.Events.begin(), T.Events.end(),
                                  [](const trace::Event &E) {
                                    return E.Kind == trace::Kind::Alloc &&
                                           E.has(trace::OnDevice);
                                  });
  }

  /// Why nothing can be said of a finding in this process; empty if it can.
  std::string obstacle(const Finding &F) {
    const std::string File = baseName(F.Where.File);
    std::string Older;
    if (Run.symbols().knowsFile(F.Where.File, &Older)) {
      if (!Older.empty())
        return File + " is newer than " + baseName(Older) +
               ": build it and run again";
      return "";
    }
    if (!Run.symbols().changed().empty())
      return baseName(Run.symbols().changed().front()) +
             " was built anew after the run: record again";
    if (!Run.symbols().hasLines())
      return "the program has no line tables: compile it with -g or "
             "-gline-tables-only";
    return File + " is in no module of this run that has line tables";
  }

  Verdict judgeOne(size_t I) {
    const Finding &F = Findings[I];
    Proof Prove = proofOf(F.Check);
    if (!Prove)
      return undecided(DidRun[I], "there is no proof by a run for this check");
    if (std::string Why = obstacle(F); !Why.empty())
      return undecided(Ran::Unknown, Why);

    Case C{F, Run, Made[I], DidRun[I], Answers[I].Why, nullptr};
    for (size_t J = 0; J < Findings.size(); ++J) {
      const Finding &Other = Findings[J];
      if (J == I || Other.Check != F.Check || DidRun[J] == Ran::No ||
          !shareProducers(F, Other))
        continue;
      if (DidRun[I] != Ran::Yes || !sameHolder(F, Other))
        C.Rival = &Other;
    }
    Verdict V = Prove(C);
    if (V.State == VerdictState::Contradicted) {
      if (Run.trace().LostEvents) {
        V.State = VerdictState::Undecided;
        V.Reason = "events were lost; in the others: " + V.Reason;
      } else if ((F.Check == "torch-retained-graph" ||
                  F.Check == "torch-saved-data") &&
                 cudaUnseen()) {
        V.State = VerdictState::Undecided;
        V.Reason = "CUDA memory not observed; on the host: " + V.Reason;
      }
    }
    return V;
  }

  const std::vector<Finding> &Findings;
  Evidence Run;
  const std::vector<Watch::Answer> &Answers;
  std::vector<Attribution> Made;
  std::vector<Ran> DidRun;
};

/// Which of two processes' verdicts says more: a proof, then something that was
/// seen and left open, then a withdrawal.
int weight(const Verdict &V) {
  switch (V.State) {
  case VerdictState::Confirmed:
    return 4;
  case VerdictState::Undecided:
    return V.Iterations ? 3 : 1;
  case VerdictState::Contradicted:
    return 2;
  case VerdictState::NotExercised:
    return 0;
  }
  return 0;
}

/// Without any log there may still be breakpoints.
Verdict withoutLog(const std::string &WhyNoLog, const Watch::Answer &A) {
  if (A.DidRun == Ran::No)
    return notExercised();
  return undecided(A.DidRun, "nothing was recorded" +
                                 (WhyNoLog.empty() ? "" : ": " + WhyNoLog));
}

} // namespace

std::vector<SourceSpan>
confirm::statementsOf(const std::vector<Finding> &Findings) {
  std::vector<SourceSpan> Statements;
  for (const Finding &F : Findings)
    Statements.push_back(F.Range.valid() ? F.Range : F.Where);
  return Statements;
}

Judgement confirm::judge(const std::vector<Finding> &Findings,
                         const std::vector<trace::Trace> &Processes,
                         const std::string &WhyNoLog, const Watch *Watched,
                         const HitTable *Hits) {
  Judgement Result;
  std::vector<Watch::Answer> Answers(Findings.size());
  for (size_t I = 0; I < Findings.size(); ++I) {
    Answers[I].Why = "no breakpoints were set";
    if (Watched && Hits)
      Answers[I] = Watched->answer(I, *Hits);
  }
  if (Processes.empty())
    for (size_t I = 0; I < Findings.size(); ++I)
      Result.Verdicts.push_back(withoutLog(WhyNoLog, Answers[I]));

  for (const trace::Trace &T : Processes) {
    ProcessJudge One(Findings, T, Answers);
    std::vector<Verdict> Verdicts = One.judge();
    UnattributedGrowth Rest = One.unattributed(Verdicts);
    std::move(Rest.Places.begin(), Rest.Places.end(),
              std::back_inserter(Result.Unexplained));
    for (std::string &R : One.remarks())
      Result.Remarks.push_back(std::move(R));
    if (!Rest.Remark.empty())
      Result.Remarks.push_back(Rest.Remark);
    if (Result.Verdicts.empty())
      Result.Verdicts = std::move(Verdicts);
    else
      for (size_t I = 0; I < Findings.size(); ++I)
        if (weight(Verdicts[I]) > weight(Result.Verdicts[I]))
          Result.Verdicts[I] = std::move(Verdicts[I]);
  }
  std::sort(Result.Remarks.begin(), Result.Remarks.end());
  Result.Remarks.erase(
      std::unique(Result.Remarks.begin(), Result.Remarks.end()),
      Result.Remarks.end());
  return Result;
}
