//===- Trace.h - A recorded run in memory -----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One process of a recorded run: who it was, what it loaded, its events in
/// order, and the call stacks they refer to. The reader has already joined what
/// belongs together (an allocation and its free, a node and its saves).
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TRACE_TRACE_H
#define TORCHTIDY_TRACE_TRACE_H

#include "Trace/Format.h"
#include <cstdint>
#include <string>
#include <vector>

namespace torchtidy::trace {

/// Meaning of Pointer, Value, Link by kind; Stack is 0 where there is none.
///
///   kind            Pointer        Value             Link
///   Alloc           block          bytes             its Free
///   Free            block          bytes             its Alloc
///   SegmentAlloc    device address bytes (cudaMalloc) its SegmentFree
///   SegmentFree     device address bytes             its SegmentAlloc
///   NodeMade        node           type id           its NodeDied
///   NodeEvaluated   node           backward          its NodeMade
///   NodeDied        node           -                 its NodeMade
///   Saved           block          bytes of block    NodeMade it belongs to
///   GradAccumulated variable       backward          -
///   GradMode        -              -                 -
///   StepBegin       optimizer      type id           its StepEnd
///   StepEnd         optimizer      -                 its StepBegin
///   ZeroGrad        optimizer/mod. -                 -
///   BackwardBegin   root node      number of roots   its BackwardEnd
///   BackwardEnd     -              -                 its BackwardBegin
///   Iteration       -              -                 -
///   ScopeBegin/End  -              name id           the other one
///   Heap            -              bytes in use      -
///   Exit            -              status            -
///
/// "backward" is the index of the BackwardBegin event that evaluates the node,
/// NoLink if it is not known. A node that several outputs share is one
/// NodeMade. Saved counts a block each time it is saved; two saves may name one
/// block.
using EventKind = Kind;

constexpr uint32_t NoLink = ~uint32_t(0);

struct Event {
  EventKind Kind = EventKind::Invalid;
  uint8_t Flags = 0;   ///< as in Format.h, and those below
  uint16_t Thread = 0; ///< index into Trace::Threads
  uint32_t Stack = 0;  ///< for Trace::stack()
  uint64_t Pointer = 0;
  uint64_t Value = 0;
  uint32_t Link = NoLink; ///< index into Trace::Events
  int16_t Device = -1;    ///< -1 host, else the index of the CUDA device

  bool has(uint8_t Flag) const { return (Flags & Flag) != 0; }
};

// Set by the reader, above those of the wire.
//
// NodeMade: reached by a backward. NodeDied: so was it.
constexpr uint8_t Evaluated = 0x10;
// NodeMade: evaluated without keep_graph, so that what it had saved is gone.
constexpr uint8_t Released = 0x20;

/// One call frame; a stack is a path to the root. Innermost frames are leaves.
struct Frame {
  uint32_t Parent = 0;
  uint64_t Address = 0; ///< return address: the call ends just before it
  /// The parent is the stack that launched the backward this engine thread
  /// works for.
  bool Inherited = false;
};

struct Module {
  uint64_t Bias = 0; ///< address in memory minus address in the file
  uint64_t Low = 0, High = 0;
  std::string Path, BuildId; ///< id in lower-case hex, empty if there is none
  /// Loaded before event First, unloaded before event Last (NoLink: never).
  uint32_t First = 0, Last = NoLink;
};

struct Thread {
  uint32_t KernelId = 0;
  uint32_t First = 0; ///< index of its first event
};

/// Features with several symbols (another signature in another version) have
/// one Hook for each: one that is present is enough.
struct Hook {
  std::string Name; ///< of the feature, such as "node-made"
  std::string Symbol;
  HookState State = HookState::Waiting;
  uint64_t Fired = 0;
};

/// Time since the start of recording, known at some events only.
struct ClockPoint {
  uint32_t Event; ///< the next event's index
  uint64_t Nanoseconds;
};

struct Trace {
  std::string Path; ///< of the log
  uint32_t Pid = 0, ParentPid = 0;
  uint64_t StartNanoseconds = 0; ///< since 1970
  std::string RecorderVersion, Program, Directory;
  std::vector<std::string> Arguments; ///< with the program's name
  std::string TorchVersion;           ///< such as "2.11.0"; empty: unknown

  std::vector<Module> Modules;
  std::vector<Frame> Frames;      ///< [0] is the empty stack
  std::vector<std::string> Types; ///< mangled names; [0] is empty
  std::vector<std::string> Names; ///< of scopes; [0] is empty
  std::vector<Thread> Threads;
  std::vector<Hook> Hooks;
  std::vector<Event> Events;
  std::vector<ClockPoint> Clock;

  uint64_t LostEvents = 0;
  /// False: the process was killed, the disk was full or the log was cut; what
  /// is here is right up to some point.
  bool Complete = false;
  int ExitStatus = -1; ///< -1: not known
  uint64_t RawBytes = 0, PackedBytes = 0;

  /// Return addresses of stack \p Id, innermost first.
  std::vector<uint64_t> stack(uint32_t Id) const;
  /// The module that held \p Address when event \p At happened; null if none.
  const Module *moduleAt(uint64_t Address, uint32_t At) const;
  /// The state of a feature, and how often its hooks fired together.
  Hook hook(const std::string &Name) const;
};

/// Figures of a whole run, for a few lines of text.
struct Summary {
  uint64_t Allocations = 0, LiveBytes = 0, PeakBytes = 0; ///< host tensors
  uint64_t DeviceAllocations = 0, DeviceLiveBytes = 0, DevicePeakBytes = 0;
  uint64_t Nodes = 0, LiveNodes = 0, UnusedNodes = 0;
  uint64_t Steps = 0, Backwards = 0, Iterations = 0, Scopes = 0;
};

Summary summarize(const Trace &T);

} // namespace torchtidy::trace

#endif // TORCHTIDY_TRACE_TRACE_H
