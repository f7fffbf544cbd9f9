//===- Symbols.h - What is hooked, and the functions behind it --*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LibTorch's functions by mangled name. The preload library defines the same
/// names; `real` gives LibTorch's own, also when LibTorch came late and stays
/// local to the dlopen that brought it.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_SYMBOLS_H
#define TORCHTIDY_RUNTIME_RECORD_SYMBOLS_H

#include <atomic>
#include <cstdint>

// Name of the feature, and the symbol. Features with several symbols changed
// their signature between versions: one of them is enough.
#define TORCHTIDY_HOOKS(HOOK)                                                  \
  HOOK(AllocCpu, "alloc", "_ZN3c109alloc_cpuEm")                               \
  HOOK(FreeCpu, "free", "_ZN3c108free_cpuEPv")                                 \
  HOOK(ReportMemory, "device-memory",                                          \
       "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE")                \
  HOOK(ReportMemoryOld, "device-memory",                                       \
       "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE")                \
  HOOK(CudaMalloc, "device-segments", "cudaMalloc")                            \
  HOOK(CudaFree, "device-segments", "cudaFree")                                \
  HOOK(SetGradientEdge, "node-made",                                           \
       "_ZN5torch8autograd4impl17set_gradient_edgeERKN2at6TensorENS0_4EdgeE")  \
  HOOK(DeleteNode, "node-died", "_ZN5torch8autograd10deleteNodeEPNS0_4NodeE")  \
  HOOK(NodeDestructor, "node-died", "_ZN5torch8autograd4NodeD2Ev")             \
  HOOK(EvaluateFunction, "node-evaluated",                                     \
       "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_"     \
       "9GraphTaskEEPNS0_4NodeERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE")   \
  HOOK(SavedVariable, "saved",                                                 \
       "_ZN5torch8autograd13SavedVariableC1ERKN2at6TensorEbb")                 \
  HOOK(AccumulateGrad, "grad-accumulated",                                     \
       "_ZN5torch8autograd14AccumulateGradC1EN2at6TensorE")                    \
  HOOK(Execute, "backward",                                                    \
       "_ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EERKS2_" \
       "IN2at6TensorESaIS9_EEbbbS7_")                                          \
  HOOK(ExecuteTask, "backward-threads",                                        \
       "_ZN5torch8autograd6Engine23execute_with_graph_taskERKSt10shared_ptrIN" \
       "S0_9GraphTaskEES2_INS0_4NodeEEONS0_11InputBufferE")                    \
  HOOK(StepSgd, "step",                                                        \
       "_ZN5torch5optim3SGD4stepESt8functionIFN2at6TensorEvEE")                \
  HOOK(StepAdam, "step",                                                       \
       "_ZN5torch5optim4Adam4stepESt8functionIFN2at6TensorEvEE")               \
  HOOK(StepAdamW, "step",                                                      \
       "_ZN5torch5optim5AdamW4stepESt8functionIFN2at6TensorEvEE")              \
  HOOK(StepRmsProp, "step",                                                    \
       "_ZN5torch5optim7RMSprop4stepESt8functionIFN2at6TensorEvEE")            \
  HOOK(StepAdagrad, "step",                                                    \
       "_ZN5torch5optim7Adagrad4stepESt8functionIFN2at6TensorEvEE")            \
  HOOK(StepLbfgs, "step",                                                      \
       "_ZN5torch5optim5LBFGS4stepESt8functionIFN2at6TensorEvEE")              \
  HOOK(ZeroGradOld, "zero-grad", "_ZN5torch5optim9Optimizer9zero_gradEv")      \
  HOOK(ZeroGrad, "zero-grad", "_ZN5torch5optim9Optimizer9zero_gradEb")         \
  HOOK(ModuleZeroGrad, "zero-grad", "_ZN5torch2nn6Module9zero_gradEb")

namespace torchtidy::record {

enum class HookId : unsigned {
#define TORCHTIDY_ID(Id, Feature, Symbol) Id,
  TORCHTIDY_HOOKS(TORCHTIDY_ID)
#undef TORCHTIDY_ID
      Count
};

constexpr auto HookCount = static_cast<unsigned>(HookId::Count);

/// Asked for each event, so that they lie open.
extern std::atomic<void *> RealFunctions[HookCount];
extern uint64_t FiredCounts[HookCount];

/// Null if there is none.
void *realFunctionOrNull(HookId Id);
/// Ends the program if there is none.
void *findRealFunction(HookId Id);

/// LibTorch's own function. There must be one, since it was just called.
template <typename Fn> Fn *real(HookId Id) {
  void *P =
      RealFunctions[static_cast<unsigned>(Id)].load(std::memory_order_acquire);
  if (__builtin_expect(!P, 0))
    P = findRealFunction(Id);
  return reinterpret_cast<Fn *>(P);
}

/// Counts a call; under the writer's lock.
inline void fired(HookId Id) { ++FiredCounts[static_cast<unsigned>(Id)]; }

/// Looks up all hooks that are still unknown.
void resolveHooks();

/// Under the writer's lock: writes those whose state or first call is news; all
/// of them, with their counts, at the start and the end of a log.
void writeHooks(bool All);

/// Is a LibTorch in this process?
bool torchLoaded();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_SYMBOLS_H
