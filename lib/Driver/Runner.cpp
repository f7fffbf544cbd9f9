//===- Runner.cpp - all files of a run ------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Runner.h"
#include "Driver/Cache.h"
#include "Driver/ForkServer.h"
#include "Driver/IncludeScan.h"
#include "Driver/Linking.h"
#include "Driver/ResultCache.h"
#include "clang/Basic/Stack.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/thread.h"
#include <atomic>

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
    auto Server = std::make_unique<ForkServer>(
        std::move(Jobs), Names, std::move(Claim), Threads, isLinked());
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

  bool isLinked() const { return R.Link && S.Jobs.size() > 1; }

  /// Files whose findings depend on others are judged again.
  void linkFiles() {
    if (!isLinked())
      return;
    Needs = link(Results, isWhole(R));
    for (size_t N = 0; N < Needs.size(); ++N) {
      if (!Needs[N].Matter)
        continue;
      LinkKeys[N] = Kept ? linkKey(key(N), Results[N], Needs[N]) : "";
      if (!LinkKeys[N].empty() && !R.Reparse)
        if (auto Known = Kept->findLinked(LinkKeys[N])) {
          Known->Parsed = Results[N].Parsed;
          Known->Why = Results[N].Why;
          Known->Summary = std::move(Results[N].Summary);
          Results[N] = std::move(*Known);
          continue;
        }
      Again.insert(N);
    }
    Total += Again.size();
    for (auto &Each : Servers) {
      ForkServer &Server = *Each.first;
      const std::vector<size_t> &Members = Each.second;
      std::vector<ForkServer::Linked> Jobs;
      for (size_t I = 0; I < Members.size(); ++I)
        if (Ready[Members[I]] && Again.count(Members[I]))
          Jobs.emplace_back(I, &Needs[Members[I]]);
      if (Jobs.empty())
        continue;
      progress(S.Jobs[Members[Jobs.front().first]].U.File, 0);
      Server.runLinked(Jobs, [&](size_t I, std::optional<FileResult> Result) {
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
    Result.Summary = std::move(Results[N].Summary);
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

} // namespace

std::vector<FileResult> torchtidy::driver::analyseAll(
    const Request &R, const Selection &S,
    std::vector<clang::tidy::ClangTidyOptions> Options) {
  return Runner(R, S, std::move(Options)).run();
}
