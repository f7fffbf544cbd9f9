//===- SpecializationHooks.cpp - Looks up one of many ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where clang looks for a specialization: the linker's `--wrap` puts the
/// functions below in the place of clang's own, which would load all of them
/// first. They answer the same (DeclTemplate.h says what), from what
/// Driver/Specializations.h loads.
///
//===----------------------------------------------------------------------===//

#include "Driver/Specializations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTMutationListener.h"

using namespace clang;
using namespace torchtidy::driver;
using llvm::ArrayRef;
using llvm::SmallVectorImpl;

namespace {

/// What a template knows of its specializations is for derived classes.
template <typename Template> class Opened : public Template {
public:
  using typename Template::Common;
  static Common &of(const Template *T) {
    return *(T->*(&Opened::getCommonPtr))();
  }
};

template <typename T> T *declOf(T *S) { return S; }
FunctionDecl *declOf(FunctionTemplateSpecializationInfo *S) {
  return S->getFunction();
}

ArrayRef<TemplateArgument>
argumentsOf(const FunctionTemplateSpecializationInfo &S) {
  return S.TemplateArguments->asArray();
}
template <typename T> ArrayRef<TemplateArgument> argumentsOf(const T &S) {
  return S.getTemplateArgs().asArray();
}

/// What clang still has to load of the template; null: nothing.
template <typename Template> const GlobalDeclID *lazy(const Template *T) {
  return Opened<Template>::of(T).LazySpecializations;
}

/// False: the table cannot help.
template <typename Template>
bool load(const Template *T, ArrayRef<TemplateArgument> Args) {
  return lazy(T) && loadSpecializations(
                        *T, lazy(T), argumentsHash(Args, T->getASTContext()));
}

/// Among what is loaded.
template <typename Entry>
Entry *among(llvm::FoldingSetVector<Entry> &Known,
             ArrayRef<TemplateArgument> Args, const ASTContext &Context,
             void *&InsertPos) {
  llvm::FoldingSetNodeID ID;
  Entry::Profile(ID, Args, Context);
  return Known.FindNodeOrInsertPos(ID, InsertPos);
}

template <typename Template, typename Decl>
Decl *find(Decl *(*Real)(Template *, ArrayRef<TemplateArgument>, void *&),
           Template *T, ArrayRef<TemplateArgument> Args, void *&InsertPos) {
  if (!load(T, Args))
    return Real(T, Args, InsertPos);
  auto *S = among(Opened<Template>::of(T).Specializations, Args,
                  T->getASTContext(), InsertPos);
  return S ? declOf(S)->getMostRecentDecl() : nullptr;
}

template <typename Template, typename Entry>
void add(void (*Real)(Template *, Entry *, void *), Template *T, Entry *S,
         void *InsertPos) {
  const bool Table = load(T, argumentsOf(*S));
  auto &Known = Opened<Template>::of(T).Specializations;
  // Others may have been loaded since the place was looked up.
  const bool There =
      InsertPos && among(Known, argumentsOf(*S), T->getASTContext(), InsertPos);
  if (!Table)
    return Real(T, S, InsertPos);
  if (InsertPos && !There)
    Known.InsertNode(S, InsertPos);
  else
    Known.GetOrInsertNode(S);
  if (ASTMutationListener *L = T->getASTContext().getASTMutationListener())
    L->AddedCXXTemplateSpecialization(T, declOf(S));
}

template <typename Template, typename Partial>
void getPartial(void (*Real)(const Template *, SmallVectorImpl<Partial *> &),
                const Template *T, SmallVectorImpl<Partial *> &All) {
  if (!lazy(T) || !loadSpecializations(*T, lazy(T), PartialSpecializations))
    return Real(T, All);
  All.clear();
  for (Partial &P : Opened<Template>::of(T).PartialSpecializations)
    All.push_back(P.getMostRecentDecl());
}

/// The reader asks for the sake of one specialization, whose other declarations
/// may be in other files: where there is a table there is one file.
template <typename Template>
void loadAll(void (*Real)(const Template *), const Template *T) {
  if (!lazy(T) || !isInTable(*T, lazy(T)))
    Real(T);
}

} // namespace

// What clang defines (real) and what is called in its place (wrapped).
#define TORCHTIDY_FIND(Kind, Spec, Symbol)                                     \
  Spec *realFind##Kind(Kind##TemplateDecl *, ArrayRef<TemplateArgument>,       \
                       void *&) asm("__real_" Symbol);                         \
  Spec *wrappedFind##Kind(Kind##TemplateDecl *, ArrayRef<TemplateArgument>,    \
                          void *&) asm("__wrap_" Symbol);                      \
  Spec *wrappedFind##Kind(Kind##TemplateDecl *T,                               \
                          ArrayRef<TemplateArgument> Args, void *&InsertPos) { \
    return find(realFind##Kind, T, Args, InsertPos);                           \
  }
#define TORCHTIDY_ADD(Kind, Entry, Symbol)                                     \
  void realAdd##Kind(Kind##TemplateDecl *, Entry *,                            \
                     void *) asm("__real_" Symbol);                            \
  void wrappedAdd##Kind(Kind##TemplateDecl *, Entry *,                         \
                        void *) asm("__wrap_" Symbol);                         \
  void wrappedAdd##Kind(Kind##TemplateDecl *T, Entry *S, void *InsertPos) {    \
    add(realAdd##Kind, T, S, InsertPos);                                       \
  }
#define TORCHTIDY_PARTIAL(Kind, Symbol)                                        \
  using Partial##Kind##s =                                                     \
      SmallVectorImpl<Kind##TemplatePartialSpecializationDecl *>;              \
  void realGetPartial##Kind(const Kind##TemplateDecl *,                        \
                            Partial##Kind##s &) asm("__real_" Symbol);         \
  void wrappedGetPartial##Kind(const Kind##TemplateDecl *,                     \
                               Partial##Kind##s &) asm("__wrap_" Symbol);      \
  void wrappedGetPartial##Kind(const Kind##TemplateDecl *T,                    \
                               Partial##Kind##s &All) {                        \
    getPartial(realGetPartial##Kind, T, All);                                  \
  }
#define TORCHTIDY_LOAD_ALL(Kind, Symbol)                                       \
  void realLoadAll##Kind(const Kind##TemplateDecl *) asm("__real_" Symbol);    \
  void wrappedLoadAll##Kind(const Kind##TemplateDecl *) asm("__wrap_" Symbol); \
  void wrappedLoadAll##Kind(const Kind##TemplateDecl *T) {                     \
    loadAll(realLoadAll##Kind, T);                                             \
  }

TORCHTIDY_FIND(Class, ClassTemplateSpecializationDecl,
               "_ZN5clang17ClassTemplateDecl18findSpecializationEN4llvm8"
               "ArrayRefINS_16TemplateArgumentEEERPv")
TORCHTIDY_FIND(Function, FunctionDecl,
               "_ZN5clang20FunctionTemplateDecl18findSpecializationEN4llvm8"
               "ArrayRefINS_16TemplateArgumentEEERPv")
TORCHTIDY_FIND(Var, VarTemplateSpecializationDecl,
               "_ZN5clang15VarTemplateDecl18findSpecializationEN4llvm8"
               "ArrayRefINS_16TemplateArgumentEEERPv")
TORCHTIDY_ADD(Class, ClassTemplateSpecializationDecl,
              "_ZN5clang17ClassTemplateDecl17AddSpecializationEPNS_31"
              "ClassTemplateSpecializationDeclEPv")
TORCHTIDY_ADD(Function, FunctionTemplateSpecializationInfo,
              "_ZN5clang20FunctionTemplateDecl17addSpecializationEPNS_34"
              "FunctionTemplateSpecializationInfoEPv")
TORCHTIDY_ADD(Var, VarTemplateSpecializationDecl,
              "_ZN5clang15VarTemplateDecl17AddSpecializationEPNS_29"
              "VarTemplateSpecializationDeclEPv")
TORCHTIDY_PARTIAL(Class,
                  "_ZNK5clang17ClassTemplateDecl25getPartialSpecializations"
                  "ERN4llvm15SmallVectorImplIPNS_38"
                  "ClassTemplatePartialSpecializationDeclEEE")
TORCHTIDY_PARTIAL(Var, "_ZNK5clang15VarTemplateDecl25getPartialSpecializations"
                       "ERN4llvm15SmallVectorImplIPNS_36"
                       "VarTemplatePartialSpecializationDeclEEE")
TORCHTIDY_LOAD_ALL(Class,
                   "_ZNK5clang17ClassTemplateDecl23LoadLazySpecializationsEv")
TORCHTIDY_LOAD_ALL(Function, "_ZNK5clang20FunctionTemplateDecl"
                             "23LoadLazySpecializationsEv")
TORCHTIDY_LOAD_ALL(Var,
                   "_ZNK5clang15VarTemplateDecl23LoadLazySpecializationsEv")
