//===- Subject.h - An allocator under test ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One program is built per family of allocators; its file defines
/// makeSubject() and listSubjects().
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_SUBJECT_H
#define TORCHTIDY_BENCH_ALLOCATOR_SUBJECT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace torchtidy::bench {

struct SubjectStatistics {
  uint64_t Reserved = 0, ReservedPeak = 0;
  uint64_t Retries = 0; ///< times that memory ran out and something was freed
  uint64_t OutOfMemory = 0;
};

class Subject {
public:
  virtual ~Subject() = default;
  /// Null: out of memory.
  virtual void *allocate(size_t Bytes, void *Stream) = 0;
  virtual void free(void *P) = 0;
  /// Not used again before what is on \p Stream when it is freed has ended.
  virtual void recordStream(void *P, void *Stream) = 0;
  virtual void emptyCache() = 0;
  virtual SubjectStatistics statistics() = 0;
  /// The subject's own stream for the trace's stream \p Index; null is the
  /// default stream.
  virtual void *stream(unsigned Index) = 0;
};

/// What a subject may be told on the command line.
struct SubjectOptions {
  std::string Name;
  double Fraction = 0; ///< of the device's memory that may be used; 0: not set
};

/// Called after the device's memory was limited. Null: no such subject here.
std::unique_ptr<Subject> makeSubject(const SubjectOptions &Options);
/// Their names, separated by blanks.
const char *listSubjects();

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_SUBJECT_H
