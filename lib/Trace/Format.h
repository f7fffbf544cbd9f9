//===- Format.h - Wire format of a run log ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a recorded run lies on disk. Header-only and freestanding (no heap, no
/// standard library), since the writer lives inside the user's process.
///
/// A log is a FileHeader and chunks. A chunk is a ChunkHeader and one zstd
/// frame; its checksum makes a log that was cut off at any byte readable to the
/// last whole chunk. A chunk's payload is a sequence of records: a tag byte
/// (kind in the low five bits, three flags above), then varints. Pointers and
/// stack ids are differences to the last of their kind in the same chunk, so
/// each chunk can be decoded alone; only tables (frames, types, names) carry
/// over, numbered in the order of their definition, from 1 on.
///
/// Integers in headers are little-endian.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TRACE_FORMAT_H
#define TORCHTIDY_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

namespace torchtidy::trace {

constexpr char FileMagic[8] = {'t', 'o', 'r', 'c', 'h', 'l', 'o', 'g'};
constexpr uint32_t FormatVersion = 1;
constexpr uint32_t ChunkMagic = 0x4b4e4854; // "THNK"
/// A writer starts a new chunk before a payload grows past this.
constexpr uint32_t MaxChunk = 256 * 1024;

struct FileHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t Reserved;
};

struct ChunkHeader {
  uint32_t Magic;
  uint32_t RawBytes;
  uint32_t PackedBytes;
  uint32_t Events; ///< of the kinds below Frame, for a summary without decoding
  uint32_t Checksum; ///< of the packed bytes
};

/// Fields in wire order; what each means stands at EventKind's use in Trace.h.
enum class Kind : uint8_t {
  Invalid,
  Alloc,           ///< block, bytes, stack [, device if OnDevice]
  Free,            ///< block [, device if OnDevice]
  SegmentAlloc,    ///< pointer, bytes, stack
  SegmentFree,     ///< pointer
  NodeMade,        ///< node, type, stack
  NodeEvaluated,   ///< node
  NodeDied,        ///< node
  Saved,           ///< block
  GradAccumulated, ///< variable
  GradMode,        ///< (flags only)
  StepBegin,       ///< optimizer, type, stack
  StepEnd,         ///< optimizer
  ZeroGrad,        ///< optimizer or module, stack
  BackwardBegin,   ///< root node, number of roots, stack
  BackwardEnd,     ///< (nothing)
  Iteration,       ///< stack
  ScopeBegin,      ///< name, stack
  ScopeEnd,        ///< name
  Heap,            ///< bytes of the C heap in use
  Exit,            ///< status
  // From here on: no events but what events refer to.
  Frame,     ///< parent stack id, return address; defines the next stack id
  Thread,    ///< index of the thread that the following events belong to
  Clock,     ///< nanoseconds since the last Clock of the chunk, or since start
  Rare = 31, ///< a RareKind byte follows
};

enum class RareKind : uint8_t {
  Process = 1, ///< pid, parent, start (ns since 1970), recorder version,
               ///< program, directory, number of arguments, arguments
  Torch,       ///< version text (empty: could not be told)
  Module,      ///< bias, low, high, path, build id (raw bytes)
  ModuleGone,  ///< low
  Type,        ///< mangled name; defines the next type id
  Name,        ///< text; defines the next name id
  ThreadStart, ///< index, kernel thread id
  Hook,        ///< index, HookState, times fired, "feature symbol"; a later one
               ///< replaces
  Lost,        ///< events that could not be recorded (table full)
};

enum class HookState : uint8_t {
  Waiting, ///< no LibTorch loaded yet, or not looked up
  Missing, ///< this LibTorch has no such symbol
  Present,
};

// Flags of a tag byte, by kind.
//
// Alloc, NodeMade, GradMode:
constexpr uint8_t GradOn = 1;
// Alloc, Free: not host memory, a device follows.
constexpr uint8_t OnDevice = 2;
// GradMode:
constexpr uint8_t InferenceOn = 2;
// NodeMade: its death is seen late, at the next mark.
constexpr uint8_t MadeShared = 2;
// NodeDied: some time before.
constexpr uint8_t Late = 1;
// BackwardBegin, NodeEvaluated: what is saved stays.
constexpr uint8_t KeepGraph = 1;
// BackwardBegin:
constexpr uint8_t CreateGraph = 2;
// BackwardBegin: autograd::grad, not backward.
constexpr uint8_t ReturnsGrads = 4;
// Saved: the result of the node made last.
constexpr uint8_t IsOutput = 1;
// GradAccumulated: .grad was there before; can that be relied on?
constexpr uint8_t WasDefined = 1;
constexpr uint8_t KnowsDefined = 2;
// ZeroGrad: nn::Module::zero_grad.
constexpr uint8_t OfModule = 1;
// Frame: the parent launched this thread's work.
constexpr uint8_t Inherited = 1;
// Exit: came through exit(), the status is right.
constexpr uint8_t StatusKnown = 1;

inline uint32_t checksum(const void *Data, size_t Size) {
  const auto *P = static_cast<const unsigned char *>(Data);
  uint64_t H = 0x9e3779b97f4a7c15u ^ Size;
  for (; Size >= 8; P += 8, Size -= 8) {
    uint64_t W;
    __builtin_memcpy(&W, P, 8);
    H = (H ^ W) * 0xff51afd7ed558ccdu;
    H ^= H >> 32;
  }
  for (; Size; ++P, --Size)
    H = ((H ^ *P) * 0xff51afd7ed558ccdu) ^ (H >> 29);
  return static_cast<uint32_t>(H ^ (H >> 32));
}

/// What differences refer to; starts afresh with every chunk.
struct DeltaState {
  uint64_t Block = 0, Node = 0, Object = 0, Address = 0, Stack = 0;
};

/// Pointers are multiples of 16 nearly always: the low bits go to the top,
/// where a zero costs nothing.
inline uint64_t rotatePointer(uint64_t P) { return (P >> 4) | (P << 60); }
inline uint64_t unrotatePointer(uint64_t V) { return (V << 4) | (V >> 60); }

inline uint64_t zigzag(uint64_t Difference) {
  return (Difference << 1) ^ (0 - (Difference >> 63));
}
inline uint64_t unzigzag(uint64_t V) { return (V >> 1) ^ (0 - (V & 1)); }

/// Writes records into memory that the caller provides and has checked for
/// room: no fixed-size record is longer than MaxRecord.
constexpr size_t MaxRecord = 48;

class Encoder {
public:
  void start(unsigned char *To) {
    Out = To;
    Delta = DeltaState();
  }
  unsigned char *position() const { return Out; }

  void tag(Kind K, unsigned Flags = 0) {
    *Out++ = static_cast<unsigned char>(static_cast<unsigned>(K) | Flags << 5);
  }
  void rare(RareKind K) {
    tag(Kind::Rare);
    *Out++ = static_cast<unsigned char>(K);
  }
  void number(uint64_t V) {
    unsigned char *P = Out; // in a register: bytes may alias anything
    while (V >= 0x80) {
      *P++ = static_cast<unsigned char>(V | 0x80);
      V >>= 7;
    }
    *P++ = static_cast<unsigned char>(V);
    Out = P;
  }
  void block(const void *P) { pointer(Delta.Block, P); }
  void node(const void *P) { pointer(Delta.Node, P); }
  void object(const void *P) { pointer(Delta.Object, P); }
  void address(uint64_t A) {
    number(zigzag(A - Delta.Address));
    Delta.Address = A;
  }
  void stack(uint32_t Id) {
    number(zigzag(Id - Delta.Stack));
    Delta.Stack = Id;
  }
  /// Needs Size more bytes of room.
  void text(const char *P, size_t Size) {
    number(Size);
    __builtin_memcpy(Out, P, Size);
    Out += Size;
  }

private:
  void pointer(uint64_t &Last, const void *P) {
    uint64_t V = rotatePointer(reinterpret_cast<uintptr_t>(P));
    number(zigzag(V - Last));
    Last = V;
  }

  unsigned char *Out = nullptr;
  DeltaState Delta;
};

/// Reads one chunk's payload. Past the end, or on a malformed number, `Bad` is
/// set and zeros are returned.
class Decoder {
public:
  Decoder(const unsigned char *From, size_t Size) : P(From), End(From + Size) {}

  bool atEnd() const { return P == End || Bad; }
  bool bad() const { return Bad; }

  uint8_t byte() {
    if (P == End) {
      Bad = true;
      return 0;
    }
    return *P++;
  }
  uint64_t number() {
    uint64_t V = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += 7) {
      uint8_t B = byte();
      V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      if (!(B & 0x80))
        return V;
    }
    Bad = true;
    return 0;
  }
  uint64_t block() { return pointer(Delta.Block); }
  uint64_t node() { return pointer(Delta.Node); }
  uint64_t object() { return pointer(Delta.Object); }
  uint64_t address() { return Delta.Address += unzigzag(number()); }
  uint32_t stack() {
    Delta.Stack += unzigzag(number());
    return static_cast<uint32_t>(Delta.Stack);
  }
  /// The text's bytes; null (and Bad) if it does not fit.
  const char *text(size_t &Size) {
    uint64_t N = number();
    if (N > static_cast<uint64_t>(End - P)) {
      Bad = true;
      Size = 0;
      return nullptr;
    }
    const auto *T = reinterpret_cast<const char *>(P);
    P += N;
    Size = N;
    return T;
  }

private:
  uint64_t pointer(uint64_t &Last) {
    Last += unzigzag(number());
    return unrotatePointer(Last);
  }

  const unsigned char *P, *End;
  bool Bad = false;
  DeltaState Delta;
};

} // namespace torchtidy::trace

#endif // TORCHTIDY_TRACE_FORMAT_H
