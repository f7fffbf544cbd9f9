//===- ForkServer.cpp - many files behind one parse of headers ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ForkServer.h"
#include "Driver/Cache.h"
#include "Driver/ForkedParse.h"
#include "Driver/ResultText.h"
#include "clang/Lex/PreprocessorOptions.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

//===-- Orders ------------------------------------------------------------===//

// Between processes of one program: numbers as this machine has them.
static void put(std::string &To, uint64_t N) {
  To.append(reinterpret_cast<const char *>(&N), sizeof N);
}

static uint64_t take(StringRef &From) {
  uint64_t N = 0;
  if (From.size() >= sizeof N)
    std::memcpy(&N, From.data(), sizeof N);
  From = From.drop_front(std::min(From.size(), sizeof N));
  return N;
}

std::string LinkOrder::text(const ModuleList &M) {
  std::string Text;
  for (const auto &Each : M) {
    const std::string Bytes = flow::portable::encode(*Each);
    put(Text, Bytes.size());
    Text += Bytes;
  }
  return Text;
}

LinkOrder::ModuleList LinkOrder::readModules(StringRef Text) {
  ModuleList M;
  while (!Text.empty()) {
    const uint64_t N = take(Text);
    std::string Why;
    auto Read = flow::portable::decode(Text.take_front(N), Why);
    M.push_back(std::make_shared<flow::portable::Module>(
        Read ? std::move(*Read) : flow::portable::Module()));
    Text = Text.drop_front(std::min<uint64_t>(N, Text.size()));
  }
  return M;
}

std::string LinkOrder::text(const flow::LinkedFiles &F, const ModuleList &M) {
  std::string Text;
  put(Text, F.Whole);
  put(Text, F.Irrelevant.size());
  for (const auto &[Name, Id] : F.Irrelevant)
    for (const std::string &Each : {Name, Id}) {
      put(Text, Each.size());
      Text += Each;
    }
  for (const flow::Slice &S : F.Slices) {
    put(Text, find(M, S.From) - M.begin());
    put(Text, S.Functions.size());
    for (uint32_t I : S.Functions)
      put(Text, I);
  }
  return Text;
}

flow::LinkedFiles LinkOrder::read(StringRef Text, const ModuleList &M) {
  flow::LinkedFiles F;
  F.Matter = true;
  F.Whole = take(Text);
  auto String = [&] {
    const size_t N = take(Text);
    const StringRef S = Text.take_front(N);
    Text = Text.drop_front(S.size());
    return S.str();
  };
  for (uint64_t N = take(Text); N && !Text.empty(); --N) {
    std::string Name = String();
    F.Irrelevant.emplace_back(std::move(Name), String());
  }
  while (!Text.empty()) {
    const uint64_t From = take(Text);
    flow::Slice S;
    for (uint64_t N = take(Text); N && !Text.empty(); --N)
      S.Functions.push_back(uint32_t(take(Text)));
    if (From >= M.size())
      continue;
    S.From = M[From];
    F.Slices.push_back(std::move(S));
  }
  return F;
}

//===-- The parent --------------------------------------------------------===//

static std::optional<FileResult> received(StringRef Text,
                                          const HeaderClaim &Claim) {
  auto Header = std::make_shared<SharedHeader>();
  Header->Key = Claim.Key;
  Header->Digest = takeLine(Text).str();
  Inputs Used;
  Used.Doubt = takeLine(Text).str();
  if (!Used.read(Text))
    return std::nullopt;
  auto R = readResult(Text);
  if (!R)
    return std::nullopt;
  R->Parsed = ParseLevel::Shared;
  R->Used = std::move(Used);
  R->Headers.push_back(std::move(Header));
  return R;
}

bool torchtidy::driver::canFork(const Invocation &I) {
  // What the command line includes would have to come behind the headers.
  const PreprocessorOptions &O = I.Clang->getPreprocessorOpts();
  return O.Includes.empty() && O.MacroIncludes.empty();
}

ForkServer::ForkServer(std::vector<ForkJob> Files,
                       std::vector<std::string> Headers, HeaderClaim C,
                       unsigned Parallel, bool Again)
    : Jobs(std::move(Files)), Names(std::move(Headers)), Claim(std::move(C)),
      Results(std::make_unique<Channel>()),
      Orders(std::make_unique<Channel>()) {
  const pid_t Parent = getpid();
  Child = Results->valid() && Orders->valid() ? fork() : -1;
  if (Child == 0) {
    followParent(Parent);
    Orders->closeWriter();
    serveForks(Jobs, Names, Claim, std::max(1U, Parallel), Again, *Results,
               *Orders);
  }
  Results->closeWriter();
  Claim.Lock.reset(); // the other process has it
}

ForkServer::~ForkServer() {
  if (Child <= 0)
    return;
  (void)Orders->send(LinkOrder::End, {});
  while (waitpid(Child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ForkServer::receive(std::vector<bool> Wanted, Done D) {
  size_t Left = count(Wanted, true);
  Channel::Message M;
  while (Left && Child > 0 && Results->receive(M)) {
    if (M.Job >= Wanted.size() || !Wanted[M.Job])
      continue;
    Wanted[M.Job] = false;
    --Left;
    D(M.Job, received(Results->text(M), Claim));
  }
  for (size_t N = 0; N < Wanted.size(); ++N)
    if (Wanted[N])
      D(N, std::nullopt);
}

void ForkServer::run(Done D) {
  receive(std::vector<bool>(Jobs.size(), true), D);
}

void ForkServer::runLinked(ArrayRef<Linked> Again, Done D) {
  LinkOrder::ModuleList Modules;
  for (const auto &[N, Files] : Again)
    for (const flow::Slice &S : Files->Slices)
      if (!is_contained(Modules, S.From))
        Modules.push_back(S.From);
  std::vector<bool> Wanted(Jobs.size());
  bool Sent =
      Child > 0 && Orders->send(LinkOrder::Modules, LinkOrder::text(Modules));
  for (const auto &[N, Files] : Again) {
    Wanted[N] = true;
    Sent = Sent && Orders->send(N, LinkOrder::text(*Files, Modules));
  }
  // Now it looks after those that fail.
  Sent = Sent && Orders->send(LinkOrder::End, {});
  if (Sent)
    return receive(std::move(Wanted), D);
  for (const auto &[N, Files] : Again)
    D(N, std::nullopt);
}
