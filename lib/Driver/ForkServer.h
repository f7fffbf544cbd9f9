//===- ForkServer.h - many files behind one parse of headers ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// Without a precompiled header at hand the fastest way to many files is to
/// parse LibTorch's headers once in a process of its own and to fork it for
/// each file behind them: nothing is written and read again in between. One
/// more fork writes the precompiled header for later runs meanwhile.

#ifndef TORCHTIDY_DRIVER_FORKSERVER_H
#define TORCHTIDY_DRIVER_FORKSERVER_H

#include "Driver/Analyse.h"
#include "Flow/Import.h"

namespace torchtidy::driver {

class Channel;

struct ForkJob {
  const Unit *U;
  const Invocation *I;
  const clang::tidy::ClangTidyOptions *Options;
};

/// Whether the file of this invocation can be parsed behind its headers.
bool canFork(const Invocation &I);

/// Files that have their flags and headers in common.
class ForkServer {
public:
  /// \p Parallel files at a time. To be made while the process has one thread.
  /// \p Again: runLinked may follow.
  ForkServer(std::vector<ForkJob> Jobs, std::vector<std::string> Names,
             HeaderClaim Claim, unsigned Parallel, bool Again);
  /// Waits for its processes, but not for who may outlive the run.
  ~ForkServer();
  ForkServer(const ForkServer &) = delete;
  ForkServer &operator=(const ForkServer &) = delete;

  /// Called once for each file: with the result, or without if the file must be
  /// analysed by itself.
  using Done = llvm::function_ref<void(size_t, std::optional<FileResult>)>;
  void run(Done D);

  /// Files once more, with what they need of others. To be called once.
  using Linked = std::pair<size_t, const flow::LinkedFiles *>;
  void runLinked(llvm::ArrayRef<Linked> Jobs, Done D);

private:
  void receive(std::vector<bool> Wanted, Done D);

  const std::vector<ForkJob> Jobs;
  const std::vector<std::string> Names;
  HeaderClaim Claim;
  std::unique_ptr<Channel> Results, Orders;
  int Child = -1;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_FORKSERVER_H
