//===- DriverTypeTablesTest.cpp - room in clang's tables of types ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/TypeTables.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "gtest/gtest.h"

using namespace clang;
using namespace torchtidy::driver;

/// Many classes, and references to some of them.
static std::unique_ptr<ASTUnit> parse(unsigned Classes, unsigned References) {
  std::string Code;
  for (unsigned I = 0; I < Classes; ++I) {
    const std::string Name = "C" + std::to_string(I);
    Code += "struct " + Name + ";\n";
    if (I < References)
      Code += "extern " + Name + " &R" + std::to_string(I) + ";\n";
  }
  return tooling::buildASTFromCode(Code);
}

TEST(TypeTables, AlmostFullOnesGrow) {
  auto Unit = parse(17000, 16300);
  ASTContext &Context = Unit->getASTContext();
  ASSERT_LT(roomInTypeTable(Context, Type::LValueReference), RoomForFile);
  growTypeTables(Context);
  EXPECT_GE(roomInTypeTable(Context, Type::LValueReference), RoomForFile);
}

TEST(TypeTables, OthersStay) {
  auto Unit = parse(20, 10);
  const size_t Types = Unit->getASTContext().getTypes().size();
  growTypeTables(Unit->getASTContext());
  EXPECT_EQ(Unit->getASTContext().getTypes().size(), Types);
}
