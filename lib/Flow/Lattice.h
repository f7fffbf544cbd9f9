//===- Lattice.h - Grad mode and autograd history ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// May-sets: what grad mode may be and what history a tensor may have, each
/// with where it came from. Joining never loses a bit. Symbols stand for what
/// only a caller knows, so that a function's summary can be put into any
/// caller by substitution.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_LATTICE_H
#define TORCHTIDY_FLOW_LATTICE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace torchtidy::flow {

/// Grad mode as a may-set.
struct Mode {
  enum Bit : uint8_t {
    On = 1,
    Off = 2,
    Inference = 4,
    Entry = 8, ///< whatever the caller runs under
    Unknown = 16
  };
  uint8_t Bits = 0;
  /// Of Off and Inference: what turned grad mode off; the first of several.
  const clang::Expr *By = nullptr;

  /// Tensors that are made now are of this kind, whatever grad mode is: bits
  /// of Birth, by whether inference mode is on; and what turned that on.
  uint8_t Makes = 0;
  const clang::Expr *InferenceBy = nullptr;

  static Mode of(uint8_t Bits, const clang::Expr *By = nullptr);
  /// This grad mode inside the inference mode of \p Around.
  Mode inside(const Mode &Around) const {
    Mode M = *this;
    M.Makes = Around.Makes;
    M.InferenceBy = Around.InferenceBy;
    return M;
  }
  bool has(Bit B) const { return Bits & B; }
  bool is(Bit B) const { return Bits == B; }
  bool recordsAlways() const { return Bits && !(Bits & ~(On | Entry)); }
  bool recordsNever() const { return Bits && !(Bits & ~(Off | Inference)); }
  void join(Mode O) {
    Bits |= O.Bits;
    By = first(By, O.By);
    Makes |= O.Makes;
    InferenceBy = first(InferenceBy, O.InferenceBy);
  }
  bool operator==(Mode O) const {
    return std::tie(Bits, By, Makes, InferenceBy) ==
           std::tie(O.Bits, O.By, O.Makes, O.InferenceBy);
  }

  /// Puts the caller's mode in place of Entry.
  Mode substitute(Mode Caller) const;
  static const clang::Expr *first(const clang::Expr *A, const clang::Expr *B);
};

/// A variable, `this` or a global, and a path of fields below it (depth 2).
/// Contents of containers and what handles point to count as the thing itself.
struct Storage {
  /// The root: a ValueDecl, or null for `this`.
  const clang::ValueDecl *Root = nullptr;
  bool IsThis = false;
  /// FieldDecl, or an element number (odd).
  llvm::SmallVector<uintptr_t, 2> Path;

  static Storage of(const clang::ValueDecl *D) {
    Storage S;
    S.Root = llvm::cast<clang::ValueDecl>(D->getCanonicalDecl());
    return S;
  }
  static Storage ofThis() {
    Storage S;
    S.IsThis = true;
    return S;
  }
  bool valid() const { return Root || IsThis; }
  Storage field(const clang::FieldDecl *F) const {
    return child(reinterpret_cast<uintptr_t>(F->getCanonicalDecl()));
  }
  Storage element(uintptr_t I) const { return child(I * 2 + 1); }
  /// The element under a constant key of a map.
  Storage key(llvm::StringRef Key) const {
    constexpr uintptr_t Keys = uintptr_t(1) << 40; // above element numbers
    return child(((Keys | (llvm::hash_value(Key) & 0xffffffff)) << 1) | 1);
  }
  /// The field of the last step that has one.
  const clang::FieldDecl *lastField() const;
  const clang::FieldDecl *firstField() const;
  bool startsWith(const Storage &Prefix) const;
  /// This storage with \p Prefix replaced by \p By.
  Storage rebase(const Storage &Prefix, const Storage &By) const;
  bool operator<(const Storage &O) const {
    return std::tie(Root, IsThis, Path) < std::tie(O.Root, O.IsThis, O.Path);
  }
  bool operator==(const Storage &O) const {
    return Root == O.Root && IsThis == O.IsThis && Path == O.Path;
  }
  bool operator!=(const Storage &O) const { return !(*this == O); }
  /// As a user would write it: `this->losses`, `stats.sum`.
  std::string name() const;

private:
  Storage child(uintptr_t P) const {
    Storage S = *this;
    if (S.Path.size() < 2)
      S.Path.push_back(P);
    return S;
  }
};

/// One possibility of what a tensor's history is.
struct Atom {
  enum Kind : uint8_t { None, Leaf, Live, Unknown, Entry } K = None;
  bool IfGrad = false;  ///< only if the function was entered with grad mode on
  bool Through = false; ///< of Entry: an operator ran over it
  Storage Of = {};      ///< of Entry: whose value at function entry
  /// Of Live: the forward, operator or backward that proves it. Of None: what
  /// turned grad mode off, if history was lost for that reason.
  const clang::Expr *Origin = nullptr;

  bool operator<(const Atom &O) const {
    return std::tie(K, IfGrad, Through, Of, Origin) <
           std::tie(O.K, O.IfGrad, O.Through, O.Of, O.Origin);
  }
  bool operator==(const Atom &O) const { return !(*this < O) && !(O < *this); }
};

class History {
public:
  static History none() { return single({Atom::None}); }
  static History unknown() { return single({Atom::Unknown}); }
  static History leaf() { return single({Atom::Leaf}); }
  static History live(const clang::Expr *Origin) {
    Atom A{Atom::Live};
    A.Origin = Origin;
    return single(A);
  }
  static History entry(const Storage &S) {
    Atom A{Atom::Entry};
    A.Of = S;
    return single(A);
  }
  static History single(Atom A) {
    History H;
    H.Atoms.insert(std::move(A));
    return H;
  }

  bool join(const History &O);
  void add(Atom A);
  bool empty() const { return Atoms.empty(); }
  bool has(Atom::Kind K) const;
  bool onlyNone() const;
  /// Was history lost because \p By turned grad mode off?
  bool isLostBy(const clang::Expr *By) const;
  /// Is \p Origin what proves that it has history?
  bool comesFrom(const clang::Expr *Origin) const;
  const std::set<Atom> &atoms() const { return Atoms; }
  bool operator==(const History &O) const { return Atoms == O.Atoms; }

  /// What an operator's result has, if it runs under \p M over this.
  /// \p E becomes the origin where a leaf starts a graph.
  History through(Mode M, const clang::Expr *E) const;

  using Lookup = std::function<History(const Storage &)>;
  /// Puts the caller's values in place of Entry and IfGrad.
  History substitute(Mode Caller, const Lookup &Values) const;

private:
  std::set<Atom> Atoms;
};

/// Under which mode a tensor was made. One that was made under inference mode
/// stays an inference tensor for ever.
struct Birth {
  enum Bit : uint8_t {
    Normal = 1,
    Inference = 2,
    Entry = 4, ///< made under whatever inference mode the caller has
    Unknown = 8
  };
  uint8_t Bits = Unknown;
  const clang::Expr *At = nullptr; ///< what made it; the first of several
  const clang::Expr *By = nullptr; ///< of Inference: what turned that mode on
  std::optional<Storage> Of = {};  ///< that of this storage at function entry

  static Birth unknown() { return {}; }
  /// There is no tensor: an empty container.
  static Birth nothing() { return {0}; }
  static Birth entry(const Storage &S) { return {0, nullptr, nullptr, S}; }
  static Birth made(const Mode &M, const clang::Expr *At) {
    return {M.Makes, At, M.InferenceBy, std::nullopt};
  }
  /// Was it made under inference mode, on all ways?
  bool isInference() const { return Bits == Inference && !Of; }
  /// May that depend on the caller, and on nothing else?
  bool mayBeInference() const {
    return !(Bits & (Normal | Unknown)) && (Bits || Of);
  }
  bool join(const Birth &O);
  bool operator==(const Birth &O) const {
    return std::tie(Bits, At, By, Of) == std::tie(O.Bits, O.At, O.By, O.Of);
  }

  using Lookup = std::function<Birth(const Storage &)>;
  /// Puts the caller's mode and values in place of what is of the entry.
  Birth substitute(const Mode &Caller, const Lookup &Values) const;
};

/// What a loss stands for: how it was reduced and whether it was scaled.
struct LossShape {
  enum Bit : uint8_t {
    Mean = 1,
    Sum = 2,
    Other = 4,
    Scaled = 8,
    Unscaled = 16
  };
  uint8_t Bits = 0;
  std::optional<Storage> Of =
      {}; ///< the shape of this storage at function entry

  static LossShape other() { return {Other | Unscaled, std::nullopt}; }
  bool join(const LossShape &O);
  bool isUnscaledMean() const { return Bits == (Mean | Unscaled) && !Of; }
  bool operator==(const LossShape &O) const {
    return Bits == O.Bits && Of == O.Of;
  }
};

/// What is stored under one storage.
struct Cell {
  History H;
  LossShape Shape;
  Birth B = {};

  void join(const Cell &O) {
    H.join(O.H);
    Shape.join(O.Shape);
    B.join(O.B);
  }
  bool operator==(const Cell &O) const {
    return H == O.H && Shape == O.Shape && B == O.B;
  }
};

/// The value of an expression.
struct Value {
  History H;
  LossShape Shape = LossShape::other();
  Birth B;      ///< of values that have a history here
  Storage Loc;  ///< of glvalues and handles: what the expression names
  Storage View; ///< of tensors: the storage whose memory it shares
  /// Of tuples and aggregates, part by part: `max(dim)` has history in its
  /// first only.
  llvm::SmallVector<Cell, 2> Elements;
  bool Inserter = false;    ///< an output iterator that makes Loc grow
  bool NamesOnly = false;   ///< copies still name Loc: parameters()
  bool IsGradient = false;  ///< `.grad()` of something
  bool IsParameter = false; ///< of a module, or a list of them
  bool IsLeaf = false;      ///< one such tensor
  bool Needs = false;       ///< it requires grad for sure, on all ways to here
  std::optional<Mode> SavedMode; ///< of bool: GradMode::is_enabled()
};

/// State at one point of a function.
class State {
public:
  bool Reached = false;
  Mode Grad = Mode::of(Mode::Entry);
  std::map<const clang::VarDecl *, Mode> Saved; ///< guard -> mode before it
  std::map<const clang::VarDecl *, Mode> Flags; ///< bool -> saved grad mode
  std::map<Storage, Cell> Cells;
  using DefinitionMap =
      std::map<const clang::VarDecl *, std::set<const clang::Expr *>>;
  /// What was assigned to a variable and may still be in it.
  DefinitionMap Definitions;
  /// Of those, what requires grad for sure.
  std::set<const clang::VarDecl *> Needs;

  /// Grad is a thread's: which parallel region is being run, and what it is in
  /// the others and outside.
  const clang::Stmt *Region = nullptr;
  std::map<const clang::Stmt *, Mode> Elsewhere;
  void switchTo(const clang::Stmt *To, Mode Initial);

  Cell read(const Storage &S, bool Local) const;
  /// What holds a history that comes from \p Origin.
  std::vector<Storage> holding(const clang::Expr *Origin) const;
  void write(const Storage &S, Cell C, bool Weak, bool Local);
  /// There may be other tensors in \p S from now on.
  void forgetBirths(const Storage &S);
  bool addDefinitions(const DefinitionMap &Others);
  /// \p IsLocal tells what has no value before the function.
  bool join(const State &O,
            const std::function<bool(const Storage &)> &IsLocal);
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_LATTICE_H
