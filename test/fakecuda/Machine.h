//===- Machine.h - The modelled machine -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All state of the process: devices, memory, time, faults, calls. Whoever
/// touches it holds the lock; Call takes it for the length of an entry point.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_MACHINE_H
#define FAKECUDA_MACHINE_H

#include "Calls.h"
#include "Environment.h"
#include "Faults.h"
#include "Memory.h"
#include "Thread.h"
#include "Timeline.h"
#include "fakecuda.h"
#include <mutex>

namespace fakecuda {

struct Device {
  unsigned ContextReferences = 0;
  bool HeldByRuntime = false;
  uint32_t CanAccess = 0;    // bit per peer
  uint32_t PeersEnabled = 0; // for plain allocations
};

class Machine {
public:
  /// Made at the first use, from the environment; never destroyed, since
  /// destructors of static objects may still call.
  static Machine &get();

  std::mutex Lock;
  Memory Mem;
  Timeline Time;
  Faults Problems;
  Calls Table;
  std::array<Device, MaxDevices> Devices;
  uint64_t DriverNs = 0, Errors = 0;
  bool Initialized = false;

  int devices() const { return Count; }
  bool isDevice(int D) const { return D >= 0 && D < Count; }
  bool verbose() const { return Env.Verbose; }
  void reset();
  void reset(int NewDevices);

  ThreadState &thread();
  Outcome retainContext(int D);
  Outcome releaseContext(int D);
  /// As the runtime does it: the primary context of the thread's device
  /// becomes current if none is.
  Outcome ensureContext();
  /// cudaSetDevice: its primary context becomes current.
  Outcome setRuntimeDevice(int D);
  /// Plain allocations of \p Peer become reachable from \p D.
  Outcome enablePeer(int D, int Peer);
  bool mayAccess(int D, int Memory) const {
    return D == Memory || (Devices[D].CanAccess >> Memory & 1);
  }

  /// The error that spoils a call which captures forbid, if one is under way.
  Outcome refuseInCapture();
  /// A kernel, or a copy of no length in time.
  Outcome launch(int D, Stream &S, uint64_t Ns, const FakeCudaRange *Ranges,
                 size_t N);
  Outcome allocate(int D, uint64_t Bytes, uint64_t &Address);
  /// Waits for the device first, as the real one does.
  Outcome free(uint64_t Address);
  Outcome freeAsync(uint64_t Address, Stream &S);
  Outcome unmap(uint64_t Address, uint64_t Size, uint64_t &Mappings);
  void memoryInfo(int D, size_t *Free, size_t *Total);
  /// Frees what cudaFreeAsync gave back and whose time has come.
  void collect();

private:
  Machine();
  Outcome touchable(int D, const FakeCudaRange &R);
  void touch(const FakeCudaRange &R, Epoch Work, const Stream &S);
  void noteRaces(const std::vector<Conflict> &Found, Epoch Work, bool Write,
                 uint64_t Address);
  void checkIdle(const char *What, uint64_t Address, const Mapping &M);
  bool reachable(int D, const Mapping &M, bool Write) const;

  struct Later {
    uint64_t Address, Time;
  };
  Environment Env;
  std::vector<Later> FreedLater;
  std::vector<Epoch> Reported; // races of the present launch
  uint64_t Generation = 0;
  int Count = 0;
};

/// Prints counters, memory and faults on stderr.
void report(Machine &M);

} // namespace fakecuda

#endif // FAKECUDA_MACHINE_H
