//===- TypeTables.cpp - room in clang's tables of types -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/TypeTables.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace torchtidy::driver;

/// A folding set doubles when it has two nodes per bucket.
static size_t room(size_t Count) { return llvm::PowerOf2Ceil(Count) - Count; }

size_t torchtidy::driver::roomInTypeTable(const ASTContext &Context,
                                          Type::TypeClass Kind) {
  return room(llvm::count_if(Context.getTypes(), [&](const Type *T) {
    return T->getTypeClass() == Kind;
  }));
}

/// The Nth type of a kind that no program has: of a class, volatile.
using MakeType = QualType (*)(const ASTContext &, QualType, unsigned N);

void torchtidy::driver::growTypeTables(ASTContext &Context) {
  static constexpr std::pair<Type::TypeClass, MakeType> Kinds[] = {
      {Type::Pointer, [](const ASTContext &C, QualType T,
                         unsigned) { return C.getPointerType(T); }},
      {Type::LValueReference,
       [](const ASTContext &C, QualType T, unsigned) {
         return C.getLValueReferenceType(T);
       }},
      {Type::RValueReference,
       [](const ASTContext &C, QualType T, unsigned) {
         return C.getRValueReferenceType(T);
       }},
      {Type::FunctionProto,
       [](const ASTContext &C, QualType T, unsigned) {
         return C.getFunctionType(T, {}, {});
       }},
      {Type::TemplateTypeParm,
       [](const ASTContext &C, QualType, unsigned N) {
         constexpr unsigned Depth = 1000; // deeper than any template
         return C.getTemplateTypeParmType(Depth, N, /*ParameterPack=*/false);
       }},
#if LLVM_VERSION_MAJOR < 22
      {Type::Elaborated,
       [](const ASTContext &C, QualType T, unsigned) {
         return C.getElaboratedType(ElaboratedTypeKeyword::Class, nullptr, T);
       }},
#endif
  };
  size_t Count[Type::TypeLast + 1] = {};
  std::vector<QualType> Classes;
  for (const Type *T : Context.getTypes()) {
    ++Count[T->getTypeClass()];
    if (T->getTypeClass() == Type::Record)
      Classes.push_back(Context.getVolatileType(T->getCanonicalTypeInternal()));
  }
  for (const auto &[Kind, Make] : Kinds) {
    const size_t Room = room(Count[Kind]);
    // With small tables nothing is at stake.
    if (Room < RoomForFile && Count[Kind] > RoomForFile)
      for (size_t I = 0; I <= Room && I < Classes.size(); ++I)
        Make(Context, Classes[I], I);
  }
}
