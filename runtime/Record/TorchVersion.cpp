//===- TorchVersion.cpp - Which LibTorch is it? ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchVersion.h"
#include "ElfSymbols.h"
#include <cstdlib>
#include <cstring>

using namespace torchtidy::record;

namespace {

// std::map<std::string, std::string> as libstdc++ has laid it out since GCC 5;
// using the real one would make the recorder depend on libstdc++.
struct Text {
  const char *Data;
  size_t Size;
  char Small[16];
};
struct TreeNode {
  int Color;
  TreeNode *Parent, *Left, *Right;
  Text Key, Value;
};
struct Tree {
  void *Compare;
  int Color;
  TreeNode *Root, *Leftmost, *Rightmost;
  size_t Count;
};

int compare(const Text &A, const char *B) {
  size_t Length = std::strlen(B);
  int R = std::memcmp(A.Data, B, A.Size < Length ? A.Size : Length);
  return R ? R : (A.Size > Length) - (A.Size < Length);
}

} // namespace

void torchtidy::record::readTorchVersion(char *To, size_t Size) {
  To[0] = 0;
  auto *Options = reinterpret_cast<const Tree *(*)()>(
      findElfSymbol("_ZN6caffe215GetBuildOptionsB5cxx11Ev", false));
  if (!Options)
    return;
  const TreeNode *N = Options()->Root;
  while (N) {
    int Order = compare(N->Key, "TORCH_VERSION");
    if (Order == 0) {
      size_t Length = N->Value.Size < Size ? N->Value.Size : Size - 1;
      std::memcpy(To, N->Value.Data, Length);
      To[Length] = 0;
      return;
    }
    N = Order < 0 ? N->Right : N->Left;
  }
}

bool torchtidy::record::torchSupported(const char *Version) {
  if (!*Version)
    return true;
  char *End;
  unsigned long Major = std::strtoul(Version, &End, 10);
  unsigned long Minor = *End == '.' ? std::strtoul(End + 1, nullptr, 10) : 0;
  return (Major == 1 && Minor >= 13) || (Major == 2 && Minor <= 15);
}
