//===- Modules.h - What the loader has loaded -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_MODULES_H
#define TORCHTIDY_RUNTIME_RECORD_MODULES_H

#include <cstdint>

namespace torchtidy::record {

/// Calls \p F with the path of every loaded object but this one, outside of
/// any loader lock, until it returns true. Was it so?
bool forEachModule(bool (*F)(const char *Path, void *Data), void *Data);

/// Under the writer's lock: writes what was loaded or unloaded since the last
/// call; everything if \p Anew.
void writeModules(bool Anew);

/// Does a module that has been written hold \p Address?
bool moduleKnown(uintptr_t Address);

/// Has the loader loaded or unloaded anything since writeModules?
bool modulesChanged();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_MODULES_H
