//===- Hooks.h - What the hooks share ---------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A hook is a C function with LibTorch's mangled name. On x86-64, arguments
/// and results of class type with a destructor travel as hidden pointers, so no
/// type of LibTorch is needed.
///
/// The pattern: take what must be taken before, call the real function, record.
/// An allocation is recorded after it, a free before: in the log no two live
/// blocks share an address. Nothing is kept across an exception of the real
/// function, since nothing here can be unwound; see closeBackwards().
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_HOOKS_H
#define TORCHTIDY_RUNTIME_RECORD_HOOKS_H

#include "Names.h"
#include "Symbols.h"
#include "Thread.h"
#include "Writer.h"
#include <atomic>

#if !defined(__x86_64__)
#error "the recorder knows the calling convention of x86-64 only"
#endif

#define TORCHTIDY_EXPORT __attribute__((visibility("default")))

namespace torchtidy::record {

/// The stack of the program, from the hook's caller outwards.
uint32_t stackOf(ThreadState &T);

unsigned askMode(ThreadState &T);
/// GradOn and InferenceOn as they are for this thread. Asked, not hooked: the
/// engine and every guard set them many times for each event that matters.
inline unsigned currentMode(ThreadState &T) {
  if (T.ModeByte && *T.ModeByte == T.ModeByteSeen)
    return T.ModeSeen;
  return askMode(T);
}
void writeMode(ThreadState &T, WriterLock &Lock, unsigned Mode);
/// Under the writer's lock: the thread's mode, if it is news.
inline void noteMode(ThreadState &T, WriterLock &Lock, unsigned Mode) {
  if (T.ModeFlags != Mode)
    writeMode(T, Lock, Mode);
}

/// Ends backwards (and a step) that an exception has left; \p Frame is that of
/// a hook running now.
void closeBackwards(ThreadState &T, const char *Frame);

/// After the event of a mark: dead shared nodes, the heap, the time.
void afterMark(ThreadState &T, trace::Kind Mark);
/// After a mark of this kind: bytes of the C heap in use, if it is time to
/// look.
bool sampleHeap(trace::Kind Mark, uint64_t &Bytes);

/// Under the writer's lock: nodes made by make_shared whose death no hook sees.
void watchSharedNode(ThreadState &T, WriterLock &Lock, void *Node,
                     void *ControlBlock);
void pollSharedNodes(ThreadState &T, WriterLock &Lock);
/// Tells whether set_gradient_edge sees a node again or a new one in its place.
extern std::atomic<uint64_t> NodeDeaths;

/// Where a tensor's storage is, once that is known; else 0.
extern std::atomic<int> StorageOffset;
/// Learns it from blocks that are known to be such.
void rememberBlock(void *Block);
inline void learnBlock(void *Block) {
  if (StorageOffset.load(std::memory_order_relaxed) == 0)
    rememberBlock(Block);
}
/// The block behind an at::Tensor, null if it has none or if it is not known
/// where to look.
void *blockOf(const void *Tensor);

/// Records the evaluation of an AccumulateGrad; false if \p Node is none.
bool recordAccumulation(ThreadState &T, const void *Node);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_HOOKS_H
