//===- Crew.h - forked processes that have a file each ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_CREW_H
#define TORCHTIDY_DRIVER_CREW_H

#include "Driver/Processes.h"
#include <functional>
#include <vector>

namespace torchtidy::driver {

/// Forked processes that have a job each. One that has finished may wait, with
/// all that it has parsed, to be asked once more: a new process would have to
/// parse it again.
class Crew {
public:
  using Question = std::vector<Channel::Message>;

  /// \p AtWork processes at a time and \p Waiting ones besides. \p Lost is
  /// called for a job whose process could not be started, or failed.
  Crew(unsigned AtWork, unsigned Waiting, std::function<void(size_t)> Lost)
      : AtWork(AtWork), Waiting(Waiting), Lost(std::move(Lost)) {}

  /// Once there is a place for it. True in the new process.
  bool start(size_t Job);
  /// At once, and not to be waited for. \p Counts: it takes one of the places.
  bool startBeside(size_t Job, bool Counts);

  /// In a process of the crew that has done its job: what it is asked besides.
  /// Does not return where nothing is.
  Question waitForQuestion();

  /// Once there is a place for it. False if the job's process does not wait.
  bool ask(size_t Job, const Question &Q);

  /// Until a process has done its job.
  void reap();
  /// But for those beside.
  bool isWorking() const;
  /// 0: it has ended.
  pid_t process(size_t Job) const;
  /// Ends those that wait.
  void dismiss();

private:
  struct Member {
    pid_t Process;
    size_t Job;
    int Line; ///< closes itself with the process
    bool Beside, Counts, Waits = false;
  };

  bool fork(size_t Job, bool Beside, bool Counts);
  void waitForPlace();
  void end(Member &M);

  const unsigned AtWork, Waiting;
  const std::function<void(size_t)> Lost;
  std::vector<Member> Members;
  int Own = -1; ///< in a process of the crew: its line
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_CREW_H
