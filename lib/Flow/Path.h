//===- Path.h - Which tensor is which on one path ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The things that one path through a function makes, and where they are kept.
/// Two slots that hold one thing hold the same tensor, for certain; of two
/// things nobody knows that they are one.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_PATH_H
#define TORCHTIDY_FLOW_PATH_H

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>
#include <vector>

namespace torchtidy::semantics {
struct Operator;
} // namespace torchtidy::semantics

namespace torchtidy::flow {

/// Names a part of a group.
struct PartKey {
  enum Kind : uint8_t { Number, Field, Text, Declared, Nameless } K = Nameless;
  uint64_t N = 0;

  static PartKey number(uint64_t N) { return {Number, N}; }
  static PartKey field(const clang::FieldDecl *F);
  static PartKey text(llvm::StringRef Text);
  static PartKey declared(const clang::ValueDecl *D);
  bool operator<(const PartKey &O) const {
    return std::tie(K, N) < std::tie(O.K, O.N);
  }
};

using ThingId = unsigned;
using SlotId = unsigned;
constexpr unsigned Nowhere = ~0u;

struct Thing {
  enum Kind : uint8_t {
    Unknown,
    Tensor,
    Group,   ///< container, tuple, structure
    Context, ///< of a custom function
    Callable ///< a lambda
  } K = Unknown;

  // Of tensors.
  bool IsInput = false;       ///< the very tensor that the function was given
  bool MayBeInput = false;    ///< or, of groups, its parts may be
  bool IsDirty = false;       ///< an input that is marked as written
  bool HasNoGradient = false; ///< of integers, or marked so
  ThingId Root = 0; ///< whose memory it is a view of; itself, if nobody's
  const clang::Expr *Made = nullptr;

  // Of groups.
  std::map<PartKey, SlotId> Parts;
  bool IsOpen = false;                     ///< there may be more parts
  bool IsShared = false;                   ///< copies name the same group
  bool IsSavedData = false;                ///< what a context keeps
  const semantics::Operator *Op = nullptr; ///< whose results these are

  // Of callables.
  const clang::LambdaExpr *Lambda = nullptr;
  std::map<const clang::ValueDecl *, SlotId> Captured;
};

/// What an expression gives: a thing, and where it is kept, if it has a place.
struct Found {
  ThingId What = 0;
  SlotId Where = Nowhere;
  ThingId PartOf = 0; ///< some part of it, nobody knows which
};

/// Something was put into what the context keeps.
struct SavedStore {
  const clang::Expr *At = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  std::vector<const clang::Expr *> Calls; ///< from there outwards
  bool operator<(const SavedStore &O) const {
    return std::tie(At, Calls) < std::tie(O.At, O.Calls);
  }
};

struct PathFrame {
  const clang::FunctionDecl *F = nullptr;
  const clang::CFG *Graph = nullptr;
  const clang::CFGBlock *Block = nullptr;
  unsigned Next = 0; ///< element of the block
  std::map<const clang::ValueDecl *, SlotId> Variables;
  std::map<const clang::Expr *, Found> Values;
  std::map<const clang::Stmt *, unsigned> Taken; ///< branches
  std::map<const clang::CFGBlock *, unsigned> Visits;
  const clang::Expr *Call = nullptr; ///< in the frame below
  const clang::ReturnStmt *Return = nullptr;
  Found Returned;
};

class Path {
public:
  Path() : Things(1) {} // 0: unknown

  std::vector<Thing> Things;
  std::vector<ThingId> Slots;
  std::vector<PathFrame> Frames;
  std::map<SlotId, SavedStore> Saved; ///< parts of saved data
  std::set<SavedStore> Stores;        ///< all of them, on this path
  ThingId SavedData = 0;
  bool IsLost = false; ///< something unknown may have changed what counts

  PathFrame &frame() { return Frames.back(); }

  ThingId add(Thing T);
  ThingId addTensor(const clang::Expr *Made);
  SlotId addSlot(ThingId T);
  Found place(ThingId T) {
    const SlotId S = addSlot(T);
    return {T, S};
  }
  ThingId read(const Found &F) const {
    return F.Where == Nowhere ? F.What : Slots[F.Where];
  }
  Thing &thing(const Found &F) { return Things[read(F)]; }

  /// The value of a copy: groups have parts of their own.
  ThingId copyOf(ThingId T);
  /// A part; made up if the group may have it, or if it is asked to.
  Found part(ThingId Group, const PartKey &K, bool Make);
  /// Adds a part nobody knows the name of.
  SlotId addNameless(ThingId Group, ThingId T);
  /// Which part is which is no longer known.
  void forgetOrder(ThingId Group);
  /// Nothing is known of the parts.
  void forgetParts(ThingId Group);
  /// The tensors in it; false if there may be others.
  bool tensorsIn(ThingId T, std::vector<ThingId> &Out,
                 unsigned Depth = 0) const;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_PATH_H
