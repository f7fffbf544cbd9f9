//===- Operators.cpp - What an operator does to history -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Operators.h"
#include "Semantics/StringSwitch.h"

#include "llvm/ADT/STLExtras.h"

namespace torchtidy::semantics {

static constexpr Operator Table[] = {
#define TORCHTIDY_OP(NAME, OUTPUTS, DIFFERENTIABLE, VARIES, VIEW, MUTATED,     \
                     SAVES, REDUCTION, REDUCTION_ARGUMENT, SAVED_IF)           \
  {NAME,  OUTPUTS,   DIFFERENTIABLE,     VARIES,  VIEW, MUTATED,               \
   SAVES, REDUCTION, REDUCTION_ARGUMENT, SAVED_IF},
#include "Semantics/OperatorTable.inc"
#undef TORCHTIDY_OP
};

llvm::ArrayRef<Operator> allOperators() { return Table; }

const Operator *lookupOperator(llvm::StringRef Name) {
  const Operator *It =
      llvm::lower_bound(Table, Name, [](const Operator &O, llvm::StringRef N) {
        return O.Name < N;
      });
  return It != std::end(Table) && It->Name == Name ? It : nullptr;
}

llvm::StringRef operatorOfSpelling(llvm::StringRef Spelling, bool Unary) {
  using Switch = StringSwitch<llvm::StringRef>;
  if (Unary)
    return Switch(Spelling)
        .Case("-", "neg")
        .Case("~", "bitwise_not")
        .Default("");
  return Switch(Spelling)
      .Case("+", "add")
      .Case("-", "sub")
      .Case("*", "mul")
      .Case("/", "div")
      .Case("%", "remainder")
      .Case("&", "bitwise_and")
      .Case("|", "bitwise_or")
      .Case("^", "bitwise_xor")
      .Case("<<", "bitwise_left_shift")
      .Case(">>", "bitwise_right_shift")
      .Case("<", "lt")
      .Case("<=", "le")
      .Case(">", "gt")
      .Case(">=", "ge")
      .Case("==", "eq")
      .Case("!=", "ne")
      .Cases({"&&", "and"}, "logical_and")
      .Cases({"||", "or"}, "logical_or")
      .Case("+=", "add_")
      .Case("-=", "sub_")
      .Case("*=", "mul_")
      .Case("/=", "div_")
      .Case("&=", "bitwise_and_")
      .Case("|=", "bitwise_or_")
      .Case("^=", "bitwise_xor_")
      .Case("[]", "index")
      .Default("");
}

} // namespace torchtidy::semantics
