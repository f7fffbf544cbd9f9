//===- ImportNames.cpp - Declarations of other files ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ImportNames.h"
#include "Flow/Export.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace torchtidy::flow;
using portable::Declaration;
using portable::DeclRef;

namespace {

/// Everything that the user's code declares or names, if its name is wanted.
class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(const llvm::StringSet<> &Wanted,
         llvm::StringMap<const ValueDecl *> &Out)
      : Wanted(Wanted), Out(Out) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitValueDecl(ValueDecl *D) {
    add(D);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    add(E->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    add(E->getMemberDecl());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    add(E->getConstructor());
    return true;
  }

private:
  void add(const ValueDecl *D) {
    if (!isa<FunctionDecl, FieldDecl, VarDecl>(D) ||
        !Wanted.contains(D->getNameAsString()) ||
        !Seen.insert(D->getCanonicalDecl()).second)
      return;
    if (std::string Id = idOf(D); !Id.empty())
      Out.try_emplace(Id, cast<ValueDecl>(D->getCanonicalDecl()));
  }

  const llvm::StringSet<> &Wanted;
  llvm::StringMap<const ValueDecl *> &Out;
  llvm::DenseSet<const Decl *> Seen;
};

void widen(std::vector<bool> &Parameters, uint32_t Index, bool IsWritable) {
  constexpr uint32_t MaxParameters = 256; // numbers come from a file
  if (Index >= MaxParameters)
    return;
  if (Parameters.size() <= Index)
    Parameters.resize(Index + 1);
  Parameters[Index] = Parameters[Index] || IsWritable;
}

} // namespace

ImportNames::ImportNames(Analysis &A, const LinkedFiles &Files) : A(A) {
  for (const Slice &S : Files.Slices) {
    const portable::Module &M = *S.From;
    auto Of = [&](DeclRef D) -> std::vector<bool> & {
      const std::string &Id = M.Decls[D - 1].Id;
      return Id.empty() ? Parameters[{&M, D}] : ParametersById[Id];
    };
    for (const Declaration &D : M.Decls)
      if (D.K == Declaration::Parameter && D.Owner)
        widen(Of(D.Owner), D.Index, D.IsWritable);
    for (const portable::Call &C : M.Calls)
      for (const auto &B : C.Parameters)
        if (C.Callee)
          widen(Of(C.Callee), B.Parameter, false);
  }
  findDeclared(Files);
}

void ImportNames::findDeclared(const LinkedFiles &Files) {
  llvm::StringSet<> Wanted;
  for (const Slice &S : Files.Slices)
    for (const Declaration &D : S.From->Decls)
      if (!D.Id.empty())
        Wanted.insert(D.Name);
  for (const auto &[Name, Id] : Files.Irrelevant)
    Wanted.insert(Name);
  Finder F(Wanted, Declared);
  for (Decl *D : A.Funcs.scope())
    F.TraverseDecl(D);
}

const FunctionDecl *ImportNames::functionById(llvm::StringRef Id) const {
  return dyn_cast_or_null<FunctionDecl>(Declared.lookup(Id));
}

QualType ImportNames::type(portable::TypeClass T) const {
  switch (T) {
  case portable::TypeClass::Integer:
    return A.Context.IntTy;
  case portable::TypeClass::Boolean:
    return A.Context.BoolTy;
  case portable::TypeClass::Floating:
    return A.Context.DoubleTy;
  default:
    return A.Context.VoidPtrTy;
  }
}

SourceLocation ImportNames::location(const portable::Module &M,
                                     const portable::Location &L) {
  if (!L.File || !L.Line || L.File > M.Files.size())
    return {};
  SourceManager &SM = A.Context.getSourceManager();
  auto [It, New] = Files.try_emplace(M.Files[L.File - 1]);
  if (New)
    if (auto Ref = SM.getFileManager().getOptionalFileRef(It->first)) {
      It->second = SM.translateFile(*Ref);
      if (It->second.isInvalid())
        It->second = SM.getOrCreateFileID(*Ref, SrcMgr::C_User);
    }
  if (It->second.isInvalid())
    return {};
  return SM.translateLineCol(It->second, L.Line, std::max(L.Column, 1u));
}

const ValueDecl *ImportNames::decl(const portable::Module &M, DeclRef D) {
  if (!D || D > M.Decls.size())
    return nullptr;
  const Declaration &X = M.Decls[D - 1];
  if (!X.Id.empty())
    if (const ValueDecl *Known = Declared.lookup(X.Id)) {
      const auto *F = dyn_cast<FunctionDecl>(Known);
      const FunctionDecl *Here = F ? A.Funcs.definition(F) : nullptr;
      return Here ? Here : Known;
    }
  const ValueDecl *&Slot = X.Id.empty() ? Made[{&M, D}] : MadeById[X.Id];
  if (Slot)
    return Slot;
  const ValueDecl *New = make(M, D);
  return (X.Id.empty() ? Made[{&M, D}] : MadeById[X.Id]) = New;
}

FunctionDecl *ImportNames::makeFunction(const Declaration &X,
                                        const std::vector<bool> &Writable,
                                        SourceLocation Loc) {
  ASTContext &C = A.Context;
  llvm::SmallVector<QualType, 4> Types;
  for (bool W : Writable)
    Types.push_back(W ? C.getLValueReferenceType(C.IntTy) : C.IntTy);
  const QualType T =
      C.getFunctionType(C.VoidTy, Types, FunctionProtoType::ExtProtoInfo());
  auto *F = FunctionDecl::Create(C, C.getTranslationUnitDecl(), Loc, Loc,
                                 DeclarationName(&C.Idents.get(X.Name)), T,
                                 nullptr, SC_None);
  llvm::SmallVector<ParmVarDecl *, 4> List;
  for (unsigned I = 0; I < Types.size(); ++I) {
    List.push_back(ParmVarDecl::Create(C, F, Loc, Loc, nullptr, Types[I],
                                       nullptr, SC_None, nullptr));
    List.back()->setScopeInfo(0, I);
  }
  F->setParams(List);
  return F;
}

const ValueDecl *ImportNames::make(const portable::Module &M, DeclRef D) {
  const Declaration &X = M.Decls[D - 1];
  ASTContext &C = A.Context;
  const SourceLocation Loc = location(M, X.Where);
  IdentifierInfo *Name = &C.Idents.get(X.Name);
  switch (X.K) {
  case Declaration::Function:
    return makeFunction(
        X, X.Id.empty() ? Parameters[{&M, D}] : ParametersById[X.Id], Loc);
  case Declaration::Parameter:
    if (const FunctionDecl *F = function(M, X.Owner))
      if (X.Index < F->getNumParams())
        return F->getParamDecl(X.Index);
    break;
  case Declaration::Field: {
    if (!Fields)
      Fields = CXXRecordDecl::Create(
          C, TagTypeKind::Struct, C.getTranslationUnitDecl(), SourceLocation(),
          SourceLocation(), nullptr);
    auto *F = FieldDecl::Create(C, Fields, Loc, Loc, Name, type(X.Type),
                                nullptr, nullptr, false, ICIS_NoInit);
    F->setAccess(X.Access <= AS_none ? AccessSpecifier(X.Access) : AS_none);
    return F;
  }
  case Declaration::Local:
  case Declaration::Global:
    break;
  }
  DeclContext *In = C.getTranslationUnitDecl();
  if (X.K == Declaration::Local)
    if (const FunctionDecl *F = function(M, X.Owner))
      In = const_cast<FunctionDecl *>(F);
  return VarDecl::Create(C, In, Loc, Loc, Name, type(X.Type), nullptr,
                         X.K == Declaration::Local && X.IsStatic ? SC_Static
                                                                 : SC_None);
}
