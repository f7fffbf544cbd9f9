//===- PendingFilter.h - instantiations of headers alone --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// Most of plain parsing is the instantiation of header templates for types of
/// headers. The file's code cannot be reached from these, apart from what
/// HoistGuard knows, so a file that is parsed with the bodies of its headers
/// goes without them.

#ifndef TORCHTIDY_DRIVER_PENDINGFILTER_H
#define TORCHTIDY_DRIVER_PENDINGFILTER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

namespace clang {
class ExternalSemaSource;
class Sema;
class TemplateArgument;
} // namespace clang

namespace torchtidy::driver {

/// To be added to Sema behind the reader of the precompiled header: takes the
/// instantiations of headers alone out again at the end of the file.
llvm::IntrusiveRefCntPtr<clang::ExternalSemaSource>
makePendingFilter(clang::Sema &Actions);

/// Whether template arguments mention what is not from a precompiled header, or
/// what stands outside all namespaces.
bool mentionsOwn(llvm::ArrayRef<clang::TemplateArgument> Args);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_PENDINGFILTER_H
