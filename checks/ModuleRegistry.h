//===- ModuleRegistry.h - clang-tidy's registry of modules ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_MODULEREGISTRY_H
#define TORCHTIDY_CHECKS_MODULEREGISTRY_H

#include "clang-tidy/ClangTidyModule.h"
#include "clang/Basic/Version.h"
#if CLANG_VERSION_MAJOR < 22 // later it stands in the module's header
#include "clang-tidy/ClangTidyModuleRegistry.h"
#endif

#endif // TORCHTIDY_CHECKS_MODULEREGISTRY_H
