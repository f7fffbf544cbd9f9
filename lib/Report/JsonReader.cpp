//===- JsonReader.cpp - Reads the findings document -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/Json.h"
#include <nlohmann/json.hpp>
#include <stdexcept>

using namespace torchtidy;
using namespace torchtidy::report;
using Json = nlohmann::ordered_json;

namespace {

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value and where it stands in the document, for messages.
class Node {
public:
  Node(const Json &Value, std::string Path)
      : Value(Value), Path(std::move(Path)) {}

  Node operator[](const char *Key) const {
    static const Json Null;
    require(Value.is_object(), "must be an object");
    auto It = Value.find(Key);
    return Node(It == Value.end() ? Null : *It,
                Path.empty() ? Key : Path + "." + Key);
  }
  bool isNull() const { return Value.is_null(); }
  std::vector<Node> list() const {
    require(Value.is_array(), "must be a list");
    std::vector<Node> L;
    for (size_t I = 0; I < Value.size(); ++I)
      L.emplace_back(Value[I], Path + "[" + std::to_string(I) + "]");
    return L;
  }
  std::vector<std::pair<std::string, Node>> members() const {
    require(Value.is_object(), "must be an object");
    std::vector<std::pair<std::string, Node>> L;
    for (auto It = Value.begin(); It != Value.end(); ++It)
      L.emplace_back(It.key(), Node(It.value(), Path + "." + It.key()));
    return L;
  }
  std::string text() const {
    require(Value.is_string(), "must be a string");
    return Value.get<std::string>();
  }
  uint64_t count() const {
    require(Value.is_number_unsigned(), "must be a whole number, 0 or more");
    return Value.get<uint64_t>();
  }
  unsigned small() const {
    uint64_t N = count();
    require(N <= UINT32_MAX, "is too large");
    return static_cast<unsigned>(N);
  }
  int status() const {
    require(Value.is_number_integer(), "must be a whole number");
    return Value.get<int>();
  }
  double number() const {
    require(Value.is_number(), "must be a number");
    return Value.get<double>();
  }
  bool flag() const {
    require(Value.is_boolean(), "must be true or false");
    return Value.get<bool>();
  }
  void require(bool Holds, const char *What) const {
    if (!Holds)
      throw Malformed((Path.empty() ? "the document" : "'" + Path + "'") + " " +
                      What);
  }

private:
  const Json &Value;
  std::string Path;
};

SourceSpan span(const Node &N) {
  SourceSpan S;
  S.File = N["file"].text();
  S.Line = N["line"].small();
  N["line"].require(S.Line, "counts from 1");
  S.Column = N["column"].small();
  S.EndLine = N["end_line"].small();
  S.EndColumn = N["end_column"].small();
  return S;
}

template <typename Enum>
Enum named(const Node &N, std::initializer_list<Enum> All) {
  const std::string Text = N.text();
  for (Enum E : All)
    if (Text == toString(E))
      return E;
  N.require(false, "has an unknown value");
  return *All.begin();
}

template <typename T, typename Get>
void optional(const Node &N, std::optional<T> &Out, Get G) {
  if (!N.isNull())
    Out = G(N);
}

Verdict verdict(const Node &N) {
  auto Count = [](const Node &X) { return X.count(); };
  auto Number = [](const Node &X) { return X.number(); };
  Verdict V;
  V.State =
      named(N["state"], {VerdictState::Confirmed, VerdictState::Contradicted,
                         VerdictState::NotExercised, VerdictState::Undecided});
  V.Reason = N["reason"].text();
  V.DidRun = named(N["ran"], {Ran::Yes, Ran::No, Ran::Unknown});
  optional(N["iterations"], V.Iterations, Count);
  optional(N["bytes_per_iteration"], V.BytesPerIteration, Number);
  optional(N["nodes_per_iteration"], V.NodesPerIteration, Number);
  optional(N["host_bytes_per_iteration"], V.HostBytesPerIteration, Number);
  optional(N["peak_bytes"], V.PeakBytes, Count);
  if (!N["evidence"].isNull())
    for (const auto &[Key, Value] : N["evidence"].members())
      V.Evidence.emplace_back(Key, Value.text());
  return V;
}

Holder holder(const Node &N) {
  Holder H;
  H.Name = N["name"].text();
  if (!N["declaration"].isNull())
    H.Declaration = span(N["declaration"]);
  H.MayBeBounded = N["may_be_bounded"].flag();
  return H;
}

Fix fix(const Node &N) {
  Fix F;
  F.Description = N["description"].text();
  for (const Node &R : N["replacements"].list())
    F.Replacements.push_back({R["file"].text(), R["offset"].small(),
                              R["length"].small(), R["text"].text()});
  return F;
}

Finding finding(const Node &N) {
  Finding F;
  F.Check = N["check"].text();
  F.Profile = N["profile"].text();
  F.Level = named(N["severity"],
                  {Severity::Remark, Severity::Warning, Severity::Error});
  F.Where = span(N);
  F.Message = N["message"].text();
  for (const Node &X : N["notes"].list())
    F.Notes.push_back(
        {X["line"].isNull() ? SourceSpan() : span(X), X["message"].text()});
  for (const Node &X : N["fixes"].list())
    F.Fixes.push_back(fix(X));
  F.Function = N["function"].text();
  optional(N["loop"], F.Loop, span);
  F.Range = span(N["range"]);
  for (const Node &X : N["producers"].list())
    F.Producers.push_back(span(X));
  optional(N["holder"], F.HeldBy, holder);
  F.Fingerprint = N["fingerprint"].text();
  optional(N["verdict"], F.Judged, verdict);
  return F;
}

Document document(const Node &N) {
  const uint64_t Version = N["version"].count();
  N["version"].require(Version == 1, "is not 1, the only one known here");
  Document D;
  D.ToolVersion = N["tool"]["version"].text();
  for (const Node &X : N["findings"].list())
    D.Findings.push_back(finding(X));
  const Node Files = N["files"];
  D.Files.Analysed = Files["analysed"].small();
  D.Files.Total = Files["total"].small();
  for (const Node &X : Files["skipped"].list())
    D.Files.Skipped.push_back({X["file"].text(), X["reason"].text()});
  if (!N["functions_skipped"].isNull())
    for (const Node &X : N["functions_skipped"].list())
      D.Functions.push_back({X["file"].text(), X["line"].small(),
                             X["function"].text(), X["reason"].text()});
  if (!N["remarks"].isNull())
    for (const Node &X : N["remarks"].list())
      D.Remarks.push_back(X.text());
  if (!N["program"].isNull()) {
    D.Program.emplace();
    for (const Node &X : N["program"]["command"].list())
      D.Program->Command.push_back(X.text());
    optional(N["program"]["status"], D.Program->Status,
             [](const Node &X) { return X.status(); });
  }
  if (!N["unattributed"].isNull()) {
    D.Unattributed.emplace();
    for (const Node &X : N["unattributed"].list())
      D.Unattributed->push_back(
          {X["file"].text(), X["line"].isNull() ? 0 : X["line"].small(),
           X["function"].text(), X["bytes_per_iteration"].number()});
  }
  return D;
}

} // namespace

std::optional<Document> report::fromJson(const std::string &Text,
                                         std::string &Error) {
  try {
    const Json J = Json::parse(Text);
    return document(Node(J, ""));
  } catch (const Malformed &M) {
    Error = std::string("not a findings document: ") + M.what();
  } catch (const Json::exception &E) {
    Error = std::string("not JSON: ") + E.what();
  }
  return std::nullopt;
}
