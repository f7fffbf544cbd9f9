//===- Ranges.cpp - Blocks within ranges of addresses ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"
#include <algorithm>
#include <cassert>

using namespace torchtidy::vmm;

namespace {
constexpr size_t BlocksPerChunk = 256;
} // namespace

Ranges::~Ranges() = default;

Block *Ranges::make(Address At, size_t Size) {
  if (!Spare) {
    Store.push_back(std::make_unique<Block[]>(BlocksPerChunk));
    for (size_t I = 0; I < BlocksPerChunk; ++I) {
      Block *B = &Store.back()[I];
      B->Right = Spare;
      Spare = B;
    }
  }
  Block *B = Spare;
  Spare = B->Right;
  *B = Block();
  B->At = At;
  B->Size = Size;
  return B;
}

void Ranges::drop(Block *B) {
  B->Right = Spare;
  Spare = B;
}

static bool lower(const Block *A, const Block *B) { return A->At < B->At; }

void Ranges::insertFree(Block *B) {
  B->Free = true;
  Lists.insert(B);
  FreeTotal += B->Size;
  if (B->split()) {
    ++SplitCount;
    SplitTotal += B->Size;
  }
  if (InOrder)
    Ordered.insert(std::lower_bound(Ordered.begin(), Ordered.end(), B, lower),
                   B);
}

void Ranges::removeFree(Block *B) {
  B->Free = false;
  Lists.remove(B);
  FreeTotal -= B->Size;
  if (B->split()) {
    --SplitCount;
    SplitTotal -= B->Size;
  }
  if (InOrder)
    Ordered.erase(std::lower_bound(Ordered.begin(), Ordered.end(), B, lower));
}

void Ranges::mark(Block *B) {
  if (What == Kind::Small)
    return;
  if (!B->Prev)
    Pages.find(B->At)->Head = B;
  if (!B->Next)
    Pages.find(B->end() - 1)->Tail = B;
}

void Ranges::unmark(Block *B) {
  if (What == Kind::Small)
    return;
  if (!B->Prev)
    Pages.find(B->At)->Head = nullptr;
  if (!B->Next)
    Pages.find(B->end() - 1)->Tail = nullptr;
}

void Ranges::setStart(Block *B, bool Live) {
  Page *P = Pages.find(B->At);
  if (What == Kind::Small) {
    P->Small->Starts[B->At % PageBytes / GrainBytes] = Live ? B : nullptr;
    return;
  }
  Block *&First = P->Starts[0], *&Second = P->Starts[1];
  Block *Old = Live ? nullptr : B;
  (First == Old ? First : Second) = Live ? B : nullptr;
}

Block *Ranges::find(Address A) const {
  const Page *P = Pages.find(A);
  if (!P)
    return nullptr;
  if (What == Kind::Small)
    return P->Small && A % GrainBytes == 0
               ? P->Small->Starts[A % PageBytes / GrainBytes]
               : nullptr;
  for (Block *B : P->Starts)
    if (B && B->At == A)
      return B;
  return nullptr;
}

Block *Ranges::take(size_t Size) {
  Block *B = Lists.find(Size);
  return B ? takeFrom(B, Size) : nullptr;
}

Block *Ranges::takeFrom(Block *B, size_t Size) {
  removeFree(B);
  if (B->Size > Size) {
    Block *Rest = make(B->At + Size, B->Size - Size);
    B->Size = Size;
    Rest->Prev = B;
    Rest->Next = B->Next;
    if (B->Next)
      B->Next->Prev = Rest;
    else
      mark(Rest);
    B->Next = Rest;
    insertFree(Rest);
  }
  setStart(B, true);
  return B;
}

Block *Ranges::give(Block *B) {
  setStart(B, false);
  B->Requested = 0;
  if (Block *Prev = B->Prev; Prev && Prev->Free) {
    removeFree(Prev);
    Prev->Size += B->Size;
    Prev->Next = B->Next;
    if (B->Next)
      B->Next->Prev = Prev;
    drop(B);
    B = Prev;
    if (!B->Next)
      mark(B);
  }
  if (Block *Next = B->Next; Next && Next->Free) {
    removeFree(Next);
    B->Size += Next->Size;
    B->Next = Next->Next;
    if (B->Next)
      B->Next->Prev = B;
    drop(Next);
    if (!B->Next)
      mark(B);
  }
  insertFree(B);
  return B;
}

Block *Ranges::add(Address At, size_t Bytes) {
  Block *B = make(At, Bytes);
  if (What == Kind::Small) {
    assert(Bytes == PageBytes);
    Page *P = Pages.find(At);
    if (!P->Small)
      P->Small = new Grains();
    insertFree(B);
    return B;
  }
  Page *Before = Pages.find(At - 1), *After = Pages.find(At + Bytes);
  Arena *Owner = Pages.find(At)->Owner;
  if (Before && Before->Owner == Owner && Before->Tail) {
    Block *Prev = Before->Tail;
    Before->Tail = nullptr;
    // Alone in its range until now.
    const bool Free = Prev->Free;
    if (Free)
      removeFree(Prev);
    Prev->Next = B;
    B->Prev = Prev;
    if (Free)
      insertFree(Prev);
  }
  if (After && After->Owner == Owner && After->Head) {
    Block *Next = After->Head;
    After->Head = nullptr;
    const bool Free = Next->Free;
    if (Free)
      removeFree(Next);
    Next->Prev = B;
    B->Next = Next;
    if (Free)
      insertFree(Next);
  }
  mark(B);
  // As if it had been live and were freed now.
  setStart(B, true);
  return give(B);
}

void Ranges::remove(Block *B, Address At, size_t Bytes) {
  assert(B->Free && B->At <= At && At + Bytes <= B->end());
  removeFree(B);
  unmark(B);
  Block *Prev = B->Prev, *Next = B->Next;
  const Address End = B->end();
  auto PutBack = [&](Block *Beside, bool Left, Address From, Address To) {
    if (Beside) {
      const bool Free = Beside->Free;
      assert(!Free && "free blocks touch");
      (void)Free;
      (Left ? Beside->Next : Beside->Prev) = nullptr;
    }
    if (From == To) {
      if (Beside)
        mark(Beside);
      return;
    }
    Block *Part = make(From, To - From);
    (Left ? Part->Prev : Part->Next) = Beside;
    if (Beside)
      (Left ? Beside->Next : Beside->Prev) = Part;
    mark(Part);
    insertFree(Part);
  };
  PutBack(Prev, true, B->At, At);
  PutBack(Next, false, At + Bytes, End);
  if (What == Kind::Small) {
    Page *P = Pages.find(At);
    delete P->Small;
    P->Small = nullptr;
  }
  drop(B);
}

void Ranges::order(bool On) {
  InOrder = On;
  Ordered.clear();
  if (!On)
    return;
  Lists.forEach([this](Block *B) { Ordered.push_back(B); });
  std::sort(Ordered.begin(), Ordered.end(), lower);
}

Block *Ranges::covering(Address A) const {
  assert(InOrder);
  auto It =
      std::upper_bound(Ordered.begin(), Ordered.end(), A,
                       [](Address A, const Block *B) { return A < B->At; });
  if (It == Ordered.begin())
    return nullptr;
  Block *B = *--It;
  return A < B->end() ? B : nullptr;
}
