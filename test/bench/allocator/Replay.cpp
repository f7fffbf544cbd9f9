//===- Replay.cpp - Runs a trace on an allocator --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include "CudaDriver.h"
#include "fakecuda.h"
#include <algorithm>
#include <cstring>

using namespace torchtidy::bench;

namespace {
/// Whether a call gets or gives memory, or addresses for it.
bool movesMemory(const char *Name) {
  static const char *const Names[] = {
      "cuMemCreate",        "cuMemRelease",    "cuMemMap",      "cuMemUnmap",
      "cuMemSetAccess",     "cuMemAlloc",      "cuMemFree",     "cudaMalloc",
      "cuMemAddressFree",   "cudaMallocAsync", "cudaFreeAsync", "cudaFree",
      "cuMemAddressReserve"};
  return std::any_of(std::begin(Names), std::end(Names),
                     [&](const char *N) { return !std::strcmp(N, Name); });
}

uint64_t memoryCalls() {
  uint64_t Sum = 0;
  fakecuda_each_count(
      [](const char *Name, uint64_t Count, void *Sum) {
        if (movesMemory(Name))
          *static_cast<uint64_t *>(Sum) += Count;
      },
      &Sum);
  return Sum;
}

class Player {
public:
  Player(const Trace &T, Subject &S, bool StopWhenFull)
      : T(T), S(S), StopWhenFull(StopWhenFull), Blocks(T.Blocks) {}

  Result play();

private:
  const Trace &T;
  Subject &S;
  const bool StopWhenFull;
  Result R;
  struct Block {
    void *Address = nullptr;
    uint64_t Bytes = 0;
  };
  std::vector<Block> Blocks;
  std::vector<void *> Streams;
  std::vector<FakeCudaRange> Ranges;
  uint64_t Live = 0, LivePeak = 0;
  uint32_t Next = 0, FirstOfIteration = 0, Iteration = 0;
  bool Dropping = false, Ended = false;
  uint64_t LateFrom = ~uint64_t(0), OwnDriver = 0, OwnStall = 0;
  std::map<std::string, uint64_t> OwnCalls;

  void one(const Op &O);
  void allocate(const Op &O);
  void freeBlock(uint32_t Id);
  void drop();
  void launch(const Op &O);
  void mark();
  void sample();

  /// The trace's own calls are not the allocator's.
  template <typename Function> void own(const char *Name, Function Call) {
    uint64_t Driver = fakecuda_driver_ns(), Stall = fakecuda_stall_ns();
    expect(Name, Call());
    OwnDriver += fakecuda_driver_ns() - Driver;
    OwnStall += fakecuda_stall_ns() - Stall;
    ++OwnCalls[Name];
  }
  void expect(const char *Name, int Error);
  void wait(void *Stream, void *Other);
};

/// Nothing of the replay's own may fail but by the allocator's fault.
void Player::expect(const char *Name, int Error) {
  if (!Error)
    return;
  ++R.Faults;
  if (R.FirstFault.empty())
    R.FirstFault = std::string(Name) + ": error " + std::to_string(Error);
}

void Player::sample() {
  FakeCudaMemory M;
  fakecuda_memory(0, &M);
  uint64_t Used = M.Used - std::min(M.Used, R.Base + R.Allowance);
  LivePeak = std::max(LivePeak, Live);
  R.RunningRatio = std::max(R.RunningRatio, double(Used) / double(LivePeak));
}

void Player::allocate(const Op &O) {
  Next = O.Id + 1;
  if (Dropping)
    return;
  Block &B = Blocks[O.Id];
  B.Address = S.allocate(O.Value, Streams[O.Stream]);
  if (!B.Address) {
    drop();
    return;
  }
  B.Bytes = O.Value;
  Live += roundedBlock(O.Value);
  sample();
}

void Player::freeBlock(uint32_t Id) {
  Block &B = Blocks[Id];
  if (!B.Address)
    return;
  S.free(B.Address);
  Live -= roundedBlock(B.Bytes);
  B.Address = nullptr;
  ++R.Pairs;
}

void Player::drop() {
  ++R.Dropped;
  Dropping = true;
  if (Iteration == 0)
    R.Fatal = true;
  if (R.Fatal || StopWhenFull) {
    Ended = true;
    return;
  }
  for (uint32_t Id = FirstOfIteration; Id != Next; ++Id)
    freeBlock(Id);
}

void Player::launch(const Op &O) {
  Ranges.clear();
  for (uint32_t I = O.First; I != O.First + O.Count; ++I) {
    const Use &U = T.Uses[I];
    const Block &B = Blocks[U.Id];
    // Lost with its iteration.
    if (B.Address)
      Ranges.push_back(
          {reinterpret_cast<uint64_t>(B.Address), B.Bytes, U.Write});
  }
  expect("kernel", fakecuda_launch(0, Streams[O.Stream], O.Value, Ranges.data(),
                                   Ranges.size()));
}

void Player::wait(void *Stream, void *Other) {
  CUevent Event = nullptr;
  own("cuEventCreate",
      [&] { return cuEventCreate(&Event, fakecuda::abi::EventDisableTiming); });
  own("cuEventRecord", [&] { return cuEventRecord(Event, Other); });
  own("cuStreamWaitEvent", [&] { return cuStreamWaitEvent(Stream, Event, 0); });
  own("cuEventDestroy", [&] { return cuEventDestroy_v2(Event); });
}

void Player::mark() {
  Dropping = false;
  FirstOfIteration = Next;
  if (Iteration++ == T.Iterations - T.Iterations / 3)
    LateFrom = memoryCalls();
}

void Player::one(const Op &O) {
  switch (O.Kind) {
  case OpKind::Allocate:
    return allocate(O);
  case OpKind::Free:
    return freeBlock(O.Id);
  case OpKind::Mark:
    return mark();
  default:
    break;
  }
  if (Dropping)
    return;
  void *Stream = Streams[O.Stream];
  switch (O.Kind) {
  case OpKind::Record:
    if (void *P = Blocks[O.Id].Address)
      S.recordStream(P, Stream);
    break;
  case OpKind::Launch:
    launch(O);
    break;
  case OpKind::Wait:
    wait(Stream, Streams[O.Id]);
    break;
  case OpKind::Sync:
    own("cuStreamSynchronize", [&] { return cuStreamSynchronize(Stream); });
    break;
  case OpKind::Empty:
    S.emptyCache();
    break;
  default:
    fakecuda_advance(O.Value);
  }
}

Result Player::play() {
  for (unsigned I = 0; I != T.Streams; ++I)
    Streams.push_back(S.stream(I));
  fakecuda_reset_counts();
  fakecuda_reset_times();
  fakecuda_reset_peak(0);
  FakeCudaMemory M;
  fakecuda_memory(0, &M);
  R.Base = M.Used;
  for (const Op &O : T.Ops) {
    one(O);
    if (Ended)
      break;
  }
  fakecuda_memory(0, &M);
  R.DevicePeak = M.Peak - R.Base;
  R.Statistics = S.statistics();
  R.LateCalls = memoryCalls() - std::min(LateFrom, memoryCalls());
  R.DriverNs = fakecuda_driver_ns() - OwnDriver;
  R.StallNs = fakecuda_stall_ns() - OwnStall;
  R.EndNs = fakecuda_now();
  fakecuda_each_count(
      [](const char *Name, uint64_t Count, void *To) {
        (*static_cast<std::map<std::string, uint64_t> *>(To))[Name] = Count;
      },
      &R.Calls);
  for (auto &[Name, Count] : OwnCalls)
    if ((R.Calls[Name] -= Count) == 0)
      R.Calls.erase(Name);
  for (uint32_t Id = 0; Id != Next; ++Id)
    freeBlock(Id);
  R.Faults = std::max(R.Faults, fakecuda_faults());
  R.Races = fakecuda_races();
  if (const char *Text = fakecuda_first_fault())
    R.FirstFault = Text;
  return R;
}
} // namespace

int torchtidy::bench::useDevice() {
  CUcontext Context = nullptr;
  int Error = cuInit(0);
  if (!Error)
    Error = cuDevicePrimaryCtxRetain(&Context, 0);
  return Error ? Error : cuCtxSetCurrent(Context);
}

Result torchtidy::bench::replay(const Trace &T, Subject &S, bool StopWhenFull) {
  return Player(T, S, StopWhenFull).play();
}
