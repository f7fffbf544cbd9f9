//===- SharedNodes.cpp - Nodes whose death no hook sees -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"
#include "Pages.h"

using namespace torchtidy::record;
using torchtidy::trace::Kind;
using torchtidy::trace::Late;

namespace {

/// libstdc++'s _Sp_counted_base, whose layout is part of its ABI. A weak count
/// held here keeps the address from being given to another node.
struct ControlBlock {
  void (**Vtable)(ControlBlock *);
  int Uses, Weaks;
};
constexpr unsigned DestroySlot = 3; ///< after two destructors and _M_dispose

PointerMap Watched; ///< node -> control block
size_t Additions;   ///< since the last poll

ControlBlock *block(uint64_t V) { return reinterpret_cast<ControlBlock *>(V); }

bool expired(const ControlBlock *C) {
  return __atomic_load_n(&C->Uses, __ATOMIC_ACQUIRE) == 0;
}

void letGo(ControlBlock *C) {
  if (__atomic_fetch_sub(&C->Weaks, 1, __ATOMIC_ACQ_REL) == 1)
    C->Vtable[DestroySlot](C);
}

void recordLateDeath(ThreadState &T, WriterLock &Lock, const void *Node) {
  NodeDeaths.fetch_add(1, std::memory_order_relaxed);
  Lock.event(T.Index, Kind::NodeDied, Late).node(Node);
}

} // namespace

void torchtidy::record::watchSharedNode(ThreadState &T, WriterLock &Lock,
                                        void *Node, void *Control) {
  if (uint64_t *Old = Watched.find(Node)) {
    if (block(*Old) == Control && !expired(block(*Old)))
      return;
    recordLateDeath(T, Lock, Node);
    letGo(block(*Old));
    Watched.erase(Node);
  }
  uint64_t *New = Watched.insert(Node);
  if (!New)
    return;
  *New = reinterpret_cast<uint64_t>(Control);
  __atomic_fetch_add(&block(*New)->Weaks, 1, __ATOMIC_RELAXED);
  ++Additions;
}

void torchtidy::record::pollSharedNodes(ThreadState &T, WriterLock &Lock) {
  // In a program that keeps very many, not at every mark.
  if (Watched.size() > 256 && Additions * 8 < Watched.size())
    return;
  Additions = 0;
  Watched.eraseIf([&](void *Node, uint64_t Control) {
    if (!expired(block(Control)))
      return false;
    recordLateDeath(T, Lock, Node);
    letGo(block(Control));
    return true;
  });
}
