//===- Mapping.cpp - The memory of one stream: mappings -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include <algorithm>
#include <cassert>

using namespace torchtidy::vmm;

void Arena::attach(Mapping *M) {
  Handle *H = M->Of;
  spaceOf(M).take(M->At, M->bytes());
  M->Next = H->First;
  H->First = M;
  Mappings.emplace(M->At, M);
  for (Address At = M->At; At < M->end(); At += PageBytes) {
    Page *P = On.Pages.find(At);
    P->Owner = this;
    P->Map = M;
  }
}

/// It is unmapped.
void Arena::detach(Mapping *M) {
  Handle *H = M->Of;
  assert(!M->current());
  for (Address At = M->At; At < M->end(); At += PageBytes) {
    Page *P = On.Pages.find(At);
    P->Owner = nullptr;
    P->Map = nullptr;
  }
  Mapping **Link = &H->First;
  while (*Link != M)
    Link = &(*Link)->Next;
  *Link = M->Next;
  Mappings.erase(M->At);
  spaceOf(M).give(M->At, M->bytes());
  delete M;
}

bool Arena::isSmallPage(const Mapping *M) const {
  return M->bytes() == PageBytes && On.Pages.find(M->At)->Small;
}

void Arena::enliven(Mapping *M, bool AsSmall) {
  Handle *H = M->Of;
  // Nothing of another stream uses it any more, or it would not be here.
  if (H->Owner != this)
    H->LastFree = 0;
  H->Owner = this;
  H->Current = M;
  (AsSmall ? Small : Large).add(M->At, M->bytes());
}

void Arena::retire(Mapping *M) {
  Ranges &R = isSmallPage(M) ? Small : Large;
  R.remove(R.covering(M->At), M->At, M->bytes());
  M->DeadSince = M->Of->LastFree;
  M->Of->Current = nullptr;
}

/// Free pages of small blocks that lie on larger handles go back to them.
void Arena::foldSmallPages() {
  std::vector<Address> Whole;
  for (const Block *B : Small.ordered())
    if (B->Size == PageBytes && On.Pages.find(B->At)->Map->bytes() > PageBytes)
      Whole.push_back(B->At);
  for (Address At : Whole) {
    Small.remove(Small.covering(At), At, PageBytes);
    Large.add(At, PageBytes);
  }
}

void Arena::dropDead() {
  for (auto It = Mappings.begin(); It != Mappings.end();) {
    // Adjoining ones by one call.
    std::vector<Mapping *> Batch;
    for (; It != Mappings.end(); ++It) {
      Mapping *M = It->second;
      const bool Dead = !M->current() && M->DeadSince <= Done;
      if (!Dead || (!Batch.empty() &&
                    (Batch.back()->end() != M->At || spaceOf(M).begins(M->At))))
        break;
      Batch.push_back(M);
    }
    if (Batch.empty()) {
      ++It;
      continue;
    }
    const Address At = Batch.front()->At;
    if (!On.D.unmap(At, Batch.back()->end() - At).ok())
      continue;
    for (Mapping *M : Batch)
      detach(M);
  }
}

void Arena::retireFree(std::vector<Handle *> &To) {
  if (Private)
    return;
  Small.order(true);
  Large.order(true);
  foldSmallPages();
  std::vector<Mapping *> Whole;
  for (auto &[At, M] : Mappings) {
    if (!M->current() || !done(*M->Of))
      continue;
    const Block *B = (isSmallPage(M) ? Small : Large).covering(At);
    if (B && M->end() <= B->end())
      Whole.push_back(M);
  }
  for (Mapping *M : Whole) {
    retire(M);
    To.push_back(M->Of);
  }
  Small.order(false);
  Large.order(false);
}

Status Arena::grantAccess() {
  Address Begin = 0, End = 0;
  auto Grant = [&]() -> Status {
    return End == Begin ? Status()
                        : On.D.setAccess(Begin, End - Begin, On.Peers.data(),
                                         On.Peers.size());
  };
  for (auto &[At, M] : Mappings) {
    if (At != End || !M->Accessible || spaceOf(M).begins(At)) {
      if (Status S = Grant(); !S.ok())
        return S;
      Begin = At;
    }
    End = M->end();
    if (!M->Accessible)
      Begin = End;
  }
  return Grant();
}
