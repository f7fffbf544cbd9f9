//===- NodeHooks.cpp - Operator nodes and what they save ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::GradOn;
using torchtidy::trace::IsOutput;
using torchtidy::trace::Kind;
using torchtidy::trace::MadeShared;

std::atomic<uint64_t> torchtidy::record::NodeDeaths;

namespace {

void recordNode(void *Node, void *ControlBlock) {
  Recording R;
  if (!R)
    return;
  // make_shared puts the object behind two counters and a vtable.
  bool Shared =
      static_cast<char *>(Node) == static_cast<char *>(ControlBlock) + 16;
  uint64_t Deaths = NodeDeaths.load(std::memory_order_relaxed);
  if (R->LastNode == Node && R->LastNodeDeaths == Deaths && !Shared)
    return;
  R->LastNode = Node;
  R->LastNodeDeaths = Deaths;
  uint32_t Type = typeOf(Node);
  uint32_t Stack = stackOf(*R);
  unsigned Mode = currentMode(*R);
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(HookId::SetGradientEdge);
  if (Shared)
    watchSharedNode(*R, Lock, Node, ControlBlock);
  noteMode(*R, Lock, Mode);
  Encoder &E = Lock.event(R->Index, Kind::NodeMade,
                          (Mode & GradOn) | (Shared ? MadeShared : 0u));
  E.node(Node);
  E.number(Type);
  E.stack(Stack);
}

void recordDeath(HookId Hook, void *Node) {
  Recording R;
  if (!R)
    return;
  NodeDeaths.fetch_add(1, std::memory_order_relaxed);
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(Hook);
  Lock.event(R->Index, Kind::NodeDied).node(Node);
}

} // namespace

extern "C" {

// Edge is {shared_ptr<Node>, input number}.
using SetEdge = void(const void *, void **);
TORCHTIDY_EXPORT SetEdge torchtidySetEdge asm(
    "_ZN5torch8autograd4impl17set_gradient_edgeERKN2at6TensorENS0_4EdgeE");
void torchtidySetEdge(const void *Tensor, void **Edge) {
  if (Edge[0])
    recordNode(Edge[0], Edge[1]);
  real<SetEdge>(HookId::SetGradientEdge)(Tensor, Edge);
}

TORCHTIDY_EXPORT void
torchtidyDeleteNode(void *) asm("_ZN5torch8autograd10deleteNodeEPNS0_4NodeE");
void torchtidyDeleteNode(void *Node) {
  recordDeath(HookId::DeleteNode, Node);
  real<void(void *)>(HookId::DeleteNode)(Node);
}

// Out of line from the version on that has no deleteNode.
TORCHTIDY_EXPORT void
torchtidyNodeDestructor(void *) asm("_ZN5torch8autograd4NodeD2Ev");
void torchtidyNodeDestructor(void *Node) {
  recordDeath(HookId::NodeDestructor, Node);
  real<void(void *)>(HookId::NodeDestructor)(Node);
}

using Save = void(void *, const void *, bool, bool);
TORCHTIDY_EXPORT Save
    torchtidySave asm("_ZN5torch8autograd13SavedVariableC1ERKN2at6TensorEbb");
void torchtidySave(void *Self, const void *Tensor, bool Output, bool InPlace) {
  if (Recording R; R) {
    if (void *Block = blockOf(Tensor)) {
      WriterLock Lock;
      if (Lock.ready()) {
        fired(HookId::SavedVariable);
        Lock.event(R->Index, Kind::Saved, Output ? IsOutput : 0).block(Block);
      }
    }
  }
  real<Save>(HookId::SavedVariable)(Self, Tensor, Output, InPlace);
}

} // extern "C"
