//===- Lattice.cpp - Grad mode and autograd history -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Lattice.h"
#include "Flow/ModuleBirth.h"

using namespace clang;
using namespace torchtidy::flow;

//===-- Mode --------------------------------------------------------------===//

const Expr *Mode::first(const Expr *A, const Expr *B) {
  if (!A || !B || A == B)
    return A ? A : B;
  const SourceLocation L = A->getBeginLoc(), R = B->getBeginLoc();
  return L < R || (L == R && A < B) ? A : B;
}

Mode Mode::of(uint8_t Bits, const Expr *By) {
  Mode M;
  M.Bits = Bits;
  M.By = By;
  if (Bits & (On | Off))
    M.Makes |= Birth::Normal;
  if (Bits & Inference) {
    M.Makes |= Birth::Inference;
    M.InferenceBy = By;
  }
  if (Bits & Entry)
    M.Makes |= Birth::Entry;
  if (Bits & Unknown)
    M.Makes |= Birth::Unknown;
  return M;
}

Mode Mode::substitute(Mode Caller) const {
  Mode M = *this;
  if (has(Entry)) {
    M.Bits = uint8_t((Bits & ~Entry) | Caller.Bits);
    M.By = first(By, Caller.By);
  }
  if (Makes & Birth::Entry) {
    M.Makes = uint8_t((Makes & ~Birth::Entry) | Caller.Makes);
    M.InferenceBy = first(InferenceBy, Caller.InferenceBy);
  }
  return M;
}

//===-- Storage -----------------------------------------------------------===//

const FieldDecl *Storage::firstField() const {
  if (Path.empty() || Path.front() % 2)
    return nullptr;
  return reinterpret_cast<const FieldDecl *>(Path.front());
}

const FieldDecl *Storage::lastField() const {
  for (uintptr_t P : llvm::reverse(Path))
    if (P % 2 == 0)
      return reinterpret_cast<const FieldDecl *>(P);
  return nullptr;
}

bool Storage::startsWith(const Storage &Prefix) const {
  return Root == Prefix.Root && IsThis == Prefix.IsThis &&
         Path.size() >= Prefix.Path.size() &&
         std::equal(Prefix.Path.begin(), Prefix.Path.end(), Path.begin());
}

Storage Storage::rebase(const Storage &Prefix, const Storage &By) const {
  Storage S = By;
  for (size_t I = Prefix.Path.size(); I < Path.size(); ++I)
    S = S.child(Path[I]);
  if (isParametersOf(*this) && !isParametersOf(S)) { // too deep
    S.Path.pop_back();
    S = parametersOf(S);
  }
  return S;
}

std::string Storage::name() const {
  std::string N;
  if (Root)
    N = Root->getNameAsString();
  for (uintptr_t P : Path) {
    if (P % 2)
      continue;
    const auto *F = reinterpret_cast<const FieldDecl *>(P);
    if (!N.empty())
      N += ".";
    N += F->getNameAsString();
  }
  return N.empty() ? "this" : N;
}

//===-- History -----------------------------------------------------------===//

/// Above this many possibilities a value is as good as unknown.
static constexpr size_t MaxAtoms = 24;

void History::add(Atom A) {
  if (Atoms.size() >= MaxAtoms)
    A = {Atom::Unknown};
  Atoms.insert(std::move(A));
}

bool History::join(const History &O) {
  const size_t Before = Atoms.size();
  for (const Atom &A : O.Atoms)
    if (!Atoms.count(A))
      add(A);
  return Atoms.size() != Before;
}

bool History::has(Atom::Kind K) const {
  for (const Atom &A : Atoms)
    if (A.K == K)
      return true;
  return false;
}

bool History::onlyNone() const {
  for (const Atom &A : Atoms)
    if (A.K != Atom::None)
      return false;
  return true;
}

bool History::isLostBy(const Expr *By) const {
  for (const Atom &A : Atoms)
    if (A.K == Atom::None && A.Origin && A.Origin == By)
      return true;
  return false;
}

bool History::comesFrom(const Expr *Origin) const {
  return llvm::any_of(Atoms, [&](const Atom &A) {
    return A.K == Atom::Live && A.Origin == Origin;
  });
}

/// No history, because grad mode was off where it would have been recorded.
static Atom lostBy(const Expr *By) {
  Atom A{Atom::None};
  A.Origin = By;
  return A;
}

/// What one atom becomes when an operator certainly runs with grad mode on.
static Atom advance(Atom A, const Expr *E) {
  if (A.K == Atom::Leaf) {
    A.K = Atom::Live;
    A.Origin = E;
  } else if (A.K == Atom::Entry) {
    A.Through = true;
    A.Origin = E;
  }
  return A;
}

History History::through(Mode M, const Expr *E) const {
  History R;
  if (M.has(Mode::Off) || M.has(Mode::Inference) || Atoms.empty())
    R.add(onlyNone() || has(Atom::Unknown) ? Atom{Atom::None} : lostBy(M.By));
  // Both on and off: which of them reaches a later use depends on conditions
  // that this analysis does not follow.
  const bool Mixed = M.has(Mode::Unknown) ||
                     (M.has(Mode::On) && (M.Bits & ~Mode::On) != 0) ||
                     (M.has(Mode::Entry) && (M.Bits & ~Mode::Entry) != 0);
  for (Atom A : Atoms) {
    if (A.K == Atom::None || A.K == Atom::Unknown) {
      R.add(A);
      continue;
    }
    if (M.recordsNever())
      continue;
    A = advance(A, E);
    if (Mixed)
      A = {Atom::Unknown};
    else if (M.has(Mode::Entry))
      A.IfGrad = true;
    R.add(A);
  }
  return R;
}

History History::substitute(Mode Caller, const Lookup &Values) const {
  History R;
  for (Atom A : Atoms) {
    if (A.IfGrad && Caller.recordsNever()) {
      R.add(A.K == Atom::Entry && Values(A.Of).onlyNone() ? Atom{Atom::None}
                                                          : lostBy(Caller.By));
      continue;
    }
    const bool Mixed = A.IfGrad && (Caller.has(Mode::Unknown) ||
                                    (Caller.Bits & (Caller.Bits - 1)) != 0);
    const bool StillIf = A.IfGrad && Caller.has(Mode::Entry);
    History Replaced;
    if (A.K == Atom::Entry) {
      History V = Values(A.Of);
      if (A.Through)
        for (const Atom &X : V.atoms())
          Replaced.add(advance(X, A.Origin));
      else
        Replaced = std::move(V);
    } else {
      Replaced.add(A);
    }
    for (Atom X : Replaced.atoms()) {
      if (A.K != Atom::Entry)
        X.IfGrad = false;
      if (X.K != Atom::None && X.K != Atom::Unknown) {
        if (Mixed && (Caller.has(Mode::Off) || Caller.has(Mode::Inference)))
          R.add(lostBy(Caller.By));
        if (Mixed)
          X = {Atom::Unknown};
        else
          X.IfGrad |= StillIf;
      }
      R.add(X);
    }
  }
  return R;
}

//===-- LossShape ---------------------------------------------------------===//

bool LossShape::join(const LossShape &O) {
  const LossShape Before = *this;
  Bits |= O.Bits;
  if (!Of)
    Of = O.Of;
  else if (O.Of && *O.Of != *Of)
    Bits |= Other;
  return !(*this == Before);
}

//===-- State -------------------------------------------------------------===//

Cell State::read(const Storage &S, bool Local) const {
  // The nearest prefix that was written, and everything below S.
  Cell R;
  bool Found = false;
  // A module is made with those inside it.
  const bool Parameters = isParametersOf(S);
  if (Parameters)
    for (size_t Keep = S.Path.size(); Keep-- > 0 && !Found;) {
      Storage Module = S;
      Module.Path.resize(Keep);
      auto It = Cells.find(parametersOf(Module));
      if (It != Cells.end()) {
        R = It->second;
        Found = true;
      }
    }
  for (size_t Keep = S.Path.size() + 1; Keep-- > 0 && !Found && !Parameters;) {
    Storage P = S;
    P.Path.resize(Keep);
    auto It = Cells.find(P);
    if (It != Cells.end()) {
      R = It->second;
      Found = true;
    }
  }
  if (!Found) {
    if (Local) {
      R.H = History::none();
    } else {
      R.H = History::entry(S);
      R.Shape.Of = S;
      R.B = Birth::entry(S);
    }
  }
  for (auto It = Cells.upper_bound(S);
       It != Cells.end() && It->first.startsWith(S); ++It)
    R.join(It->second);
  return R;
}

std::vector<Storage> State::holding(const Expr *Origin) const {
  std::vector<Storage> Result;
  for (const auto &[S, C] : Cells)
    if (C.H.comesFrom(Origin))
      Result.push_back(S);
  return Result;
}

void State::write(const Storage &S, Cell C, bool Weak, bool Local) {
  if (Weak) {
    C.join(read(S, Local));
  }
  for (auto It = Cells.upper_bound(S);
       It != Cells.end() && It->first.startsWith(S);)
    It = Cells.erase(It);
  Cells[S] = std::move(C);
}

template <class Map> static bool joinModes(Map &Mine, const Map &Other) {
  bool Changed = false;
  for (const auto &[D, M] : Other) {
    auto [It, New] = Mine.try_emplace(D, M);
    const Mode Before = It->second;
    It->second.join(M);
    Changed |= New || !(It->second == Before);
  }
  return Changed;
}

void State::switchTo(const Stmt *To, Mode Initial) {
  if (To == Region)
    return;
  Elsewhere[Region] = Grad;
  Region = To;
  auto It = Elsewhere.find(To);
  Grad = It == Elsewhere.end() ? Initial : It->second;
  if (It != Elsewhere.end())
    Elsewhere.erase(It);
}

bool State::addDefinitions(const DefinitionMap &Others) {
  bool Changed = false;
  for (const auto &[V, Theirs] : Others) {
    auto &Mine = Definitions[V];
    const size_t Known = Mine.size();
    Mine.insert(Theirs.begin(), Theirs.end());
    Changed |= Mine.size() != Known;
  }
  return Changed;
}

bool State::join(const State &O,
                 const std::function<bool(const Storage &)> &IsLocal) {
  if (!O.Reached)
    return false;
  if (!Reached) {
    *this = O;
    return true;
  }
  bool Changed = false;
  const Mode Before = Grad;
  auto Others = O.Elsewhere;
  Others[O.Region] = O.Grad;
  if (auto Same = Others.find(Region); Same != Others.end()) {
    Grad.join(Same->second);
    Others.erase(Same);
  }
  Changed |= !(Grad == Before);
  Changed |= joinModes(Elsewhere, Others);
  Changed |= joinModes(Saved, O.Saved);
  Changed |= joinModes(Flags, O.Flags);
  for (auto It = Needs.begin(); It != Needs.end();) {
    const bool Both = O.Needs.count(*It);
    It = Both ? std::next(It) : Needs.erase(It);
    Changed |= !Both;
  }
  Changed |= addDefinitions(O.Definitions);
  for (auto &[S, C] : Cells)
    if (!O.Cells.count(S)) {
      Cell Theirs = O.read(S, IsLocal(S));
      Changed |= C.H.join(Theirs.H);
      Changed |= C.Shape.join(Theirs.Shape);
      Changed |= C.B.join(Theirs.B);
    }
  for (const auto &[S, C] : O.Cells) {
    auto It = Cells.find(S);
    if (It == Cells.end()) {
      Cell Mine = read(S, IsLocal(S));
      Mine.join(C);
      Cells.emplace(S, std::move(Mine));
      Changed = true;
      continue;
    }
    Changed |= It->second.H.join(C.H);
    Changed |= It->second.Shape.join(C.Shape);
    Changed |= It->second.B.join(C.B);
  }
  return Changed;
}
