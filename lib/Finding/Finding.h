//===- Finding.h - One finding and its verdict ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a check says about a program and what a run has said of it. The same
/// model feeds every report format and the confirmation. No LLVM, no JSON.
///
/// Lines and columns count from 1, columns in bytes; 0 means "not known".
/// Offsets and lengths are bytes from the start of the file.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FINDING_FINDING_H
#define TORCHTIDY_FINDING_FINDING_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchtidy {

/// A stretch of one file; the end is the last character's line and the column
/// behind it.
struct SourceSpan {
  std::string File;
  unsigned Line = 0, Column = 0;
  unsigned EndLine = 0, EndColumn = 0;

  bool valid() const { return Line != 0; }
};

struct Note {
  SourceSpan Where;
  std::string Message;
};

struct Replacement {
  std::string File;
  unsigned Offset = 0, Length = 0;
  std::string Text;
};

struct Fix {
  std::string Description;
  std::vector<Replacement> Replacements;
};

/// What keeps the tensor: a container, an accumulator, a member.
struct Holder {
  std::string Name; ///< as written, such as `losses` or `this->history_`
  SourceSpan Declaration;
  /// A clear, pop, erase or capacity test on the holder stands in the file: a
  /// run decides only after the bound has been passed.
  bool MayBeBounded = false;
};

enum class VerdictState { Confirmed, Contradicted, NotExercised, Undecided };
enum class Ran { Yes, No, Unknown };

/// What a run has shown. Figures that were not measured are empty.
struct Verdict {
  VerdictState State = VerdictState::Undecided;
  std::string Reason; ///< one sentence, lower case
  Ran DidRun = Ran::Unknown;
  std::optional<uint64_t> Iterations;
  std::optional<double> BytesPerIteration;
  std::optional<double> NodesPerIteration;
  std::optional<double> HostBytesPerIteration;
  std::optional<uint64_t> PeakBytes;
  /// Further named figures, in order.
  std::vector<std::pair<std::string, std::string>> Evidence;
};

enum class Severity { Remark, Warning, Error };

struct Finding {
  std::string Check;               ///< torch-retained-graph
  std::string Profile = "default"; ///< default, strict, perf
  Severity Level = Severity::Warning;
  SourceSpan Where; ///< the defect, in user code
  std::string Message;
  std::vector<Note> Notes;
  std::vector<Fix> Fixes;
  std::string Function;           ///< qualified name of the enclosing function
  std::optional<SourceSpan> Loop; ///< the loop over which memory grows
  SourceSpan Range;               ///< the whole flagged statement
  std::vector<SourceSpan> Producers; ///< where the autograd history came from
  std::optional<Holder> HeldBy;
  std::string Fingerprint;
  std::optional<Verdict> Judged;
};

/// A function about which no check, or not every check, could say all.
struct SkippedFunction {
  std::string File;
  unsigned Line = 0;
  std::string Function; ///< qualified name
  std::string Reason;   ///< one sentence, lower case
};

const char *toString(VerdictState S);
const char *toString(Ran R);
const char *toString(Severity S);

/// Identifies a finding across edits that only move it: check, path below the
/// project root, function and the flagged line's text without white space;
/// \p Ordinal tells apart equal ones in one function. 16 hex digits.
std::string fingerprint(const Finding &F, const std::string &RelativePath,
                        const std::string &LineText, unsigned Ordinal);

} // namespace torchtidy

#endif // TORCHTIDY_FINDING_FINDING_H
