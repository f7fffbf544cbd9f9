//===- Specializations.h - one specialization of many -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/// \file
/// LLVM 19 reads all specializations of a template from a precompiled header
/// as soon as one of them is looked for: behind LibTorch's headers a small file
/// brings in thousands of instances of `std::__or_` and its like. The
/// precompiled header therefore has a table of its own: which specializations
/// can have which arguments. LLVM 20 writes such a table itself: from there on
/// nothing of this is built.

#ifndef TORCHTIDY_DRIVER_SPECIALIZATIONS_H
#define TORCHTIDY_DRIVER_SPECIALIZATIONS_H

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Serialization/ModuleFileExtension.h"
#include "llvm/Support/Endian.h"
#include <memory>

namespace torchtidy::driver {

/// Writes the table into a precompiled header, and finds it there.
std::shared_ptr<clang::ModuleFileExtension> specializationTable();

/// For a parse that writes or reads a precompiled header.
inline void
useSpecializationTable([[maybe_unused]] clang::FrontendOptions &Options) {
#if CLANG_VERSION_MAJOR == 19
  Options.ModuleFileExtensions.push_back(specializationTable());
#endif
}

/// Equal for arguments that are equal in their canonical form; never 0.
uint32_t argumentsHash(llvm::ArrayRef<clang::TemplateArgument> Args,
                       const clang::ASTContext &Context);

/// What the table stands in place of: loads those specializations of \p T that
/// can have arguments of that hash, or the partial ones. \p Lazy is the list of
/// all as clang keeps it, its length first. False, with nothing loaded, where
/// the table does not know the template: then all have to be loaded.
bool loadSpecializations(const clang::RedeclarableTemplateDecl &T,
                         const clang::GlobalDeclID *Lazy, uint32_t Hash);

/// Whether the table knows the template.
bool isInTable(const clang::RedeclarableTemplateDecl &T,
               const clang::GlobalDeclID *Lazy);

constexpr uint32_t PartialSpecializations = 0; ///< in place of a hash

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_SPECIALIZATIONS_H
