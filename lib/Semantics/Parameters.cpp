//===- Parameters.cpp - Which classes own parameters ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Names.h"
#include "Semantics/Types.h"

using namespace clang;
using namespace torchtidy::semantics;

static bool registers(const CXXRecordDecl *R) {
  return llvm::any_of(R->ctors(), [](const CXXConstructorDecl *C) {
    const FunctionDecl *Body = nullptr;
    return C->hasBody(Body) &&
           mentions(Body->getBody(), {"register_module", "register_parameter"});
  });
}

bool Types::ownsParameters(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R || !R->hasDefinition() || Depth > 8)
    return true;
  R = R->getDefinition();
  if (isLibrary(R)) {
    const StringRef Name = R->getName();
    return Name != "Module" && Name != "Cloneable" &&
           recordModule(R) != ModuleKind::Parameterless;
  }
  if (registers(R))
    return true;
  for (const CXXBaseSpecifier &B : R->bases())
    if (ownsParameters(B.getType()->getAsCXXRecordDecl(), Depth + 1))
      return true;
  return llvm::any_of(R->fields(), [&](const FieldDecl *F) {
    const QualType T = F->getType();
    if (T->isScalarType() && !T->isAnyPointerType())
      return false;
    const CXXRecordDecl *Of = pointee(T);
    const ModuleKind K = moduleKind(T);
    if (K == ModuleKind::User)
      return ownsParameters(Of, Depth + 1);
    return K == ModuleKind::Parametric || !Of || carriesTensor(T) ||
           !(Of->isInStdNamespace() || isLibrary(Of));
  });
}

bool Types::isParameterless(QualType T) const {
  if (moduleKind(T) != ModuleKind::User)
    return false;
  const CXXRecordDecl *R = pointee(T)->getCanonicalDecl();
  auto [It, New] = Parameterless.try_emplace(R, false);
  if (!New)
    return It->second;
  const bool Result = !ownsParameters(R, 0);
  return Parameterless[R] = Result;
}

bool Types::isParameter(const FieldDecl *F) const {
  const auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
  return R && R->getIdentifier() && isLibrary(F) && isTensor(F->getType()) &&
         derivesFrom(R, "nn", "Module") &&
         recordModule(R) == ModuleKind::Parametric &&
         !F->getName().starts_with("running_") &&
         !F->getName().starts_with("num_batches");
}
