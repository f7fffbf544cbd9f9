//===- BestFitSubject.h - The column without remapping ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One StreamRange per stream; a block recorded on other streams waits for an
/// event of each. When memory runs out everything is synchronised and the
/// ranges' free ends are given back.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_BESTFITSUBJECT_H
#define TORCHTIDY_BENCH_ALLOCATOR_BESTFITSUBJECT_H

#include "StreamRange.h"
#include "Subject.h"
#include <deque>

namespace torchtidy::bench {

class BestFitSubject : public Subject {
public:
  explicit BestFitSubject(uint64_t HandleBytes) : HandleBytes(HandleBytes) {}

  void *allocate(size_t Bytes, void *Stream) override;
  void free(void *P) override;
  void recordStream(void *P, void *Stream) override;
  void emptyCache() override;
  SubjectStatistics statistics() override { return Numbers; }
  void *stream(unsigned Index) override;

private:
  const uint64_t HandleBytes;
  SubjectStatistics Numbers;
  std::vector<void *> Streams;
  std::map<void *, std::unique_ptr<StreamRange>> Ranges;
  std::map<void *, std::set<void *>> Recorded;
  struct Pending {
    void *Block;
    std::vector<void *> Events;
  };
  std::deque<Pending> Waiting;

  StreamRange &range(void *Stream);
  void give(void *P);
  void poll();
  void count();
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_BESTFITSUBJECT_H
