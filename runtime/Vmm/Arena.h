//===- Arena.h - The memory of one stream -----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Blocks of one stream (and private pool). What is freed here may be used
/// again here at once, at the same or at another address: the stream orders
/// the uses. Everything is called with the arena locked; what changes mappings,
/// with Device::Growth as well.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_ARENA_H
#define TORCHTIDY_RUNTIME_VMM_ARENA_H

#include "AddressSpace.h"
#include "Device.h"
#include "Ranges.h"
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace torchtidy::vmm {

/// An event that several may wait for; destroyed with the last of them.
using SharedEvent = std::shared_ptr<void>;

/// Streams other than its own that use a block.
struct Uses {
  std::vector<Stream> Streams;
  unsigned Unfinished = 0; ///< events that are awaited, once it is freed
};

class Arena {
public:
  /// A graph's private pool does not move: its replays know the addresses.
  Arena(Device &On, Stream Of, bool Private)
      : On(On), Of(Of), Private(Private), Space(On.D, On.Pages),
        SmallSpace(On.D, On.Pages), Large(On.Pages, Ranges::Kind::Large),
        Small(On.Pages, Ranges::Kind::Small) {}
  ~Arena();

  std::mutex Access;

  Stream stream() const { return Of; }
  bool movable() const { return !Private && On.Settings.Remap; }
  void makeMovable() { Private = false; }

  /// \name Blocks (Arena.cpp)
  /// @{
  static constexpr size_t SmallMost = size_t(1) << 20;
  static size_t sizeOf(size_t Bytes) { return roundUp(Bytes, GrainBytes); }
  static bool isSmall(size_t Size) { return Size <= SmallMost; }

  /// Free memory of so many bytes, without any driver call; or null.
  void *take(size_t Bytes);
  /// False if no live block begins there.
  bool give(Address At);
  Block *find(Address At) const;
  /// @}

  /// \name Other streams (Streams.cpp)
  /// @{
  void addUse(Block *B, Stream S);
  /// Blocks whose last use is known to have ended become free.
  void settle();
  /// Events that hold freed blocks back.
  void awaited(std::vector<SharedEvent> &To) const;
  /// Learns how far the stream is; with \p Record, events go on from here.
  void observe(bool Record);
  bool done(const Handle &H) const { return H.LastFree <= Done; }
  /// @}

  /// \name Memory (Place.cpp, Mapping.cpp)
  /// @{
  /// Makes so many bytes free in one piece, if need be by remapping and by
  /// new handles; \p Others lend what is free and done there. They are locked.
  Status place(size_t Size, const std::vector<Arena *> &Others);
  /// Takes the wholly free handles that nothing uses any more out of use.
  void retireFree(std::vector<Handle *> &To);
  /// Unmaps what is not current and no longer used, as far as the driver does.
  void dropDead();
  /// Peers get access to all that is mapped.
  Status grantAccess();
  /// @}

  /// Half of what is reserved is free here.
  bool mostlyFree() const { return Large.freeBytes() > On.Reserved / 2; }

private:
  friend class Placement;
  friend struct Transaction;

  void count(size_t Size, size_t Requested, bool Live);
  void countSplits();
  void finish(Block *B);
  void touch(Block *B);
  void hold(Block *B);
  bool follow(Block *B);

  // Mapping.cpp
  void attach(Mapping *M);
  void detach(Mapping *M);
  /// The mapping becomes current, and its memory free to use.
  void enliven(Mapping *M, bool AsSmall);
  /// What is wholly free leaves the ranges; the mapping stays for later.
  void retire(Mapping *M);
  void foldSmallPages();
  bool isSmallPage(const Mapping *M) const;
  AddressSpace &spaceOf(const Mapping *M) {
    return M->OfSmall ? SmallSpace : Space;
  }

  Device &On;
  const Stream Of;
  bool Private;
  /// Apart, so that small pages do not stand where ranges grow.
  AddressSpace Space, SmallSpace;
  Ranges Large, Small;
  std::map<Address, Mapping *> Mappings;
  int64_t SplitCounted[2] = {}, SplitBytesCounted[2] = {};

  /// Counts frees. What was freed up to Done is used by nothing any more.
  uint64_t Epoch = 0, Done = 0;
  std::deque<std::pair<uint64_t, SharedEvent>> Marks;
  std::map<Stream, std::deque<std::pair<SharedEvent, Block *>>> Pending;
  /// Freed during a capture: events only come after it.
  std::vector<Block *> Deferred;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_ARENA_H
