//===- Accumulation.cpp - Gradients that are added to leaves --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfSymbols.h"
#include "Hooks.h"

using namespace torchtidy::record;
using torchtidy::trace::Kind;
using torchtidy::trace::KnowsDefined;
using torchtidy::trace::WasDefined;

namespace {

/// Learnt from the first one that is made: what tells an AccumulateGrad, and
/// where it keeps its variable.
std::atomic<void *> Vtable;
std::atomic<size_t> VariableAt;

/// Is `.grad` of the variable there? -1: cannot be told.
int gradDefined(const void *Impl) {
  using Grad = void *const *(const void *);
  static std::atomic<Grad *> GradOf;
  static std::atomic<void *> Undefined;
  static std::atomic<bool> LookedUp;
  if (!LookedUp.load(std::memory_order_acquire)) {
    GradOf = reinterpret_cast<Grad *>(
        findElfSymbol("_ZNK3c1010TensorImpl4gradEv", false));
    // The one everybody uses may be a copy in the program.
    Undefined =
        findElfSymbol("_ZN3c1019UndefinedTensorImpl10_singletonE", true);
    LookedUp.store(true, std::memory_order_release);
  }
  Grad *Of = GradOf.load(std::memory_order_relaxed);
  void *None = Undefined.load(std::memory_order_relaxed);
  if (!Of || !None)
    return -1;
  void *G = *Of(Impl);
  return G && G != None;
}

} // namespace

bool torchtidy::record::recordAccumulation(ThreadState &T, const void *Node) {
  size_t At = VariableAt.load(std::memory_order_acquire);
  if (!At || *static_cast<void *const *>(Node) !=
                 Vtable.load(std::memory_order_relaxed))
    return false;
  const void *Impl =
      *reinterpret_cast<void *const *>(static_cast<const char *>(Node) + At);
  if (!Impl)
    return false;
  int Defined = gradDefined(Impl);
  WriterLock Lock;
  if (!Lock.ready())
    return true;
  fired(HookId::EvaluateFunction);
  Lock.event(T.Index, Kind::GradAccumulated,
             Defined < 0 ? 0u : KnowsDefined | (Defined ? WasDefined : 0u))
      .object(Impl);
  return true;
}

extern "C" {

using Construct = void(void *, void **);
TORCHTIDY_EXPORT Construct torchtidyAccumulateGrad asm(
    "_ZN5torch8autograd14AccumulateGradC1EN2at6TensorE");
void torchtidyAccumulateGrad(void *Self, void **Variable) {
  void *Impl = *Variable;
  real<Construct>(HookId::AccumulateGrad)(Self, Variable);
  Recording R;
  if (!R || VariableAt.load(std::memory_order_relaxed))
    return;
  {
    WriterLock Lock;
    fired(HookId::AccumulateGrad);
  }
  // The node is a base class of some hundred bytes, then the variable.
  constexpr size_t Last = 64 * sizeof(void *);
  for (size_t At = sizeof(void *); At < Last; At += sizeof(void *)) {
    if (*reinterpret_cast<void **>(static_cast<char *>(Self) + At) != Impl)
      continue;
    Vtable.store(*static_cast<void **>(Self), std::memory_order_relaxed);
    VariableAt.store(At, std::memory_order_release);
    return;
  }
}

} // extern "C"
