//===- Linking.h - files of one program -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_LINKING_H
#define TORCHTIDY_DRIVER_LINKING_H

#include "Driver/Analyse.h"

namespace torchtidy::driver {

/// What each file must be judged again with, if that matters for it. \p Whole:
/// they are all files of the project.
std::vector<flow::LinkedFiles> link(const std::vector<FileResult> &Results,
                                    bool Whole);

/// Are these all files of the project?
bool isWhole(const Request &R);

/// The bytes of flow::Summaries.
std::string summaries(const std::vector<FileResult> &Results, bool Whole);

/// Names all that the result of such a judgement depends on: the file's own key
/// and state, and what it needs of others. Empty: not known.
std::string linkKey(const std::string &Own, const FileResult &First,
                    const flow::LinkedFiles &Files);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_LINKING_H
