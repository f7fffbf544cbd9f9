//===- Placement.cpp - Where a request can go, and what that takes --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "Transaction.h"
#include <algorithm>
#include <cassert>

using namespace torchtidy::vmm;

Placement::Placement(Arena &A, const std::vector<Arena *> &Others)
    : A(A), On(A.On), Others(Others), Search(++On.Searches) {
  A.Large.order(true);
  A.Small.order(true);
  collect(A, false);
  for (Arena *O : Others) {
    O->Large.order(true);
    O->Small.order(true);
    collect(*O, true);
  }
}

Placement::~Placement() {
  A.Large.order(false);
  A.Small.order(false);
  for (Arena *O : Others) {
    O->Large.order(false);
    O->Small.order(false);
  }
}

/// The handles of an arena that are wholly free.
void Placement::collect(Arena &From, bool NeedsDone) {
  if (!From.movable())
    return;
  auto Add = [&](Mapping *M, const Block *B) {
    if (NeedsDone && !From.done(*M->Of))
      return;
    M->Of->FreeIn = Search;
    M->Of->FreeAmong = B->Size;
    Free.push_back(M->Of);
  };
  From.foldSmallPages();
  for (Block *B : From.Small.ordered())
    if (B->Size == PageBytes)
      Add(On.Pages.find(B->At)->Map, B);
  for (Block *B : From.Large.ordered())
    for (Address At = roundUp(B->At, PageBytes); At < B->end();) {
      Mapping *M = On.Pages.find(At)->Map;
      if (M->At >= B->At && M->end() <= B->end())
        Add(M, B);
      At = M->end();
    }
}

void Placement::consider(Address Begin, Address End, size_t Size) {
  const size_t Bytes = End - Begin;
  if (!Bytes)
    return;
  if (Bytes >= Size) {
    if (!Fitting.End || Bytes < Fitting.bytes())
      Fitting = {Begin, End};
    return;
  }
  if (Bytes > Extensible.bytes() &&
      A.Space.unmappedAt(End) >= roundUp(Size - Bytes, PageBytes))
    Extensible = {Begin, End};
}

void Placement::scan(size_t Size) {
  ++Step;
  const uint64_t Mark = Search << 16 | (Step & 0xffff);
  Fitting = Extensible = {};
  Address Begin = 0, End = 0;
  for (auto &[At, M] : A.Mappings) {
    if (At != End) {
      consider(Begin, End, Size);
      Begin = At;
    }
    End = M->end();
    Handle *H = M->Of;
    if (available(H) && (M->current() || M->Accessible)) {
      // Its memory may have been counted at another address of this run.
      if (H->UsedIn == Mark && H->CountedAt->At >= Begin) {
        consider(Begin, At, Size);
        Begin = H->CountedAt->end();
      }
      H->UsedIn = Mark;
      H->CountedAt = M;
      continue;
    }
    Address FreeTo = At, FreeFrom = End;
    if (M->current()) {
      const Block *Head = A.Large.covering(At),
                  *Tail = A.Large.covering(End - 1);
      if (Head && Head == Tail)
        continue;
      if (Head)
        FreeTo = Head->end();
      if (Tail)
        FreeFrom = Tail->At;
    }
    consider(Begin, FreeTo, Size);
    Begin = FreeFrom;
  }
  consider(Begin, End, Size);
}

/// Makes the memory that belongs between two addresses current there.
void Placement::reviveIn(Address Begin, Address End) {
  std::vector<Mapping *> Dead;
  for (auto It = A.Mappings.lower_bound(Begin);
       It != A.Mappings.end() && It->first < End; ++It)
    if (!It->second->current() || A.isSmallPage(It->second))
      Dead.push_back(It->second);
  for (Mapping *M : Dead) {
    // Partly used ones end a run: their pages stay what they are.
    if (!available(M->Of))
      continue;
    if (Mapping *Old = M->Of->Current)
      Old->Where->retire(Old);
    A.enliven(M, false);
    On.count(&Statistics::Revivals);
  }
}

std::vector<Handle *> Placement::choose(size_t Bytes, size_t &Missing) {
  // Moving memory splits ranges that would have merged again; so as long as
  // nothing has been lost to fragmentation, new memory is as good.
  Missing = Bytes;
  if (On.Pool.empty() &&
      On.excess(Bytes) <= On.accepted(On.Settings.SlackShare))
    return {};
  // Not those that the run to be extended has already.
  ++Step;
  const uint64_t Mark = Search << 16 | (Step & 0xffff);
  for (auto It = A.Mappings.lower_bound(Extensible.Begin);
       It != A.Mappings.end() && It->first < Extensible.End; ++It)
    It->second->Of->UsedIn = Mark;
  std::vector<Handle *> From;
  for (Handle *H : On.Pool) {
    H->FreeAmong = 0;
    From.push_back(H);
  }
  for (Handle *H : Free)
    if (H->UsedIn != Mark)
      From.push_back(H);
  // From where little is left, so that what is in one piece stays so.
  std::sort(From.begin(), From.end(), [](const Handle *X, const Handle *Y) {
    if (X->FreeAmong != Y->FreeAmong)
      return X->FreeAmong < Y->FreeAmong;
    return X->Bytes != Y->Bytes ? X->Bytes > Y->Bytes : X->Id < Y->Id;
  });
  // As long as they fit; then the smallest that does not.
  std::vector<Handle *> Chosen;
  Handle *Larger = nullptr;
  for (Handle *H : From) {
    if (H->Bytes <= Bytes) {
      Chosen.push_back(H);
      Bytes -= H->Bytes;
    } else if (!Larger || H->Bytes < Larger->Bytes) {
      Larger = H;
    }
    if (!Bytes)
      break;
  }
  Missing = Bytes;
  if (Bytes && Larger &&
      std::find(Chosen.begin(), Chosen.end(), Larger) == Chosen.end()) {
    Chosen.push_back(Larger);
    Missing = 0;
  }
  return Chosen;
}

Status Placement::large(size_t Size) {
  scan(Size);
  if (Fitting.End) {
    reviveIn(Fitting.Begin, Fitting.Begin + Size);
    return {};
  }
  const size_t Needed = roundUp(Size - Extensible.bytes(), PageBytes);
  size_t Missing;
  std::vector<Handle *> From = choose(Needed, Missing);
  size_t Given = 0;
  for (Handle *H : From)
    Given += H->Bytes;
  Address At = Extensible.End;
  // A last handle that is larger than needed wants room as well.
  if (!At || A.Space.unmappedAt(At) < Given + Missing) {
    if (At) {
      Extensible = {};
      From = choose(roundUp(Size, PageBytes), Missing);
      Given = 0;
      for (Handle *H : From)
        Given += H->Bytes;
    }
    if (Status S = A.Space.find(Given + Missing, On.extent(), At); !S.ok())
      return S;
  }
  Transaction T(A, At);
  if (Status S = T.add(From, Missing); !S.ok())
    return S;
  if (Extensible.End)
    reviveIn(Extensible.Begin, Extensible.End);
  return {};
}

Status Placement::small() {
  auto IsPage = [](const Handle *H) { return H->Bytes == PageBytes; };
  // Memory that is free here already only changes its purpose.
  for (Handle *H : Free)
    if (IsPage(H) && H->Owner == &A && H->Current) {
      Mapping *M = H->Current;
      A.retire(M);
      A.enliven(M, true);
      return {};
    }
  for (Handle *H : Free)
    if (IsPage(H))
      for (Mapping *M = H->First; M; M = M->Next)
        if (M->Where == &A && M->Accessible && !M->current()) {
          H->Current->Where->retire(H->Current);
          A.enliven(M, true);
          On.count(&Statistics::Revivals);
          return {};
        }
  std::vector<Handle *> From;
  for (Handle *H : On.Pool)
    if (IsPage(H) && From.empty())
      From.push_back(H);
  for (Handle *H : Free)
    if (IsPage(H) && From.empty())
      From.push_back(H);
  Address At;
  if (Status S = A.SmallSpace.find(PageBytes, On.smallExtent(), At); !S.ok())
    return S;
  Transaction T(A, At);
  T.Small = true;
  Status S = T.add(From, From.empty() ? PageBytes : 0);
  if (S.ok() || S.What != Outcome::OutOfMemory)
    return S;
  // A page out of the middle of larger memory.
  for (Block *B : A.Large.ordered()) {
    const Address Page = roundUp(B->At, PageBytes);
    if (Page + PageBytes > B->end())
      continue;
    A.Large.remove(B, Page, PageBytes);
    A.Small.add(Page, PageBytes);
    return {};
  }
  return S;
}

Status Arena::place(size_t Size, const std::vector<Arena *> &Others) {
  if (Mappings.size() > On.Settings.MostMappings) {
    observe(true);
    dropDead();
  }
  Placement P(*this, Others);
  return isSmall(Size) ? P.small() : P.large(Size);
}
