//===- TidyArguments.h - clang-tidy's arguments with our headers -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_CLANG_TIDYARGUMENTS_H
#define TORCHTIDY_TOOLS_TORCHTIDY_CLANG_TIDYARGUMENTS_H

#include <vector>

namespace torchtidy::tools {

/// clang-tidy looks for clang's own headers beside its executable, where they
/// are not when the executable is ours: tells it where they are. The result
/// ends with a null pointer that does not count.
std::vector<const char *> withResourceDirectory(int Argc, const char **Argv);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_CLANG_TIDYARGUMENTS_H
