//===- Json.cpp - Writes the findings document as JSON --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/Json.h"
#include <nlohmann/json.hpp>

using namespace torchtidy;
using namespace torchtidy::report;
using Json = nlohmann::ordered_json;

namespace {

template <typename T> Json orNull(const std::optional<T> &V) {
  return V ? Json(*V) : Json(nullptr);
}

Json span(const SourceSpan &S) {
  return {{"file", S.File},
          {"line", S.Line},
          {"column", S.Column},
          {"end_line", S.EndLine},
          {"end_column", S.EndColumn}};
}

/// A span that is not known is null, never a line 0.
Json spanOrNull(const SourceSpan &S) {
  return S.valid() ? span(S) : Json(nullptr);
}

Json note(const Note &N) {
  Json J = N.Where.valid() ? span(N.Where) : Json::object();
  J["message"] = N.Message;
  return J;
}

Json fix(const Fix &F) {
  Json Edits = Json::array();
  for (const Replacement &R : F.Replacements)
    Edits.push_back({{"file", R.File},
                     {"offset", R.Offset},
                     {"length", R.Length},
                     {"text", R.Text}});
  return {{"description", F.Description}, {"replacements", std::move(Edits)}};
}

Json holder(const std::optional<Holder> &H) {
  if (!H)
    return nullptr;
  return {{"name", H->Name},
          {"declaration", spanOrNull(H->Declaration)},
          {"may_be_bounded", H->MayBeBounded}};
}

Json verdict(const std::optional<Verdict> &V) {
  if (!V)
    return nullptr;
  Json Evidence = Json::object();
  for (const auto &[Key, Value] : V->Evidence)
    Evidence[Key] = Value;
  return {{"state", toString(V->State)},
          {"reason", V->Reason},
          {"ran", toString(V->DidRun)},
          {"iterations", orNull(V->Iterations)},
          {"bytes_per_iteration", orNull(V->BytesPerIteration)},
          {"nodes_per_iteration", orNull(V->NodesPerIteration)},
          {"host_bytes_per_iteration", orNull(V->HostBytesPerIteration)},
          {"peak_bytes", orNull(V->PeakBytes)},
          {"evidence", std::move(Evidence)}};
}

Json finding(const Finding &F) {
  Json J = {{"check", F.Check},
            {"profile", F.Profile},
            {"severity", toString(F.Level)}};
  J.update(span(F.Where));
  J["message"] = F.Message;
  Json &Notes = J["notes"] = Json::array();
  for (const Note &N : F.Notes)
    Notes.push_back(note(N));
  Json &Fixes = J["fixes"] = Json::array();
  for (const Fix &X : F.Fixes)
    Fixes.push_back(fix(X));
  J["function"] = F.Function;
  J["loop"] = F.Loop ? spanOrNull(*F.Loop) : Json(nullptr);
  J["range"] = span(F.Range.valid() ? F.Range : F.Where);
  Json &Producers = J["producers"] = Json::array();
  for (const SourceSpan &S : F.Producers)
    Producers.push_back(span(S));
  J["holder"] = holder(F.HeldBy);
  J["fingerprint"] = F.Fingerprint;
  J["verdict"] = verdict(F.Judged);
  return J;
}

Json files(const FileCounts &C) {
  Json Skipped = Json::array();
  for (const SkippedFile &S : C.Skipped)
    Skipped.push_back({{"file", S.File}, {"reason", S.Reason}});
  return {{"analysed", C.Analysed},
          {"total", C.Total},
          {"skipped", std::move(Skipped)}};
}

} // namespace

std::string report::toJson(const Document &D) {
  Json J = {{"version", 1},
            {"tool", {{"name", "torchtidy"}, {"version", D.ToolVersion}}}};
  Json &Findings = J["findings"] = Json::array();
  for (const Finding &F : D.Findings)
    Findings.push_back(finding(F));
  J["files"] = files(D.Files);
  Json &Functions = J["functions_skipped"] = Json::array();
  for (const SkippedFunction &F : D.Functions)
    Functions.push_back({{"file", F.File},
                         {"line", F.Line},
                         {"function", F.Function},
                         {"reason", F.Reason}});
  J["remarks"] = D.Remarks;
  if (D.Program)
    J["program"] = {{"command", D.Program->Command},
                    {"status", orNull(D.Program->Status)}};
  if (D.Unattributed) {
    Json &List = J["unattributed"] = Json::array();
    for (const UnattributedGrowth &U : *D.Unattributed)
      List.push_back({{"file", U.File},
                      {"line", U.Line ? Json(U.Line) : Json(nullptr)},
                      {"function", U.Function},
                      {"bytes_per_iteration", U.BytesPerIteration}});
  }
  // Sources need not be UTF-8; a report always is.
  return J.dump(2, ' ', /*ensure_ascii=*/false,
                Json::error_handler_t::replace) +
         "\n";
}
