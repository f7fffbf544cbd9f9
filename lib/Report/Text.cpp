//===- Text.cpp - A report for people -------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/Text.h"
#include <algorithm>
#include <cstdio>
#include <set>

using namespace torchtidy;
using namespace torchtidy::report;

namespace {

class Writer {
public:
  Writer(const Document &D, const TextOptions &O)
      : D(D), O(O), Sources(O.Sources ? *O.Sources : Own) {}

  std::string write() {
    for (const Finding &F : D.Findings)
      finding(F);
    unattributed();
    if (!D.Findings.empty() && !Out.empty())
      Out += '\n';
    if (!O.Brief)
      pages();
    for (const SkippedFile &S : D.Files.Skipped)
      Out += "not analysed: " + path(S.File) + ": " + S.Reason + "\n";
    if (O.Verbose)
      functions();
    for (const std::string &R : D.Remarks)
      Out += R + "\n";
    if (O.Brief)
      verdicts();
    Out += summaryLine(D);
    if (!D.Functions.empty() && !O.Verbose && !O.Brief)
      Out += " (--verbose names them)";
    Out += '\n';
    return std::move(Out);
  }

private:
  std::string paint(const char *Code, const std::string &Text) const {
    return O.Colour ? "\033[" + std::string(Code) + "m" + Text + "\033[0m"
                    : Text;
  }

  std::string path(const std::string &File) const {
    const std::string Base =
        O.BaseDirectory.empty() || O.BaseDirectory.back() == '/'
            ? O.BaseDirectory
            : O.BaseDirectory + "/";
    return !Base.empty() && File.rfind(Base, 0) == 0 ? File.substr(Base.size())
                                                     : File;
  }

  void headline(const SourceSpan &Where, const char *Colour,
                const std::string &Kind, const std::string &Text) {
    if (Where.valid())
      Out += paint("1", path(Where.File) + ":" + std::to_string(Where.Line) +
                            ":" + std::to_string(Where.Column) + ": ");
    Out += paint(Colour, Kind + ": ") + Text + "\n";
  }

  /// The source line, the caret and what a fix would put there.
  void snippet(const SourceSpan &Where, const Fix *Edits = nullptr) {
    const std::string Line = Sources.line(Where.File, Where.Line);
    if (Line.empty() || Where.Column == 0)
      return;
    const ScreenLine Screen = ScreenLine::of(Line);
    char Gutter[24];
    std::snprintf(Gutter, sizeof Gutter, "%5u | ", Where.Line);
    Out += Gutter + Screen.Text + "\n";
    const unsigned Caret = Screen.column(Where.Column - 1);
    unsigned Stop = Caret + 1;
    if (Where.EndLine == Where.Line && Where.EndColumn > Where.Column)
      Stop = std::max(Stop, Screen.column(Where.EndColumn - 1));
    Out += "      | " + std::string(Caret, ' ') +
           paint("1;32", "^" + std::string(Stop - Caret - 1, '~')) + "\n";
    if (Edits)
      insertions(*Edits, Where, Screen);
  }

  void insertions(const Fix &Edits, const SourceSpan &Where,
                  const ScreenLine &Screen) {
    for (const Replacement &R : Edits.Replacements) {
      auto [Line, Column] = Sources.position(R.File, R.Offset);
      if (R.File != Where.File || Line != Where.Line || R.Text.empty() ||
          R.Text.find('\n') != std::string::npos)
        continue;
      Out += "      | " + std::string(Screen.column(Column - 1), ' ') +
             paint("32", R.Text) + "\n";
    }
  }

  void finding(const Finding &F) {
    // As clang-tidy marks what WarningsAsErrors promoted.
    const std::string Name =
        F.Check + (F.Level == Severity::Error ? ",-warnings-as-errors" : "");
    const char *Colour = F.Level == Severity::Error     ? "1;31"
                         : F.Level == Severity::Warning ? "1;35"
                                                        : "1;34";
    headline(F.Where, Colour, toString(F.Level),
             paint("1", F.Message) + " [" + Name + "]");
    snippet(F.Where, F.Fixes.empty() || O.Brief ? nullptr : &F.Fixes.front());
    for (const Note &N : F.Notes) {
      if (O.Brief)
        break;
      headline(N.Where, "1;36", "note", N.Message);
      if (N.Where.valid())
        snippet(N.Where);
    }
    if (F.Judged)
      verdict(*F.Judged);
  }

  void verdict(const Verdict &V) {
    const char *Colour = V.State == VerdictState::Confirmed      ? "1;31"
                         : V.State == VerdictState::Contradicted ? "1;32"
                                                                 : "1;33";
    // What an iteration is: steps, calls, ...
    std::string Units = "iterations";
    for (const auto &[Key, Value] : V.Evidence)
      if (Key == "iteration" && !Value.empty())
        Units = Value;
    const std::string Unit =
        Units.back() == 's' ? Units.substr(0, Units.size() - 1) : Units;
    std::string Each, Figures;
    auto Add = [](std::string &List, const char *Between,
                  const std::string &Text) {
      List += (List.empty() ? "" : Between) + Text;
    };
    if (V.BytesPerIteration)
      Add(Each, ", ", humanBytes(*V.BytesPerIteration) + " of tensors");
    if (V.NodesPerIteration) {
      char Text[48];
      std::snprintf(Text, sizeof Text, "%.4g graph node%s",
                    *V.NodesPerIteration, *V.NodesPerIteration == 1 ? "" : "s");
      Add(Each, ", ", Text);
    }
    if (V.HostBytesPerIteration)
      Add(Each, ", ", humanBytes(*V.HostBytesPerIteration) + " of heap");
    if (!Each.empty())
      Add(Figures, "; ", Each + " per " + Unit);
    if (V.PeakBytes)
      Add(Figures, "; ",
          "peak " + humanBytes(static_cast<double>(*V.PeakBytes)));
    if (V.Iterations)
      Add(Figures, "; ",
          std::to_string(*V.Iterations) + " " +
              (*V.Iterations == 1 ? Unit : Units));
    Out += "  " + paint(Colour, toString(V.State)) + ": " + V.Reason;
    if (!Figures.empty())
      Out += " (" + Figures + ")";
    Out += "\n";
  }

  void verdicts() {
    std::string Counts;
    for (VerdictState S : {VerdictState::Confirmed, VerdictState::Contradicted,
                           VerdictState::NotExercised, VerdictState::Undecided})
      if (auto N = std::count_if(D.Findings.begin(), D.Findings.end(),
                                 [&](const Finding &F) {
                                   return F.Judged && F.Judged->State == S;
                                 }))
        Counts += (Counts.empty() ? "" : ", ") + std::to_string(N) + " " +
                  toString(S);
    if (!Counts.empty())
      Out += Counts + "\n";
  }

  void unattributed() {
    if (!D.Unattributed)
      return;
    for (const UnattributedGrowth &U : *D.Unattributed) {
      Out += "growth that no finding explains: " +
             humanBytes(U.BytesPerIteration) + " per iteration";
      if (!U.Function.empty())
        Out += " in " + U.Function;
      if (U.Line)
        Out += ", " + path(U.File) + ":" + std::to_string(U.Line);
      Out += "\n";
    }
  }

  void functions() {
    for (const SkippedFunction &F : D.Functions)
      Out += "not judged: " + path(F.File) + ":" + std::to_string(F.Line) +
             ": " + F.Function + ": " + F.Reason + "\n";
  }

  void pages() {
    std::set<std::string> Checks;
    for (const Finding &F : D.Findings)
      Checks.insert(F.Check);
    for (const std::string &C : Checks)
      Out += C + ": see " + checkPage(C) + "\n";
  }

  const Document &D;
  const TextOptions &O;
  SourceLines Own;
  SourceLines &Sources;
  std::string Out;
};

} // namespace

std::string report::humanBytes(double Bytes) {
  const char *Units[] = {"kB", "MB", "GB", "TB"};
  char Text[48];
  if (Bytes < 1000) {
    std::snprintf(Text, sizeof Text, "%.4g bytes", Bytes);
    return Text;
  }
  unsigned U = 0;
  for (Bytes /= 1000; Bytes >= 1000 && U < 3; ++U)
    Bytes /= 1000;
  std::snprintf(Text, sizeof Text, "%.3g %s", Bytes, Units[U]);
  return Text;
}

std::string report::toText(const Document &D, const TextOptions &Options) {
  return Writer(D, Options).write();
}
