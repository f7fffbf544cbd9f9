//===- SemanticsOperatorsTest.cpp - Well-known facts of the table ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Operators.h"

#include "gtest/gtest.h"

using namespace torchtidy::semantics;

namespace {

const Operator &op(llvm::StringRef Name) {
  const Operator *O = lookupOperator(Name);
  EXPECT_NE(O, nullptr) << Name.str();
  static constexpr Operator Missing{
      "?", 0, 0, 0, View::No, 0, Saves::None, Reduction::None, -1};
  return O ? *O : Missing;
}

TEST(SemanticsOperators, SortedAndUnique) {
  llvm::ArrayRef<Operator> All = allOperators();
  EXPECT_GT(All.size(), 1000u);
  for (size_t I = 1; I < All.size(); ++I)
    EXPECT_LT(All[I - 1].Name.str(), All[I].Name.str());
}

TEST(SemanticsOperators, LookupFindsEveryRowAndNothingElse) {
  for (const Operator &O : allOperators())
    EXPECT_EQ(lookupOperator(O.Name), &O);
  for (const char *Name : {"", "aaa", "forward", "maxx", "zzz", "_softmax"})
    EXPECT_EQ(lookupOperator(Name), nullptr) << Name;
}

TEST(SemanticsOperators, HistoryPerOutput) {
  for (const char *Name :
       {"max", "min", "topk", "sort", "kthvalue", "median", "mode", "cummax",
        "max_pool2d_with_indices", "adaptive_max_pool1d", "unique_dim"}) {
    EXPECT_GE(op(Name).Outputs, 2) << Name;
    EXPECT_TRUE(op(Name).mayHaveHistory(0)) << Name;
    EXPECT_FALSE(op(Name).mayHaveHistory(1)) << Name;
  }
  EXPECT_EQ(op("lstm").Differentiable, 0b111);
  EXPECT_EQ(op("std_mean").Differentiable, 0b11);
}

TEST(SemanticsOperators, Differentiable) {
  for (const char *Name : {"add",        "mul",           "matmul",
                           "relu",       "softmax",       "log_softmax",
                           "conv2d",     "linear",        "clone",
                           "to",         "cat",           "stack",
                           "index",      "where",         "exp",
                           "sum",        "mse_loss",      "cross_entropy_loss",
                           "max_pool1d", "layer_norm",    "einsum",
                           "norm",       "sqrt",          "clamp",
                           "embedding",  "masked_select", "gather"})
    EXPECT_TRUE(op(Name).surelyHasHistory()) << Name;
}

TEST(SemanticsOperators, NotDifferentiable) {
  for (const char *Name :
       {"argmax",       "argmin",       "argsort",       "eq",
        "ne",           "gt",           "greater",       "isnan",
        "isfinite",     "isclose",      "one_hot",       "bincount",
        "nonzero",      "multinomial",  "randn",         "zeros_like",
        "randint_like", "detach",       "item",          "equal",
        "all",          "any",          "count_nonzero", "logical_and",
        "bitwise_and",  "searchsorted", "histc",         "add_out",
        "matmul_out"})
    EXPECT_FALSE(op(Name).mayHaveHistory()) << Name;
}

TEST(SemanticsOperators, Views) {
  for (const char *Name : {"select", "slice", "narrow", "view", "transpose",
                           "unbind", "chunk", "split", "squeeze", "detach"})
    EXPECT_EQ(op(Name).Aliases, View::Yes) << Name;
  for (const char *Name : {"to", "reshape", "contiguous", "flatten", "dropout"})
    EXPECT_EQ(op(Name).Aliases, View::May) << Name;
  for (const char *Name : {"clone", "add", "add_", "cat", "index"})
    EXPECT_EQ(op(Name).Aliases, View::No) << Name;
}

TEST(SemanticsOperators, Mutation) {
  for (const char *Name : {"add_", "copy_", "index_put_", "zero_", "detach_"}) {
    EXPECT_TRUE(op(Name).mutates(0)) << Name;
    EXPECT_FALSE(op(Name).mutates(1)) << Name;
  }
  EXPECT_EQ(op("add").Mutated, 0);
  EXPECT_EQ(op("max_out").Mutated, 0b11); // both results, before the input
  EXPECT_TRUE(op("copy_").mayHaveHistory());
  EXPECT_FALSE(op("detach_").mayHaveHistory());
}

TEST(SemanticsOperators, SavedForBackward) {
  EXPECT_EQ(op("add").Saved, Saves::None);
  EXPECT_EQ(op("sum").Saved, Saves::None); // sizes alone
  EXPECT_EQ(op("relu").Saved, Saves::Result);
  EXPECT_EQ(op("exp").Saved, Saves::Result);
  EXPECT_EQ(op("mul").Saved, Saves::Inputs);
  EXPECT_EQ(op("mse_loss").Saved, Saves::Inputs);
  EXPECT_EQ(op("conv2d").Saved, Saves::Parts);
  EXPECT_EQ(op("argmax").Saved, Saves::None);
}

TEST(SemanticsOperators, WhatIsSavedForWhom) {
  for (const char *Name : {"mul", "matmul", "mm", "linear", "conv2d",
                           "mse_loss", "pow", "maximum"}) {
    EXPECT_TRUE(op(Name).savesFor(0, 1)) << Name;
    EXPECT_TRUE(op(Name).savesFor(1, 0)) << Name;
  }
  for (const char *Name : {"add", "sub", "cat", "l1_loss", "copy_", "max_out"})
    EXPECT_EQ(op(Name).SavedIf, 0u) << Name;
  // Targets and indices never require grad themselves.
  EXPECT_TRUE(op("nll_loss").savesFor(1, 0));
  EXPECT_TRUE(op("gather").savesFor(2, 0));
  EXPECT_FALSE(op("gather").savesFor(0, 2));
  EXPECT_TRUE(op("addmm").savesFor(1, 2));
  EXPECT_FALSE(op("addmm").savesFor(0, 1)); // it is only added
  EXPECT_FALSE(op("addmm").savesFor(1, 0)); // nor is it needed for that
  EXPECT_TRUE(op("where").savesFor(0, 1));
  EXPECT_FALSE(op("where").savesFor(1, 2));
  EXPECT_FALSE(op("mul_").savesFor(0, 1)); // it is written
  EXPECT_TRUE(op("mul_").savesFor(1, 0));
  EXPECT_FALSE(op("mul").savesFor(4, 0));
  EXPECT_FALSE(op("mul").savesFor(0, 9));
}

TEST(SemanticsOperators, Reductions) {
  EXPECT_EQ(op("mean").Reduces, Reduction::Mean);
  EXPECT_EQ(op("sum").Reduces, Reduction::Sum);
  EXPECT_EQ(op("relu").Reduces, Reduction::None);
  for (const char *Name :
       {"mse_loss", "l1_loss", "cross_entropy_loss", "nll_loss",
        "binary_cross_entropy", "binary_cross_entropy_with_logits",
        "smooth_l1_loss", "huber_loss", "kl_div", "ctc_loss"}) {
    EXPECT_EQ(op(Name).Reduces, Reduction::MeanDefault) << Name;
    EXPECT_GE(op(Name).ReductionArgument, 2) << Name;
  }
  EXPECT_EQ(op("mse_loss").ReductionArgument, 2);
  EXPECT_EQ(op("cross_entropy_loss").ReductionArgument, 3);
  EXPECT_EQ(op("poisson_nll_loss").Reduces, Reduction::Argument);
}

TEST(SemanticsOperators, CxxOperators) {
  EXPECT_EQ(operatorOfSpelling("+", false), "add");
  EXPECT_EQ(operatorOfSpelling("+", true), "");
  EXPECT_EQ(operatorOfSpelling("-", true), "neg");
  EXPECT_EQ(operatorOfSpelling("+=", false), "add_");
  EXPECT_EQ(operatorOfSpelling("=", false), "");
  for (const char *Spelling :
       {"+", "-", "*", "/", "%", "<", "==", "+=", "/=", "&", "|=", "[]", "&&"})
    EXPECT_NE(lookupOperator(operatorOfSpelling(Spelling, false)), nullptr)
        << Spelling;
}

} // namespace
