//===- ResultText.h - a result as text --------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// A FileResult as text: for the cache, and from process to process.

#ifndef TORCHTIDY_DRIVER_RESULTTEXT_H
#define TORCHTIDY_DRIVER_RESULTTEXT_H

#include "Driver/Analyse.h"

namespace torchtidy::driver {

/// What was found, without what it depends on. \p R.Failure has one line.
/// Empty if it has bytes that JSON cannot carry.
std::string resultText(const FileResult &R);
std::optional<FileResult> readResult(llvm::StringRef Text);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_RESULTTEXT_H
