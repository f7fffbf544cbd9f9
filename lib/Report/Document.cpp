//===- Document.cpp - What a report says ----------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/Document.h"

using namespace torchtidy;

std::string report::checkPage(const std::string &Check) {
  const std::string Prefix = "torch-";
  return "docs/checks/" +
         (Check.rfind(Prefix, 0) == 0 ? Check.substr(Prefix.size()) : Check) +
         ".md";
}

static std::string counted(size_t N, const char *Word) {
  return std::to_string(N) + " " + Word + (N == 1 ? "" : "s");
}

std::string report::summaryLine(const Document &D) {
  size_t PerLevel[3] = {0, 0, 0};
  for (const Finding &F : D.Findings)
    ++PerLevel[static_cast<int>(F.Level)];
  std::string Text;
  for (Severity S : {Severity::Error, Severity::Warning, Severity::Remark})
    if (size_t N = PerLevel[static_cast<int>(S)])
      Text += (Text.empty() ? "" : ", ") + counted(N, toString(S));
  if (Text.empty())
    Text = "no findings";
  Text += "; " + std::to_string(D.Files.Analysed) + " of " +
          counted(D.Files.Total, "file") + " analysed";
  if (!D.Functions.empty())
    Text += "; " + counted(D.Functions.size(), "function") + " not judged";
  return Text;
}
