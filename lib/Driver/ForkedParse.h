//===- ForkedParse.h - a parse that forks for each file ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_FORKEDPARSE_H
#define TORCHTIDY_DRIVER_FORKEDPARSE_H

#include "Driver/ForkServer.h"
#include "Driver/Processes.h"

namespace torchtidy::driver {

/// What the parent asks for when all files have been seen: a file once more,
/// with what it needs of others.
struct LinkOrder {
  /// In place of a file's number: the modules that orders name; no more orders.
  static constexpr size_t Modules = ~size_t(0), End = Modules - 1;

  using ModuleList = std::vector<std::shared_ptr<const flow::portable::Module>>;
  static std::string text(const ModuleList &M);
  static ModuleList readModules(llvm::StringRef Text);
  static std::string text(const flow::LinkedFiles &F, const ModuleList &M);
  static flow::LinkedFiles read(llvm::StringRef Text, const ModuleList &M);
};

/// Runs in a process of its own: sends a result for each file, empty if it must
/// be analysed by itself, and then follows orders; \p Again: there may be some.
[[noreturn]] void serveForks(llvm::ArrayRef<ForkJob> Jobs,
                             const std::vector<std::string> &Names,
                             HeaderClaim &Claim, unsigned Parallel, bool Again,
                             Channel &Out, Channel &Orders);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_FORKEDPARSE_H
