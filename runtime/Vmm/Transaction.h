//===- Transaction.h - Mapping several handles side by side, or none -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_TRANSACTION_H
#define TORCHTIDY_RUNTIME_VMM_TRANSACTION_H

#include "Arena.h"

namespace torchtidy::vmm {

/// Whatever driver call fails, memory, addresses and blocks are as before, but
/// for handles that could not be given back: those are pooled, and mappings
/// that could not be undone wait for dropDead().
struct Transaction {
  Transaction(Arena &A, Address At) : A(A), On(A.On), At(At) {}

  /// Free handles, then new ones of so many bytes, become free memory at At.
  Status add(const std::vector<Handle *> &Old, size_t NewBytes);

  bool Small = false; ///< as a page of small blocks

private:
  Status clearOld(const std::vector<Handle *> &Old);
  Status mapAll(const std::vector<Handle *> &All, size_t &Mapped);
  void undo(const std::vector<Handle *> &All, size_t Mapped);
  void attach(Handle *H, Address Where, bool Accessible);

  Arena &A;
  Device &On;
  const Address At;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_TRANSACTION_H
