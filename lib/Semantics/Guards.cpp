//===- Guards.cpp - What guards are ---------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Names.h"
#include "Semantics/StringSwitch.h"
#include "Semantics/Types.h"

using namespace clang;
using namespace torchtidy::semantics;

static const CXXRecordDecl *record(QualType T) {
  return T.isNull() ? nullptr : T->getAsCXXRecordDecl();
}

GuardKind Types::recordGuard(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R || !R->getIdentifier() || Depth > 4)
    return GuardKind::None;
  if (nameInList(R, GuardTypes))
    return GuardKind::NoGrad;
  StringRef Top = topNamespace(R);
  if (isLibTorchNamespace(Top)) {
    auto K = StringSwitch<GuardKind>(R->getName())
                 .Cases({"NoGradGuard", "AutoNonVariableTypeMode",
                         "AutoDispatchBelowAutograd",
                         "AutoDispatchBelowADInplaceOrView"},
                        GuardKind::NoGrad)
                 .Case("AutoGradMode", GuardKind::AutoGrad)
                 .Case("InferenceMode", GuardKind::Inference)
                 .Case("ThreadLocalStateGuard", GuardKind::State)
                 .Default(GuardKind::None);
    if (K != GuardKind::None || isLibrary(R))
      return K;
  }
  if (isLibrary(R) || !R->hasDefinition())
    return GuardKind::None;
  auto It = Guards.find(R->getCanonicalDecl());
  if (It != Guards.end())
    return It->second;
  GuardKind K = GuardKind::None;
  R = R->getDefinition();
  for (const CXXBaseSpecifier &B : R->bases())
    if (K == GuardKind::None)
      K = recordGuard(record(B.getType()), Depth + 1);
  for (const FieldDecl *F : R->fields())
    if (K == GuardKind::None && !F->getType()->isPointerType() &&
        !F->getType()->isReferenceType())
      K = recordGuard(pointee(F->getType()), Depth + 1);
  Guards[R->getCanonicalDecl()] = K;
  return K;
}

GuardKind Types::guardKind(QualType T) const {
  if (T.isNull() || T->isReferenceType() || T->isPointerType())
    return GuardKind::None;
  return recordGuard(pointee(T), 0);
}

/// Objects of the class can only be made and destroyed.
static bool onlyLives(const CXXRecordDecl *R) {
  return llvm::none_of(R->methods(), [](const CXXMethodDecl *M) {
    return !isa<CXXConstructorDecl, CXXDestructorDecl>(M) && !M->isImplicit() &&
           !M->isCopyAssignmentOperator() && !M->isMoveAssignmentOperator();
  });
}

bool Types::recordScopeGuard(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R || !R->getIdentifier() || !R->hasDefinition() || Depth > 4)
    return false;
  R = R->getDefinition();
  if (nameInList(R, GuardTypes))
    return true;
  if (isLibTorchNamespace(topNamespace(R)))
    return !R->hasTrivialDestructor() &&
           (R->getName().ends_with("Guard") ||
            R->getName().starts_with("AutoDispatch") ||
            isOneOf(R->getName(),
                    {"AutoGradMode", "AutoFwGradMode", "InferenceMode",
                     "AutoNonVariableTypeMode", "NoTracerDispatchMode"}));
  if (isLibrary(R) || !onlyLives(R))
    return false;
  // Of the project: a guard inside and nothing else to do, or one by hand.
  for (const CXXBaseSpecifier &B : R->bases())
    if (recordScopeGuard(record(B.getType()), Depth + 1))
      return true;
  bool Holds = false;
  for (const FieldDecl *F : R->fields()) {
    if (F->getType()->isScalarType() || F->getType()->isReferenceType())
      continue;
    if (!recordScopeGuard(pointee(F->getType()), Depth + 1))
      return false;
    Holds = true;
  }
  return Holds || restoresGradMode(R);
}

bool Types::isScopeGuard(QualType T) const {
  return !T.isNull() && !T->isReferenceType() && !T->isPointerType() &&
         recordScopeGuard(pointee(T), 0);
}

bool Types::alwaysGuards(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R || !R->hasDefinition() || Depth > 4)
    return false;
  if (isLibrary(R) || isLibTorchNamespace(topNamespace(R)) ||
      nameInList(R, GuardTypes))
    return recordGuard(R, 0) != GuardKind::None;
  R = R->getDefinition();
  return llvm::any_of(R->bases(),
                      [&](const CXXBaseSpecifier &B) {
                        return alwaysGuards(record(B.getType()), Depth + 1);
                      }) ||
         llvm::any_of(R->fields(), [&](const FieldDecl *F) {
           return alwaysGuards(record(F->getType()), Depth + 1);
         });
}

bool Types::restoresGradMode(const CXXRecordDecl *R) const {
  if (!R || !R->hasDefinition() || isLibrary(R))
    return false;
  const CXXDestructorDecl *D = R->getDefinition()->getDestructor();
  const FunctionDecl *Body = nullptr;
  return D && D->hasBody(Body) &&
         mentions(Body->getBody(), {"set_enabled", "set_grad_mode"});
}
