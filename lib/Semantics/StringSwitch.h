//===- StringSwitch.h - One of many words -----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// llvm::StringSwitch, which spells its cases differently before and after
/// LLVM 22.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_STRINGSWITCH_H
#define TORCHTIDY_SEMANTICS_STRINGSWITCH_H

#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <optional>
#include <utility>

namespace torchtidy::semantics {

template <typename T> class StringSwitch {
public:
  explicit StringSwitch(llvm::StringRef Text) : Text(Text) {}

  StringSwitch &Case(llvm::StringRef Word, T Value) {
    if (!Result && Text == Word)
      Result = std::move(Value);
    return *this;
  }
  StringSwitch &Cases(std::initializer_list<llvm::StringRef> Words, T Value) {
    for (llvm::StringRef Word : Words)
      Case(Word, Value);
    return *this;
  }
  T Default(T Value) { return Result ? std::move(*Result) : std::move(Value); }

private:
  const llvm::StringRef Text;
  std::optional<T> Result;
};

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_STRINGSWITCH_H
