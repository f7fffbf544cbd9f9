//===- Reader.h - Reads a run log -------------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TRACE_READER_H
#define TORCHTIDY_TRACE_READER_H

#include "Trace/Trace.h"
#include <optional>
#include <string>

namespace torchtidy::trace {

/// Reads the log of one process. A log that was cut off is read to its last
/// whole chunk and has Complete unset. Nothing, with \p Error saying why, if it
/// is not such a log, is of another format version, or holds no whole chunk.
std::optional<Trace> readTrace(const std::string &Path, std::string &Error);

/// The same from memory.
std::optional<Trace> readTrace(const void *Data, size_t Size,
                               std::string &Error);

} // namespace torchtidy::trace

#endif // TORCHTIDY_TRACE_READER_H
