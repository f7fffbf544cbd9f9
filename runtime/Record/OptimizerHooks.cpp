//===- OptimizerHooks.cpp - step and zero_grad ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::Kind;
using torchtidy::trace::OfModule;

namespace {

using Step = void *(void *, void *, void *);

void *step(HookId Hook, void *Result, void *Self, void *Closure) {
  auto *Frame = static_cast<const char *>(__builtin_frame_address(0));
  bool Outermost = false;
  if (Recording R; R) {
    closeBackwards(*R, Frame);
    Outermost = !R->StepFrame;
    if (Outermost) {
      R->StepFrame = Frame;
      uint32_t Type = typeOf(Self);
      uint32_t Stack = stackOf(*R);
      WriterLock Lock;
      if (Lock.ready()) {
        fired(Hook);
        Encoder &E = Lock.event(R->Index, Kind::StepBegin);
        E.object(Self);
        E.number(Type);
        E.stack(Stack);
      }
    }
  }
  void *Value = real<Step>(Hook)(Result, Self, Closure);
  if (!Outermost)
    return Value;
  if (Recording R; R) {
    R->StepFrame = nullptr;
    {
      WriterLock Lock;
      if (Lock.ready())
        Lock.event(R->Index, Kind::StepEnd).object(Self);
    }
    afterMark(*R, Kind::StepEnd);
  }
  return Value;
}

void recordZeroGrad(HookId Hook, const void *Self, unsigned Flags) {
  Recording R;
  if (!R)
    return;
  uint32_t Stack = stackOf(*R);
  WriterLock Lock;
  if (!Lock.ready())
    return;
  fired(Hook);
  Encoder &E = Lock.event(R->Index, Kind::ZeroGrad, Flags);
  E.object(Self);
  E.stack(Stack);
}

} // namespace

extern "C" {

#define TORCHTIDY_STEP(Id, Class)                                              \
  TORCHTIDY_EXPORT Step torchtidy##Id asm(                                     \
      "_ZN5torch5optim" Class "4stepESt8functionIFN2at6TensorEvEE");           \
  void *torchtidy##Id(void *Result, void *Self, void *Closure) {               \
    return step(HookId::Id, Result, Self, Closure);                            \
  }
TORCHTIDY_STEP(StepSgd, "3SGD")
TORCHTIDY_STEP(StepAdam, "4Adam")
TORCHTIDY_STEP(StepAdamW, "5AdamW")
TORCHTIDY_STEP(StepRmsProp, "7RMSprop")
TORCHTIDY_STEP(StepAdagrad, "7Adagrad")
TORCHTIDY_STEP(StepLbfgs, "5LBFGS")
#undef TORCHTIDY_STEP

TORCHTIDY_EXPORT void
torchtidyZeroGradOld(void *) asm("_ZN5torch5optim9Optimizer9zero_gradEv");
void torchtidyZeroGradOld(void *Self) {
  recordZeroGrad(HookId::ZeroGradOld, Self, 0);
  real<void(void *)>(HookId::ZeroGradOld)(Self);
}

TORCHTIDY_EXPORT void
torchtidyZeroGrad(void *, bool) asm("_ZN5torch5optim9Optimizer9zero_gradEb");
void torchtidyZeroGrad(void *Self, bool SetToNone) {
  recordZeroGrad(HookId::ZeroGrad, Self, 0);
  real<void(void *, bool)>(HookId::ZeroGrad)(Self, SetToNone);
}

TORCHTIDY_EXPORT void
torchtidyModuleZeroGrad(void *, bool) asm("_ZN5torch2nn6Module9zero_gradEb");
void torchtidyModuleZeroGrad(void *Self, bool SetToNone) {
  recordZeroGrad(HookId::ModuleZeroGrad, Self, OfModule);
  real<void(void *, bool)>(HookId::ModuleZeroGrad)(Self, SetToNone);
}

} // extern "C"
