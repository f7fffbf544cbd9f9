//===- Driver.cpp - Static findings of a project --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/Analyse.h"
#include "Driver/Cache.h"
#include "Driver/Fixes.h"
#include "Driver/ForkServer.h"
#include "Driver/IncludeScan.h"
#include "Driver/Linking.h"
#include "Driver/ResultCache.h"
#include "Driver/Selection.h"
#include "Driver/TidyOptions.h"
#include "Report/SourceLines.h"
#include "clang/Basic/Stack.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <tuple>

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

/// Results stand in the order of the jobs, whichever thread had them.
class Runner {
public:
  Runner(const Request &R, const Selection &S,
         std::vector<clang::tidy::ClangTidyOptions> Options)
      : R(R), S(S), Options(std::move(Options)), Headers(R.UseCache, Check),
        Results(S.Jobs.size()), Ready(S.Jobs.size()), LinkKeys(S.Jobs.size()),
        Total(S.Jobs.size()) {
    if (R.UseCache && !Headers.folder().empty())
      Kept.emplace(Headers, Check);
  }

  std::vector<FileResult> run() {
    Threads = R.Jobs ? R.Jobs : hardware_concurrency().compute_thread_count();
    Threads = std::max<size_t>(1, std::min<size_t>(Threads, S.Jobs.size()));
    withoutParsing();
    if (R.ShareHeaders)
      behindHeaders();
    inThreads([this] { work(); });
    linkFiles();
    Servers.clear();
    trim();
    return std::move(Results);
  }

private:
  void inThreads(const std::function<void()> &Work) {
    std::vector<llvm::thread> Pool;
    for (unsigned T = 0; T < Threads; ++T)
      // Deep expressions need clang's usual stack, whatever ulimit says.
      Pool.emplace_back(std::optional<unsigned>(clang::DesiredStackSize), Work);
    for (llvm::thread &T : Pool)
      T.join();
  }

  void trim() {
    if (Kept && R.CacheLimit)
      trimCache(Headers.folder(), R.CacheLimit);
  }

  void work() {
    for (size_t N; (N = Next++) < S.Jobs.size();) {
      if (Ready[N])
        continue;
      progress(S.Jobs[N].U.File, 0);
      // Linking may come after the last.
      Results[N] = one(S.Jobs[N], Options[N], S.Jobs.size() == 1);
      progress(S.Jobs[N].U.File, 1);
    }
  }

  void settle(size_t N, FileResult Result) {
    Results[N] = std::move(Result);
    Ready[N] = true;
    progress(S.Jobs[N].U.File, 1);
  }

  /// Files that did not change.
  void withoutParsing() {
    if (!Kept || R.Reparse || !R.ShareHeaders)
      return;
    for (size_t N = 0; N < S.Jobs.size(); ++N)
      if (const Job &J = S.Jobs[N]; J.I)
        if (auto Known = Kept->find(Kept->key(J.U, *J.I, Options[N])))
          settle(N, std::move(*Known));
  }

  /// Files whose headers are not precompiled yet.
  void behindHeaders() {
    struct Group {
      std::vector<std::string> Names;
      std::vector<size_t> Members;
    };
    std::map<std::string, Group> Groups;
    for (size_t N = 0; N < S.Jobs.size(); ++N) {
      const Job &J = S.Jobs[N];
      if (Ready[N] || !J.I || J.U.Cuda || !canFork(*J.I))
        continue;
      auto Names = leadingTorchHeaders(J.U.File, *J.I);
      if (Names.empty())
        continue;
      Group &G = Groups[J.I->flagsKey() + join(Names, "\n")];
      G.Names = std::move(Names);
      G.Members.push_back(N);
    }
    // Groups come one after the other; threads do many single files better.
    size_t Left = Groups.size();
    for (auto &[Key, G] : Groups) {
      --Left;
      if (G.Members.size() > 1 || Groups.size() == 1 || Threads == 1)
        if (auto Claim = Headers.claim(G.Names, *S.Jobs[G.Members.front()].I)) {
          // One at a time: each is a process as large as a parse.
          Claim->MayOutlive &= Left == 0;
          Claim->Published = [this] { trim(); };
          behind(G.Names, std::move(G.Members), std::move(*Claim));
        }
    }
  }

  void behind(const std::vector<std::string> &Names,
              std::vector<size_t> Members, HeaderClaim Claim) {
    std::vector<ForkJob> Jobs;
    for (size_t N : Members)
      Jobs.push_back({&S.Jobs[N].U, &*S.Jobs[N].I, &Options[N]});
    progress(S.Jobs[Members.front()].U.File, 0);
    auto Server = std::make_unique<ForkServer>(std::move(Jobs), Names,
                                               std::move(Claim), Threads);
    Server->run([&](size_t I, std::optional<FileResult> Result) {
      if (!Result)
        return;
      const size_t N = Members[I];
      if (Kept)
        Kept->keep(key(N), *Result);
      settle(N, std::move(*Result));
    });
    Servers.emplace_back(std::move(Server), std::move(Members));
  }

  std::string key(size_t N) const {
    return Kept->key(S.Jobs[N].U, *S.Jobs[N].I, Options[N]);
  }

  //===-- Linking ---------------------------------------------------------===//

  /// Files whose findings depend on others are judged again.
  void linkFiles() {
    if (S.Jobs.size() < 2)
      return;
    Needs = link(Results);
    for (size_t N = 0; N < Needs.size(); ++N) {
      if (Needs[N].Slices.empty())
        continue;
      LinkKeys[N] = Kept ? linkKey(key(N), Results[N], Needs[N]) : "";
      if (!LinkKeys[N].empty() && !R.Reparse)
        if (auto Known = Kept->findLinked(LinkKeys[N])) {
          Known->Parsed = Results[N].Parsed;
          Known->Why = Results[N].Why;
          Results[N] = std::move(*Known);
          continue;
        }
      Again.insert(N);
    }
    Total += Again.size();
    for (auto &[Server, Members] : Servers) {
      std::vector<ForkServer::Linked> Jobs;
      for (size_t I = 0; I < Members.size(); ++I)
        if (Ready[Members[I]] && Again.count(Members[I]))
          Jobs.emplace_back(I, &Needs[Members[I]]);
      if (Jobs.empty())
        continue;
      progress(S.Jobs[Members[Jobs.front().first]].U.File, 0);
      Server->runLinked(Jobs, [&](size_t I, std::optional<FileResult> Result) {
        if (!Result)
          return;
        Again.erase(Members[I]);
        settleLinked(Members[I], std::move(*Result));
      });
    }
    const std::vector<size_t> Left(Again.begin(), Again.end());
    std::atomic<size_t> NextLeft{0};
    if (!Left.empty())
      inThreads([&] {
        for (size_t I; (I = NextLeft++) < Left.size();) {
          const size_t N = Left[I];
          progress(S.Jobs[N].U.File, 0);
          settleLinked(N, one(S.Jobs[N], Options[N], I + Threads >= Left.size(),
                              &Needs[N]));
        }
      });
  }

  void settleLinked(size_t N, FileResult Result) {
    if (!LinkKeys[N].empty())
      Kept->keepLinked(LinkKeys[N], Result);
    Results[N] = std::move(Result);
    progress(S.Jobs[N].U.File, 1);
  }

  FileResult one(const Job &J, const clang::tidy::ClangTidyOptions &O,
                 bool Last, const flow::LinkedFiles *Links = nullptr) {
    if (!J.I) {
      FileResult Failed;
      Failed.Failure = J.Why;
      return Failed;
    }
    std::optional<std::vector<std::string>> Names;
    FileResult Result = analyse(
        J.U, *J.I, O,
        [&](HeaderLevel Level, std::string &Why) {
          return header(J, Level, Names, Why);
        },
        Last, Links);
    if (!Result.Failure.empty() && J.U.Cuda)
      Result.Failure =
          "CUDA, and the host side does not parse: " + Result.Failure;
    if (Kept && !Links)
      Kept->keep(Kept->key(J.U, *J.I, O), Result);
    return Result;
  }

  std::shared_ptr<const SharedHeader>
  header(const Job &J, HeaderLevel Level,
         std::optional<std::vector<std::string>> &Names, std::string &Why) {
    if (!R.ShareHeaders) {
      Why = "shared headers are switched off";
      return nullptr;
    }
    if (J.U.Cuda) {
      Why = "CUDA";
      return nullptr;
    }
    if (!Names)
      Names = leadingTorchHeaders(J.U.File, *J.I);
    if (!Names->empty())
      return Headers.get(*Names, *J.I, Level, Why);
    Why = "no header of LibTorch stands before its code";
    return nullptr;
  }

  void progress(const std::string &File, unsigned Finished) {
    if (!R.OnProgress)
      return;
    std::lock_guard<std::mutex> L(Reporting);
    Done += Finished;
    R.OnProgress({Done, Total, File});
  }

  const Request &R;
  const Selection &S;
  std::vector<clang::tidy::ClangTidyOptions> Options;
  InputCheck Check;
  SharedHeaders Headers;
  std::optional<ResultCache> Kept;
  std::vector<FileResult> Results;
  std::vector<char> Ready; ///< Results of other ways than work()
  std::atomic<size_t> Next{0};
  unsigned Threads = 1;
  /// Parses that wait behind their headers, each with its files.
  std::vector<std::pair<std::unique_ptr<ForkServer>, std::vector<size_t>>>
      Servers;
  std::vector<flow::LinkedFiles> Needs;
  std::vector<std::string> LinkKeys;
  std::set<size_t> Again; ///< to be judged with what they need
  std::mutex Reporting;
  size_t Done = 0, Total = 0;
};

/// As clang-tidy's, but notes do not count: no filter lets all through, a file
/// without lines is meant whole, names are compared from their end.
bool passes(const Finding &F, ArrayRef<clang::tidy::FileFilter> Lines) {
  if (Lines.empty())
    return true;
  for (const clang::tidy::FileFilter &Filter : Lines)
    if (StringRef(F.Where.File).ends_with(Filter.Name))
      return Filter.LineRanges.empty() ||
             any_of(Filter.LineRanges, [&](const auto &Range) {
               return Range.first <= F.Where.Line &&
                      F.Where.Line <= Range.second;
             });
  return false;
}

/// In the order of the files. A header's finding comes from every file that
/// includes it; the first of these wins.
std::vector<Finding> merged(std::vector<FileResult> &Results,
                            const Selection &S,
                            ArrayRef<clang::tidy::FileFilter> Lines) {
  std::map<
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>,
      Finding>
      Sorted;
  for (FileResult &R : Results)
    for (Finding &F : R.Findings)
      if ((S.Headers.empty() || S.Headers.count(F.Where.File) ||
           S.Sources.count(F.Where.File)) &&
          passes(F, Lines))
        Sorted.try_emplace(
            {F.Where.File, F.Where.Line, F.Where.Column, F.Check, F.Message},
            F);
  std::vector<Finding> All;
  for (auto &[Key, F] : Sorted)
    All.push_back(std::move(F));
  return All;
}

void addFingerprints(std::vector<Finding> &Findings, StringRef Root,
                     report::SourceLines &Sources) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           unsigned>
      Ordinals;
  for (Finding &F : Findings) {
    StringRef Relative = F.Where.File;
    if (Relative.consume_front(Root))
      Relative.consume_front("/");
    const std::string Line = Sources.line(F.Where.File, F.Where.Line);
    unsigned &Ordinal = Ordinals[{F.Check, F.Where.File, F.Function,
                                  StringRef(Line).trim().str()}];
    F.Fingerprint = fingerprint(F, Relative.str(), Line, Ordinal++);
    // Notes are shown as they were before fixes, too.
    for (const Note &N : F.Notes)
      Sources.line(N.Where.File, 1);
  }
}

/// Those of the project, once each, however many checks and files say so.
std::vector<SkippedFunction>
functionsSkipped(const std::vector<FileResult> &Results, const Selection &S) {
  std::map<std::tuple<std::string, unsigned, std::string>, SkippedFunction>
      Sorted;
  for (const FileResult &R : Results)
    for (const SkippedFunction &F : R.Functions) {
      const bool Asked =
          S.Headers.empty()
              ? StringRef(F.File).starts_with(S.Root + "/") ||
                    S.Sources.count(F.File)
              : S.Headers.count(F.File) || S.Sources.count(F.File);
      if (Asked)
        Sorted.try_emplace({F.File, F.Line, F.Function}, F);
    }
  std::vector<SkippedFunction> All;
  for (auto &[Key, F] : Sorted)
    All.push_back(std::move(F));
  return All;
}

/// A file counts once, and as analysed if one of its commands was.
report::FileCounts counted(const Selection &S,
                           const std::vector<FileResult> &Results) {
  std::map<std::string, std::string> Files; // reason, empty: analysed
  for (size_t N = 0; N < S.Jobs.size(); ++N) {
    auto [It, New] = Files.try_emplace(S.Jobs[N].U.File, Results[N].Failure);
    if (!New && Results[N].Failure.empty())
      It->second.clear();
  }
  for (const report::SkippedFile &U : S.Unknown)
    Files.try_emplace(U.File, U.Reason);
  report::FileCounts C;
  C.Total = Files.size();
  for (const auto &[File, Reason] : Files)
    if (Reason.empty())
      ++C.Analysed;
    else
      C.Skipped.push_back({File, Reason});
  return C;
}

std::vector<std::string> remarks(const Selection &S,
                                 const std::vector<FileResult> &Results) {
  std::set<std::string> Flags, Texts;
  for (const Job &J : S.Jobs)
    Flags.insert(J.U.Dropped.begin(), J.U.Dropped.end());
  for (const FileResult &R : Results)
    Texts.insert(R.Remarks.begin(), R.Remarks.end());
  std::vector<std::string> All(Texts.begin(), Texts.end());
  if (!Flags.empty()) {
    std::string List;
    for (const std::string &F : Flags)
      List += " " + F;
    All.push_back("compiler flags that clang does not know were dropped:" +
                  List);
  }
  return All;
}

} // namespace

Outcome torchtidy::driver::check(const Request &R) {
  Outcome O;
  CrashRecoveryContext::Enable();
  clang::tidy::ClangTidyGlobalOptions Lines;
  if (!R.LineFilter.empty())
    if (std::error_code EC =
            clang::tidy::parseLineFilter(R.LineFilter, Lines)) {
      O.Error = "--line-filter: " + EC.message() +
                "; it is JSON such as "
                "[{\"name\":\"a.cpp\",\"lines\":[[1,9]]}]";
      return O;
    }
  std::optional<Selection> S = select(R, O.Error);
  if (!S)
    return O;

  TidyOptions Options(R.Checks, R.Profiles, S->Root);
  std::vector<clang::tidy::ClangTidyOptions> PerJob;
  for (const Job &J : S->Jobs)
    PerJob.push_back(Options.of(J.U.File));
  if (!Options.errors().empty()) {
    for (const std::string &E : Options.errors())
      O.Error += (O.Error.empty() ? "" : "\n") + E;
    return O;
  }

  std::vector<FileResult> Results = Runner(R, *S, PerJob).run();
  for (size_t N = 0; N < Results.size(); ++N)
    if (S->Jobs[N].I)
      O.Parses.push_back(
          {S->Jobs[N].U.File, Results[N].Parsed, Results[N].Why});
  O.Report.Files = counted(*S, Results);
  O.Report.Remarks = remarks(*S, Results);
  if (!R.Since.empty() && S->Jobs.empty())
    O.Report.Remarks.push_back("nothing differs from '" + R.Since + "'");
  O.Report.Functions = functionsSkipped(Results, *S);
  O.Report.Findings = merged(Results, *S, Lines.LineFilter);
  O.Sources = std::make_shared<report::SourceLines>();
  addFingerprints(O.Report.Findings, S->Root, *O.Sources);

  std::vector<bool> Fixed(O.Report.Findings.size());
  if (R.Fix) {
    FixOutcome F = applyFixes(O.Report.Findings, [&](const std::string &File) {
      return Options.of(File).FormatStyle.value_or("none");
    });
    Fixed = F.Applied;
    O.Report.Remarks.insert(O.Report.Remarks.end(), F.Errors.begin(),
                            F.Errors.end());
  }
  for (size_t N = 0; N < Fixed.size(); ++N)
    if (Fixed[N])
      ++O.Fixed;
    else
      O.Worst = std::max(O.Worst.value_or(Severity::Remark),
                         O.Report.Findings[N].Level);
  return O;
}
