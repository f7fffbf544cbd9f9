//===- Linking.cpp - files of one program ---------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Linking.h"
#include "Driver/Cache.h"
#include "Flow/Program.h"
#include "Flow/Summaries.h"

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

std::vector<flow::LinkedFiles>
torchtidy::driver::link(const std::vector<FileResult> &Results, bool Whole) {
  std::vector<flow::LinkedFiles> Needs(Results.size());
  std::vector<std::shared_ptr<const flow::portable::Module>> Modules, Of;
  for (const FileResult &R : Results) {
    std::string Why;
    auto M = flow::portable::decode(R.Summary, Why);
    Of.push_back(M ? std::make_shared<flow::portable::Module>(std::move(*M))
                   : nullptr);
    if (Of.back())
      Modules.push_back(Of.back());
  }
  // Of a file that was not analysed nothing is known.
  Whole = Whole && Modules.size() == Results.size();
  const flow::Program P(std::move(Modules), Whole);
  for (size_t N = 0; N < Results.size(); ++N)
    if (Of[N])
      Needs[N] = P.neededBy(*Of[N]);
  return Needs;
}

bool torchtidy::driver::isWhole(const Request &R) {
  return R.Files.empty() && R.Since.empty() && !R.Flags;
}

std::string torchtidy::driver::summaries(const std::vector<FileResult> &Results,
                                         bool Whole) {
  std::vector<StringRef> Each;
  for (const FileResult &R : Results)
    if (!R.Summary.empty())
      Each.push_back(R.Summary);
  return flow::Summaries::text(Each, Whole && Each.size() == Results.size());
}

std::string torchtidy::driver::linkKey(const std::string &Own,
                                       const FileResult &First,
                                       const flow::LinkedFiles &Files) {
  if (First.Basis.empty())
    return {};
  std::string Text = "linked\n" + Own + "\n" + First.Basis + "\n";
  for (const flow::Slice &S : Files.Slices) {
    Text += hashed(flow::portable::encode(*S.From));
    for (uint32_t I : S.Functions)
      Text += " " + std::to_string(I);
    Text += "\n";
  }
  Text += Files.Whole ? "whole\n" : "some\n";
  for (const auto &[Name, Id] : Files.Irrelevant)
    Text += Id + "\n";
  return hashed(Text);
}
