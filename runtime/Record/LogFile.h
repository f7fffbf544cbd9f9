//===- LogFile.h - The file behind the writer -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_LOGFILE_H
#define TORCHTIDY_RUNTIME_RECORD_LOGFILE_H

#include <cstddef>

namespace torchtidy::record {

/// A file that is safe in a process not ours: out of the way of the program's
/// descriptors, never raising SIGXFSZ, whole records or none.
class LogFile {
public:
  /// Creates "<Prefix>.<pid>", with a further number if that exists.
  bool create(const char *Prefix, int Pid);
  /// Appends all or, after a message, nothing.
  bool append(const void *Data, size_t Size);
  /// Without touching the file: a child leaves it to its parent.
  void forget();
  const char *path() const { return Path; }

private:
  bool ours() const;
  bool fail(int Error);

  int Fd = -1;
  unsigned long Device = 0, Inode = 0;
  size_t Length = 0;
  char Path[4096 + 32] = {};
};

/// One line on standard error, "torchtidy: " before it.
void say(const char *A, const char *B = "", const char *C = "",
         const char *D = "");

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_LOGFILE_H
