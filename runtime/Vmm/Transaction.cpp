//===- Transaction.cpp - Mapping several handles side by side, or none ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transaction.h"
#include <algorithm>

using namespace torchtidy::vmm;

/// Where a handle can be mapped only once, it leaves its old place first.
Status Transaction::clearOld(const std::vector<Handle *> &Old) {
  if (On.D.aliases())
    return {};
  for (Handle *H : Old)
    if (Mapping *M = H->Current) {
      if (Status S = On.D.unmap(M->At, M->bytes()); !S.ok())
        return S;
      On.count(M->Where == &A ? &Statistics::Remaps : &Statistics::Steals);
      M->Where->retire(M);
      M->Where->detach(M);
      H->Owner = nullptr;
      On.Pool.push_back(H);
    }
  return {};
}

Status Transaction::mapAll(const std::vector<Handle *> &All, size_t &Mapped) {
  for (Handle *H : All) {
    if (Status S = On.D.map(At + Mapped, H->Bytes, H->Id); !S.ok())
      return S;
    Mapped += H->Bytes;
  }
  return On.D.setAccess(At, Mapped, On.Peers.data(), On.Peers.size());
}

void Transaction::attach(Handle *H, Address Where, bool Accessible) {
  auto *M = new Mapping();
  M->At = Where;
  M->Of = H;
  M->Where = &A;
  M->Accessible = Accessible;
  M->OfSmall = Small;
  A.attach(M);
}

/// The addresses up to \p Mapped hold handles that are not to be there.
void Transaction::undo(const std::vector<Handle *> &All, size_t Mapped) {
  if (!Mapped || On.D.unmap(At, Mapped).ok())
    return;
  // Never accessible, so never used; unmapped when the driver will.
  size_t Offset = 0;
  for (Handle *H : All) {
    if (Offset == Mapped)
      break;
    attach(H, At + Offset, false);
    Offset += H->Bytes;
  }
}

Status Transaction::add(const std::vector<Handle *> &Old, size_t NewBytes) {
  std::vector<Handle *> All = Old;
  size_t Given = 0;
  for (Handle *H : Old)
    Given += H->Bytes;
  if (NewBytes) {
    const size_t Room = Small ? NewBytes : A.Space.unmappedAt(At) - Given;
    if (Status S = On.createAll(NewBytes, Room, All); !S.ok())
      return S;
  }
  size_t Mapped = 0;
  Status S = clearOld(Old);
  if (S.ok())
    S = mapAll(All, Mapped);
  if (!S.ok()) {
    undo(All, Mapped);
    for (size_t I = Old.size(); I < All.size(); ++I)
      if (All[I]->First)
        On.Pool.push_back(All[I]);
      else
        On.release(All[I]);
    return S;
  }
  Address Where = At;
  for (Handle *H : All) {
    if (Mapping *M = H->Current) {
      M->Where->retire(M);
      On.count(M->Where == &A ? &Statistics::Remaps : &Statistics::Steals);
    } else {
      On.Pool.erase(std::remove(On.Pool.begin(), On.Pool.end(), H),
                    On.Pool.end());
    }
    attach(H, Where, true);
    A.enliven(A.On.Pages.find(Where)->Map, Small);
    Where += H->Bytes;
  }
  return {};
}
