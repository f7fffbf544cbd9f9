//===- Linked.cpp - libtorchtidy.so: marks without a recorder -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Under `torchtidy run` the preloaded recorder defines these as well, and
/// comes first; without it nothing happens.
///
//===----------------------------------------------------------------------===//

#include "torchtidy/torchtidy.h"

#define TORCHTIDY_EXPORT __attribute__((visibility("default")))

TORCHTIDY_EXPORT int torchtidy_recording(void) { return 0; }
TORCHTIDY_EXPORT void torchtidy_iteration(void) {}
TORCHTIDY_EXPORT void torchtidy_scope_begin(const char *) {}
TORCHTIDY_EXPORT void torchtidy_scope_end(const char *) {}
