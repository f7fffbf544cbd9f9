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

namespace torchtidy::driver {

struct ForkJob {
  const Unit *U;
  const Invocation *I;
  const clang::tidy::ClangTidyOptions *Options;
};

/// Whether the file of this invocation can be parsed behind its headers.
bool canFork(const Invocation &I);

/// Analyses files that have their flags and \p Names in common, \p Parallel at
/// a time. Calls \p Done on this thread once for each: with the result, or
/// without if the file must be analysed by itself. To be called while the
/// process has one thread.
void analyseForked(
    llvm::ArrayRef<ForkJob> Jobs, const std::vector<std::string> &Names,
    const HeaderClaim &Claim, unsigned Parallel,
    llvm::function_ref<void(size_t, std::optional<FileResult>)> Done);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_FORKSERVER_H
