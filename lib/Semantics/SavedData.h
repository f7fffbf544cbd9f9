//===- SavedData.h - Custom functions and their contexts --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Custom autograd functions: what their context keeps, and which calls give
/// the same tensor, a view of it or a new one.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_SAVEDDATA_H
#define TORCHTIDY_SEMANTICS_SAVEDDATA_H

#include "Semantics/Calls.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace torchtidy::semantics {

/// AutogradContext, or a reference or pointer to one.
bool isAutogradContext(clang::QualType T);
/// The static `forward(AutogradContext *, ...)` of an autograd::Function.
bool isCustomForward(const clang::FunctionDecl *F);
/// The backward of the class of a forward, or null.
const clang::FunctionDecl *backwardOf(const clang::FunctionDecl *Forward);
/// `ctx->saved_data`
bool isSavedData(const clang::MemberExpr *E);

enum class ContextCall { Other, MarkDirty, MarkNonDifferentiable };
ContextCall contextCallOf(const Call &C);

using Definition = llvm::function_ref<const clang::FunctionDecl *(
    const clang::FunctionDecl *)>;
/// May a backward empty what its context has saved? Yes, unless all of its
/// uses are known to read.
bool mayEmptySavedData(const clang::FunctionDecl *Backward, Definition Find);
/// Does it take the gradient of that output by its number?
bool readsGradientOf(const clang::FunctionDecl *Backward, unsigned Output);

/// What tensor a call gives.
enum class Identity {
  New,
  Same,      ///< its object or first argument, or what it writes
  MayBeSame, ///< contiguous(), to()
  View       ///< a new tensor over the memory of another
};
Identity identityOf(const Call &C);
/// The result is of integers or bools: comparisons, argmax, `empty(kLong)`.
bool givesIntegers(const Call &C);
/// Whatever goes in, the type of the numbers may be another: to(), float().
bool changesType(const Call &C);

/// IValue, optional, std::function: holds one thing, and hands it out.
bool isWrapper(clang::QualType T, const Types &Known);
/// Copies have the same contents ever after: c10::List and c10::Dict.
bool sharesContents(clang::QualType T);
/// The result has its arguments as parts, in their order: tuples, pairs.
bool keepsArgumentsInOrder(const Call &C);
/// `front()` or `[0]` of a sequence is its part 0; empty: not known.
std::optional<uint64_t> partOf(const Call &C, uint64_t Size);
/// Adds its argument at the end: push_back, emplace_back.
bool appends(const Call &C);
bool dropsLast(const Call &C);     ///< pop_back
bool replacesPart(const Call &C);  ///< List::set
bool erasesByKey(const Call &C);   ///< `erase("y")`
bool keepsContents(const Call &C); ///< find(), size(), reserve(): no change

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_SAVEDDATA_H
