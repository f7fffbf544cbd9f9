//===- HostDriver.cpp - Host memory as a device ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostDriver.h"
#include "Tables.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

using namespace torchtidy::vmm;

namespace {

Status failed(const char *Call, Outcome What = Outcome::Failed) {
  return {errno == ENOMEM ? Outcome::OutOfMemory : What, errno, Call};
}

Status wrong(const char *Call) { return {Outcome::Failed, EINVAL, Call}; }

void *pointer(Address A) { return reinterpret_cast<void *>(A); }

/// Aligned to pages of ours, so that the system can use its large ones.
void *mapAligned(size_t Bytes, int Protection) {
  const size_t All = Bytes + PageBytes;
  void *P = mmap(nullptr, All, Protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    return P;
  const auto From = reinterpret_cast<Address>(P);
  const Address At = roundUp(From, PageBytes), End = From + All;
  if (At > From)
    munmap(P, At - From);
  if (End > At + Bytes)
    munmap(pointer(At + Bytes), End - At - Bytes);
  return pointer(At);
}

/// Moves memory onto addresses that are kept for it; those it leaves stay
/// reserved all the time, so that no other mapping gets in between.
bool move(Address From, Address To, size_t Bytes, bool KeepOld) {
  const int Flags =
      MREMAP_MAYMOVE | MREMAP_FIXED | (KeepOld ? MREMAP_DONTUNMAP : 0);
  if (mremap(pointer(From), Bytes, Bytes, Flags, pointer(To)) == MAP_FAILED)
    return false;
  return !KeepOld ||
         mmap(pointer(From), Bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

} // namespace

HostDriver::HostDriver(size_t Bytes) : Total(Bytes) {
  if (!Total)
    Total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
            static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

HostDriver::~HostDriver() {
  for (auto &[Id, M] : Handles)
    if (M.Parked)
      munmap(pointer(M.Parked), M.Bytes);
}

size_t HostDriver::granularity() { return PageBytes; }

Status HostDriver::memoryInfo(MemoryInfo &To) {
  std::lock_guard<std::mutex> G(Access);
  To = {Total - Used, Total};
  return {};
}

Status HostDriver::reserve(Address &At, size_t Bytes) {
  void *P = mapAligned(Bytes, PROT_NONE);
  if (P == MAP_FAILED)
    return failed("mmap");
  At = reinterpret_cast<Address>(P);
  return {};
}

Status HostDriver::unreserve(Address At, size_t Bytes) {
  return munmap(pointer(At), Bytes) ? failed("munmap") : Status();
}

Status HostDriver::create(MemoryId &Id, size_t Bytes) {
  std::lock_guard<std::mutex> G(Access);
  if (!Bytes || Bytes % PageBytes)
    return wrong("create");
  if (Bytes > Total - Used)
    return {Outcome::OutOfMemory, ENOMEM, "create"};
  void *P = mapAligned(Bytes, PROT_READ | PROT_WRITE);
  if (P == MAP_FAILED)
    return failed("mmap");
  madvise(P, Bytes, MADV_HUGEPAGE);
  Id = ++LastId;
  Handles[Id] = {Bytes, reinterpret_cast<Address>(P), 0};
  Used += Bytes;
  return {};
}

Status HostDriver::release(MemoryId Id) {
  std::lock_guard<std::mutex> G(Access);
  auto It = Handles.find(Id);
  if (It == Handles.end() || It->second.Mapped)
    return wrong("release");
  if (munmap(pointer(It->second.Parked), It->second.Bytes))
    return failed("munmap");
  Used -= It->second.Bytes;
  Handles.erase(It);
  return {};
}

Status HostDriver::map(Address At, size_t Bytes, MemoryId Id) {
  std::lock_guard<std::mutex> G(Access);
  auto It = Handles.find(Id);
  if (It == Handles.end() || It->second.Mapped || It->second.Bytes != Bytes)
    return wrong("map");
  if (!move(It->second.Parked, At, Bytes, false))
    return failed("mremap");
  It->second.Parked = 0;
  It->second.Mapped = At;
  MappedAt[At] = Id;
  return {};
}

Status HostDriver::unmap(Address At, size_t Bytes) {
  std::lock_guard<std::mutex> G(Access);
  for (Address A = At; A < At + Bytes;) {
    auto It = MappedAt.find(A);
    if (It == MappedAt.end())
      return wrong("unmap");
    A += Handles[It->second].Bytes;
    if (A > At + Bytes)
      return wrong("unmap");
  }
  for (Address A = At; A < At + Bytes;) {
    Memory &M = Handles[MappedAt[A]];
    void *P = mapAligned(M.Bytes, PROT_NONE);
    if (P == MAP_FAILED)
      return failed("mmap");
    if (!move(A, reinterpret_cast<Address>(P), M.Bytes, true)) {
      const Status S = failed("mremap");
      munmap(P, M.Bytes);
      return S;
    }
    MappedAt.erase(A);
    M.Parked = reinterpret_cast<Address>(P);
    M.Mapped = 0;
    A += M.Bytes;
  }
  return {};
}

Status HostDriver::setAccess(Address At, size_t Bytes, const int *, size_t) {
  std::lock_guard<std::mutex> G(Access);
  for (Address A = At; A < At + Bytes;) {
    auto It = MappedAt.find(A);
    if (It == MappedAt.end())
      return wrong("setAccess");
    A += Handles[It->second].Bytes;
  }
  return {};
}

Status HostDriver::record(Event &To, Stream) {
  To = this;
  return {};
}

Status HostDriver::query(Event) { return {}; }
Status HostDriver::wait(Event) { return {}; }
Status HostDriver::destroy(Event) { return {}; }

std::string HostDriver::describe(const Status &S) {
  return std::string(S.Call) + ": " + std::strerror(S.Code);
}
