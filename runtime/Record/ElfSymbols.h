//===- ElfSymbols.h - Symbols of loaded modules -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Looks symbols up without dlopen or dlsym: these take the loader's lock, see
/// nothing of what dlopen(RTLD_LOCAL) has brought, and once the process is
/// exiting run constructors a second time.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_ELFSYMBOLS_H
#define TORCHTIDY_RUNTIME_RECORD_ELFSYMBOLS_H

namespace torchtidy::record {

/// The first definition in load order, apart from this library's own; the
/// program's own counts only with \p InProgram. Null if there is none.
void *findElfSymbol(const char *Name, bool InProgram);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_ELFSYMBOLS_H
