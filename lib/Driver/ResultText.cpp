//===- ResultText.cpp - a result as text ----------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ResultText.h"
#include "Report/Json.h"

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

std::string torchtidy::driver::resultText(const FileResult &R) {
  report::Document D;
  D.Findings = R.Findings;
  D.Functions = R.Functions;
  D.Remarks.assign(R.Remarks.begin(), R.Remarks.end());
  std::string Json = report::toJson(D);
  // What the writer puts for bytes that are not UTF-8.
  if (Json.find("\xEF\xBF\xBD") != std::string::npos)
    return {};
  return R.Failure + "\n" + std::to_string(R.Summary.size()) + "\n" +
         R.Summary + Json;
}

std::optional<FileResult> torchtidy::driver::readResult(StringRef Text) {
  FileResult R;
  R.Failure = takeLine(Text).str();
  size_t Length = 0;
  if (takeLine(Text).getAsInteger(10, Length) || Length > Text.size())
    return std::nullopt;
  R.Summary = Text.take_front(Length).str();
  Text = Text.drop_front(Length);
  std::string Error;
  auto D = report::fromJson(Text.str(), Error);
  if (!D)
    return std::nullopt;
  R.Findings = std::move(D->Findings);
  R.Functions = std::move(D->Functions);
  R.Remarks.insert(D->Remarks.begin(), D->Remarks.end());
  return R;
}
