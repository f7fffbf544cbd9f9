//===- PendingFilter.cpp - instantiations of headers alone ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/PendingFilter.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// Whether an instantiation mentions what is not a header's own: something of
/// the file, or a type outside all namespaces, where calls in the instantiation
/// may find functions of the file.
class OwnSearch : public RecursiveASTVisitor<OwnSearch> {
public:
  bool Found = false;

  bool VisitTagType(TagType *T) { return look(*T->getAsTagDecl()); }
  bool TraverseTemplateName(TemplateName Name) {
    const TemplateDecl *T = Name.getAsTemplateDecl();
    return T ? look(*T) : found();
  }
  bool TraverseTemplateArgument(const TemplateArgument &A) {
    switch (A.getKind()) {
    case TemplateArgument::Null:
      return true;
    case TemplateArgument::Integral:
      return TraverseType(A.getIntegralType());
    case TemplateArgument::Declaration:
      return look(*A.getAsDecl());
    case TemplateArgument::NullPtr:
      return TraverseType(A.getNullPtrType());
    case TemplateArgument::Type:
    case TemplateArgument::Template:
    case TemplateArgument::Pack:
      return RecursiveASTVisitor::TraverseTemplateArgument(A);
    default:
      return found();
    }
  }
  bool TraverseTemplateArguments(ArrayRef<TemplateArgument> Args) {
    for (const TemplateArgument &A : Args)
      if (!TraverseTemplateArgument(A))
        return false;
    return true;
  }

  /// A declaration and all that it stands in.
  bool look(const Decl &D) {
    if (!Seen.insert(&D).second)
      return !Found;
    const DeclContext *C = D.getDeclContext()->getRedeclContext();
    if (C->isTranslationUnit() || !written(D).isFromASTFile())
      return found();
    const TemplateArgumentList *Args = nullptr;
    if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(&D))
      Args = &S->getTemplateArgs();
    else if (const auto *F = dyn_cast<FunctionDecl>(&D))
      Args = F->getTemplateSpecializationArgs();
    else if (const auto *V = dyn_cast<VarTemplateSpecializationDecl>(&D))
      Args = &V->getTemplateArgs();
    if (Args && !TraverseTemplateArguments(Args->asArray()))
      return false;
    return C->isNamespace() || look(*cast<Decl>(C));
  }

private:
  bool found() {
    Found = true;
    return false;
  }

  /// What stands in a source for it.
  static const Decl &written(const Decl &D) {
    const Decl *W = nullptr;
    if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(&D);
        S && !S->isExplicitSpecialization())
      W = S->getSpecializedTemplate();
    else if (const auto *R = dyn_cast<CXXRecordDecl>(&D))
      W = R->getTemplateInstantiationPattern();
    else if (const auto *F = dyn_cast<FunctionDecl>(&D))
      W = F->getTemplateInstantiationPattern();
    else if (const auto *V = dyn_cast<VarTemplateSpecializationDecl>(&D))
      W = V->getSpecializedTemplate();
    else if (const auto *E = dyn_cast<EnumDecl>(&D))
      W = E->getTemplateInstantiationPattern();
    return W ? *W : D;
  }

  DenseSet<const Decl *> Seen;
};

class PendingFilter : public ExternalSemaSource {
public:
  explicit PendingFilter(Sema &Actions) : Actions(Actions) {}

  void ReadPendingInstantiations(
      SmallVectorImpl<std::pair<ValueDecl *, SourceLocation>> &Pending)
      override {
    auto OfHeaders = [](const Sema::PendingImplicitInstantiation &P) {
      OwnSearch S;
      S.look(*P.first);
      return !S.Found;
    };
    llvm::erase_if(Pending, OfHeaders);
    llvm::erase_if(Actions.PendingInstantiations, OfHeaders);
  }

private:
  Sema &Actions;
};

} // namespace

IntrusiveRefCntPtr<ExternalSemaSource>
torchtidy::driver::makePendingFilter(Sema &Actions) {
  return makeIntrusiveRefCnt<PendingFilter>(Actions);
}

bool torchtidy::driver::mentionsOwn(ArrayRef<TemplateArgument> Args) {
  OwnSearch S;
  S.TraverseTemplateArguments(Args);
  return S.Found;
}
