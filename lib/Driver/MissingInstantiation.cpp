//===- MissingInstantiation.cpp - Templates that only headers would use ---===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/HoistGuard.h"
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
      : SM(SM), Guard(Guard), Header(Guard.header()), Types(Types) {}

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
    if (!written(T) || !isa<CXXRecordDecl>(T->getDeclContext()) ||
        !Header.mentions(T->getName()))
      return true;
    Reason = "a header may use the member template '" +
             T->getQualifiedNameAsString() + "'";
    return false;
  }

  std::string Reason;

private:
  bool written(const Decl *D) const {
    return D && D->getLocation().isValid() &&
           !Guard.shares(D->getLocation(), SM) &&
           !SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation()));
  }

  /// Operators, constructors and conversions need no name.
  bool headersCanName(const FunctionDecl &F) const {
    if (!isa<CXXRecordDecl>(F.getDeclContext()) && !F.getFriendObjectKind() &&
        !Types.Namespaces.contains(namespaceOf(F)))
      return false;
    const IdentifierInfo *Name = F.getIdentifier();
    return !Name || Header.mentions(Name->getName());
  }

  bool found(const FunctionDecl &F) {
    Reason = "a header may instantiate '" + F.getQualifiedNameAsString() + "'";
    return false;
  }

  const SourceManager &SM;
  const HoistGuard &Guard;
  const SharedHeader &Header;
  const TypePlaces &Types;
};

/// What only the instantiations of headers alone could reach.
class LeftOut : public RecursiveASTVisitor<LeftOut> {
public:
  explicit LeftOut(const SharedHeader &Header) : Header(Header) {}

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) {
    const FunctionDecl *F = T->getTemplatedDecl();
    // A header's types do not stand outside its namespaces; those that do are
    // PendingFilter's business.
    const DeclContext *C = namespaceOf(*F);
    if (T->isFromASTFile() || isa<CXXRecordDecl>(F->getDeclContext()) ||
        C->isTranslationUnit() || !cast<Decl>(C)->isFromASTFile() ||
        (F->getIdentifier() && !Header.mentions(F->getName())))
      return true;
    Reason = "a header's own code may instantiate '" +
             F->getQualifiedNameAsString() + "'";
    return false;
  }

  bool VisitClassTemplatePartialSpecializationDecl(
      ClassTemplatePartialSpecializationDecl *P) {
    return specialised(*P, *P->getSpecializedTemplate());
  }
  bool VisitVarTemplatePartialSpecializationDecl(
      VarTemplatePartialSpecializationDecl *P) {
    return specialised(*P, *P->getSpecializedTemplate());
  }

  /// Members that are templates are only made where headers use them.
  bool
  VisitClassTemplateSpecializationDecl(ClassTemplateSpecializationDecl *S) {
    if (!S->isExplicitSpecialization())
      return true;
    for (const Decl *D : S->decls())
      if (isa<TemplateDecl>(D))
        return specialised(*S, *S->getSpecializedTemplate());
    return true;
  }

  std::string Reason;

private:
  bool specialised(const Decl &Partial, const NamedDecl &Primary) {
    if (Partial.isFromASTFile() || !Primary.isFromASTFile())
      return true;
    Reason = "it specialises a header's template '" +
             Primary.getQualifiedNameAsString() + "' for its own templates";
    return false;
  }

  const SharedHeader &Header;
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
    return reasonOf(LeftOut(Guard.header()), Declared);
  TypePlaces Types;
  for (Decl *D : Declared)
    Types.TraverseDecl(D);
  return reasonOf(Visitor(SM, Guard, Types), Declared);
}
