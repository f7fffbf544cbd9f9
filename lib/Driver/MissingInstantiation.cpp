//===- MissingInstantiation.cpp - Templates that only headers would use ---===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/HoistGuard.h"
#include "Driver/PendingFilter.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// A namespace without the inline ones inside it.
const DeclContext *namespaceOf(const Decl &D) {
  const DeclContext *C = D.getDeclContext()->getEnclosingNamespaceContext();
  while (C->isInlineNamespace())
    C = C->getParent()->getEnclosingNamespaceContext();
  return C->getPrimaryContext();
}

/// The namespaces in which a header's unqualified call can find functions: a
/// type of the file must stand there, a closure included.
class TypePlaces : public RecursiveASTVisitor<TypePlaces> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitTagDecl(TagDecl *T) {
    Namespaces.insert(namespaceOf(*T));
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *L) {
    Namespaces.insert(namespaceOf(*L->getLambdaClass()));
    return true;
  }

  DenseSet<const DeclContext *> Namespaces;
};

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  Visitor(const SourceManager &SM, const HoistGuard &Guard,
          const TypePlaces &Types)
      : SM(SM), Guard(Guard), Types(Types) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) {
    const FunctionDecl *Pattern = T->getTemplatedDecl();
    if (written(Pattern) && Pattern->doesThisDeclarationHaveABody() &&
        headersCanName(*Pattern))
      return found(*Pattern);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *L) {
    if (!L->isGenericLambda() || !written(L->getLambdaClass()))
      return true;
    Reason = "it has a generic lambda, which a header may instantiate";
    return false;
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (!Pattern || !written(Pattern) || F->isDependentContext() ||
        F->isDefined() || !Pattern->isThisDeclarationADefinition() ||
        Pattern->isDefaulted() || Pattern->isDeleted())
      return true;
    return headersCanName(*Pattern) ? found(*Pattern) : true;
  }

  /// std::hash<Mine<T>> and the like exist where headers ask for them.
  bool VisitClassTemplatePartialSpecializationDecl(
      ClassTemplatePartialSpecializationDecl *P) {
    const ClassTemplateDecl *Primary = P->getSpecializedTemplate();
    if (written(P) && !written(Primary)) {
      Reason = "it specialises a header's template '" +
               Primary->getQualifiedNameAsString() + "' for its own templates";
      return false;
    }
    return true;
  }

  bool VisitClassTemplateDecl(ClassTemplateDecl *T) {
    // A header may be the first that needs to know what is in it.
    if (written(T) && T->getTemplatedDecl()->getDefinition())
      for (ClassTemplateSpecializationDecl *S : T->specializations())
        if (!S->getDefinition() && !S->isDependentContext())
          return incomplete(*T);
    if (!written(T) || !isa<CXXRecordDecl>(T->getDeclContext()) ||
        !Guard.mentions(T->getName(), SM))
      return true;
    Reason = "a header may use the member template '" +
             T->getQualifiedNameAsString() + "'";
    return false;
  }

  bool VisitCXXRecordDecl(CXXRecordDecl *R) {
    const CXXRecordDecl *Pattern = R->getInstantiatedFromMemberClass();
    if (Pattern && written(Pattern) && !R->isDependentContext() &&
        !R->getDefinition() && Pattern->getDefinition())
      return incomplete(*Pattern);
    return true;
  }

  /// Initialisers come with the constructor that needs them, which a header may
  /// be the first to call.
  bool VisitFieldDecl(FieldDecl *F) {
    if (!written(F) || !F->hasInClassInitializer() ||
        F->getInClassInitializer() || F->getDeclContext()->isDependentContext())
      return true;
    Reason = "a header may be the first to initialise '" +
             F->getQualifiedNameAsString() + "'";
    return false;
  }
  bool VisitVarDecl(VarDecl *V) {
    const VarDecl *Pattern = V->getTemplateInstantiationPattern();
    if (!Pattern || !written(Pattern) || V->hasInit() || !Pattern->hasInit() ||
        V->getDeclContext()->isDependentContext())
      return true;
    Reason = "a header may be the first to initialise '" +
             V->getQualifiedNameAsString() + "'";
    return false;
  }

  bool TraverseTemplateArgument(const TemplateArgument &A) {
    return named(A) && RecursiveASTVisitor::TraverseTemplateArgument(A);
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &A) {
    return named(A.getArgument()) &&
           RecursiveASTVisitor::TraverseTemplateArgumentLoc(A);
  }

  /// Makes a template of the file known where headers look for it.
  bool VisitUsingDecl(UsingDecl *D) {
    if (!written(D) || !inHeaders(*D))
      return true;
    for (const UsingShadowDecl *S : D->shadows())
      if (const auto *T = dyn_cast<FunctionTemplateDecl>(S->getTargetDecl());
          T && written(T))
        return found(*T->getTemplatedDecl());
    return true;
  }

  std::string Reason;

private:
  bool incomplete(const NamedDecl &D) {
    Reason = "a header may be the first to make '" +
             D.getQualifiedNameAsString() + "' complete";
    return false;
  }

  bool named(const TemplateArgument &A) {
    if (A.getKind() != TemplateArgument::Template)
      return true;
    const TemplateDecl *T = A.getAsTemplate().getAsTemplateDecl();
    if (!T || isa<TemplateTemplateParmDecl>(T) || !written(T))
      return true;
    Reason = "it hands on the template '" + T->getQualifiedNameAsString() +
             "', which a header may make";
    return false;
  }

  /// Whether a declaration stands in a namespace that headers have as well:
  /// then their types lead to it. Outside all namespaces are C's.
  bool inHeaders(const Decl &D) const {
    const DeclContext *C = namespaceOf(D);
    if (C->isTranslationUnit())
      return true;
    for (const Decl *N : cast<Decl>(C)->redecls())
      if (!written(N))
        return true;
    return false;
  }

  bool written(const Decl *D) const {
    return D && D->getLocation().isValid() &&
           !Guard.shares(D->getLocation(), SM) &&
           !SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()));
  }

  /// Operators, constructors and conversions need no name.
  bool headersCanName(const FunctionDecl &F) const {
    if (!isa<CXXRecordDecl>(F.getDeclContext()) && !F.getFriendObjectKind() &&
        !Types.Namespaces.contains(namespaceOf(F)) && !inHeaders(F))
      return false;
    const IdentifierInfo *Name = F.getIdentifier();
    return !Name || Guard.mentions(Name->getName(), SM);
  }

  bool found(const FunctionDecl &F) {
    Reason = "a header may instantiate '" + F.getQualifiedNameAsString() + "'";
    return false;
  }

  const SourceManager &SM;
  const HoistGuard &Guard;
  const TypePlaces &Types;
};

/// What only the instantiations of headers alone could reach.
class LeftOut : public RecursiveASTVisitor<LeftOut> {
public:
  LeftOut(const SourceManager &SM, const HoistGuard &Guard)
      : SM(SM), Guard(Guard) {}

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) {
    const FunctionDecl *F = T->getTemplatedDecl();
    // A header's types do not stand outside its namespaces; those that do are
    // PendingFilter's business.
    const DeclContext *C = namespaceOf(*F);
    if (T->isFromASTFile() || isa<CXXRecordDecl>(F->getDeclContext()) ||
        C->isTranslationUnit() || !cast<Decl>(C)->isFromASTFile() ||
        (F->getIdentifier() && !Guard.mentions(F->getName(), SM)))
      return true;
    return found(*F);
  }

  bool VisitUsingDecl(UsingDecl *D) {
    const DeclContext *C = namespaceOf(*D);
    if (C->isTranslationUnit() || !cast<Decl>(C)->isFromASTFile())
      return true;
    for (const UsingShadowDecl *S : D->shadows())
      if (const auto *T = dyn_cast<FunctionTemplateDecl>(S->getTargetDecl());
          T && !T->isFromASTFile())
        return found(*T->getTemplatedDecl());
    return true;
  }

  bool VisitClassTemplatePartialSpecializationDecl(
      ClassTemplatePartialSpecializationDecl *P) {
    return specialised(*P, *P->getSpecializedTemplate());
  }
  bool VisitVarTemplatePartialSpecializationDecl(
      VarTemplatePartialSpecializationDecl *P) {
    return specialised(*P, *P->getSpecializedTemplate());
  }

  /// Through one for types of headers their own code comes to what it mentions.
  bool
  VisitClassTemplateSpecializationDecl(ClassTemplateSpecializationDecl *S) {
    if (!S->isExplicitSpecialization() ||
        mentionsOwn(S->getTemplateArgs().asArray()))
      return true;
    return specialised(*S, *S->getSpecializedTemplate());
  }

  std::string Reason;

private:
  bool found(const FunctionDecl &F) {
    Reason = "a header's own code may instantiate '" +
             F.getQualifiedNameAsString() + "'";
    return false;
  }

  bool specialised(const Decl &Special, const NamedDecl &Primary) {
    if (Special.isFromASTFile() || !Primary.isFromASTFile())
      return true;
    Reason = "it specialises a header's template '" +
             Primary.getQualifiedNameAsString() +
             "', which the header's own code may use";
    return false;
  }

  const SourceManager &SM;
  const HoistGuard &Guard;
};

template <typename V> std::string reasonOf(V Visitor, ArrayRef<Decl *> Decls) {
  for (Decl *D : Decls)
    if (!Visitor.TraverseDecl(D))
      break;
  return Visitor.Reason;
}

} // namespace

std::string torchtidy::driver::missingInstantiation(ArrayRef<Decl *> Declared,
                                                    const SourceManager &SM,
                                                    const HoistGuard &Guard) {
  if (Guard.header().Level == HeaderLevel::Bodies)
    return reasonOf(LeftOut(SM, Guard), Declared);
  TypePlaces Types;
  for (Decl *D : Declared)
    Types.TraverseDecl(D);
  return reasonOf(Visitor(SM, Guard, Types), Declared);
}
