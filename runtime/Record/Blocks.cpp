//===- Blocks.cpp - From a tensor to its block ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"
#include "Pages.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace torchtidy::record;

std::atomic<int> torchtidy::record::StorageOffset;

namespace {

/// Offset of the storage in TensorImpl, and of the data pointer in StorageImpl:
/// 24 until the two reference counts became one word, 16 from then on.
constexpr int Offsets[] = {16, 24};

/// Until the offset is known: some blocks of late, by hash.
constexpr unsigned RecentCount = 4096;
std::atomic<void *> Recent[RecentCount];

std::atomic<void *> &recent(const void *Block) {
  return Recent[mixBits(reinterpret_cast<uintptr_t>(Block)) % RecentCount];
}

/// Reads a word that may not be there.
bool peek(const char *From, char *&To) {
  iovec Local = {&To, sizeof(To)};
  iovec Remote = {const_cast<char *>(From), sizeof(To)};
  constexpr auto Size = static_cast<ssize_t>(sizeof(To));
  if (process_vm_readv(getpid(), &Local, 1, &Remote, 1, 0) == Size)
    return true;
  if (errno != EPERM && errno != ENOSYS)
    return false;
  // Containers may forbid the call.
  int Fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return false;
  ssize_t N = pread(Fd, &To, sizeof(To), reinterpret_cast<off_t>(From));
  close(Fd);
  return N == Size;
}

} // namespace

void torchtidy::record::rememberBlock(void *Block) {
  recent(Block).store(Block, std::memory_order_relaxed);
}

void *torchtidy::record::blockOf(const void *Tensor) {
  const char *Impl = *static_cast<const char *const *>(Tensor);
  if (!Impl)
    return nullptr;
  if (int O = StorageOffset.load(std::memory_order_relaxed)) {
    const char *Storage = *reinterpret_cast<const char *const *>(Impl + O);
    return Storage ? *reinterpret_cast<void *const *>(Storage + O) : nullptr;
  }
  for (int O : Offsets) {
    char *Storage, *Data;
    if (peek(Impl + O, Storage) && Storage && peek(Storage + O, Data) && Data &&
        recent(Data).load(std::memory_order_relaxed) == Data) {
      StorageOffset.store(O, std::memory_order_relaxed);
      return Data;
    }
  }
  return nullptr;
}
