//===- Processes.h - forked processes among themselves ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_PROCESSES_H
#define TORCHTIDY_DRIVER_PROCESSES_H

#include <csignal>
#include <cstdint>
#include <string>
#include <sys/types.h>

namespace torchtidy::driver {

/// Ends this process with \p Parent, as after Ctrl-C.
void followParent(pid_t Parent);

/// Whether what this process leaves running may be ended, or its files saved,
/// as soon as it ends: in containers and on services that build and test.
bool endsAlone();

/// Long texts of several processes: appended to a file in memory, announced
/// through a pipe.
class Channel {
public:
  /// Where a text stands.
  struct Message {
    uint64_t Job, Offset, Length;
  };

  Channel();
  ~Channel() { close(); }
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  bool valid() const { return Memory >= 0 && Pipe[0] >= 0; }
  void closeWriter();
  void close();

  /// One append and one short write: other processes do not come between.
  bool send(size_t Job, const std::string &Text);

  /// False when all writers have ended.
  bool receive(Message &M);
  std::string text(const Message &M) const;

private:
  int Memory;
  int Pipe[2];
};

/// Lets a child process outlive its parent: it follows it until told not to.
class HandOver {
public:
  /// To be made before the child is.
  HandOver();

  /// In the parent, once the child is there.
  void started();

  /// In the child, once it follows its parent: SIGUSR1 tells it. Leaves what
  /// the program was started with: nobody may wait for its end at the other end
  /// of a pipe, or for a lock.
  void accept();

  /// In the parent: when this returns it may end.
  void complete(pid_t Child);

private:
  static int Answer;
  int Told[2];
  sigset_t Before;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_PROCESSES_H
