//===- Questions.h - Named questions about calls ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the flow asks about a call beyond its kind. The names of LibTorch and
/// of the standard library behind the answers are spelled here alone.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_QUESTIONS_H
#define TORCHTIDY_SEMANTICS_QUESTIONS_H

#include "Semantics/Calls.h"

namespace torchtidy::semantics {

//===-- Calls of any kind -------------------------------------------------===//

bool isAssignment(const Call &C);   ///< `x = y` on objects
bool callsItsObject(const Call &C); ///< `f(x)` on an object
/// `t.retain_grad()`, `t.register_hook(f)`.
bool asksForGradients(const Call &C);
/// `net->parameters()`: of CallKind::Parameters.
bool listsParameters(const Call &C);
/// `std::tie(a, b)`, `std::forward_as_tuple(a, b)`.
bool isTie(const Call &C);
/// One part per argument: make_tuple, make_pair, constructors of tuples.
bool makesTuple(const Call &C);
/// What the arguments named starts anew: exchange, swap of two.
bool renewsArguments(const Call &C);
bool isMove(const Call &C);
/// `a.swap(b)`: b starts anew as well.
bool swapsContents(const Call &C);
bool leavesEmpty(const Call &C); ///< clear, reset; not pop
/// `std::get<1>(t)`: 1.
std::optional<unsigned> tupleIndex(const Call &C);
/// The key in `curves["loss"]`, `curves.at("loss")`, or null.
const clang::Expr *subscriptKey(const Call &C);
/// The key of an insertion into a map, or null where insertion always grows.
const clang::Expr *insertedKey(const Call &C);

//===-- Tensor operators --------------------------------------------------===//

/// Gradients are scaled by it: mul_, div_.
bool scalesInPlace(const Call &C);
/// The old value plays no part: zero_, fill_.
bool overwritesWhole(const Call &C);
/// Of operators in place: writes given values to places of a buffer, rather
/// than adding to it: copy_, index_put_, scatter_, masked_fill_.
bool writesInto(const Call &C);
bool replacesData(const Call &C); ///< `x.set_data(y)`
/// `x.index({...})`: assigned to, it writes into x.
bool isIndexed(const Call &C);

//===-- Standard algorithms -----------------------------------------------===//

enum class AlgorithmKind {
  Fold,     ///< accumulate and kin: (range, initial value, callable)
  Map,      ///< transform, of one or two ranges
  Generate, ///< the callable gets nothing
  Copy,
  Each ///< any other: the callable gets the elements
};
AlgorithmKind algorithmKind(const Call &C);
bool isExecutionPolicy(clang::QualType T);

//===-- Functions and classes ---------------------------------------------===//

/// `std::bind(f, ...)`, `std::mem_fn(f)`: what is called is the first argument.
bool wrapsFirstArgument(const clang::FunctionDecl *F);
/// How much is in there? size(), length().
bool asksSize(const clang::FunctionDecl *F);
/// Is something in there? defined(), empty(), numel(), has_value(), size().
bool asksPresence(const clang::FunctionDecl *F);
/// Is it there at all? defined(), has_value().
bool asksIfDefined(const clang::FunctionDecl *F);
bool setsLearningRate(const clang::FunctionDecl *F);
/// The forward that a module's or holder's call operator runs, or null.
const clang::FunctionDecl *forwardOf(const clang::CXXRecordDecl *R);
/// `std::nullopt`, `c10::nullopt`.
bool isNullopt(const clang::Expr *E);
/// make_unique and kin: its arguments are the object's.
bool makesHandle(const clang::CallExpr *E);
/// Does a condition ask whether there is history?
bool asksForHistory(const clang::Stmt *Condition);
/// `std::ignore = x`
bool isIgnored(const clang::CXXOperatorCallExpr *E);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_QUESTIONS_H
