//===- torchtidy.h - Marks for the recorder ---------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells the recorder where an iteration or a phase begins and ends. Link with
/// -ltorchtidy. Nothing happens unless the program runs under `torchtidy run`
/// or `torchtidy confirm`; a call costs a few nanoseconds then.
///
///   for (auto& batch : *loader) {
///     torchtidy::iteration();
///     torchtidy::scope forward("forward");
///     ...
///   }
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TORCHTIDY_H
#define TORCHTIDY_TORCHTIDY_H

#ifdef __cplusplus
extern "C" {
#endif

/// 1 if a recorder is listening.
int torchtidy_recording(void);
/// An iteration begins. Without such calls, steps and backwards are counted.
void torchtidy_iteration(void);
/// A named phase; the name is copied.
void torchtidy_scope_begin(const char *name);
void torchtidy_scope_end(const char *name);

#ifdef __cplusplus
} // extern "C"

namespace torchtidy {

inline bool recording() { return torchtidy_recording() != 0; }
inline void iteration() { torchtidy_iteration(); }

/// A phase that lasts as long as the object.
class scope {
public:
  explicit scope(const char *name) : name_(name) {
    torchtidy_scope_begin(name_);
  }
  ~scope() { torchtidy_scope_end(name_); }
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;

private:
  const char *name_;
};

} // namespace torchtidy
#endif

#endif // TORCHTIDY_TORCHTIDY_H
