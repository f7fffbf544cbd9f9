//===- Types.cpp - What LibTorch types mean -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Types.h"
#include "Semantics/Names.h"
#include "Semantics/StringSwitch.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace torchtidy::semantics;

static QualType strip(QualType T) {
  if (T.isNull())
    return T;
  return T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

static const CXXRecordDecl *record(QualType T) {
  T = strip(T);
  return T.isNull() ? nullptr : T->getAsCXXRecordDecl();
}

StringRef Types::topNamespace(const Decl *D) {
  StringRef Name;
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C))
      if (!N->isInlineNamespace() && N->getIdentifier())
        Name = N->getName();
  return Name;
}

/// The namespace that holds D directly, inline ones skipped.
static StringRef ownNamespace(const Decl *D) {
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C))
      if (!N->isInlineNamespace())
        return N->getIdentifier() ? N->getName() : StringRef();
  return {};
}

static bool isLibTorchRecord(const CXXRecordDecl *R, StringRef Name) {
  return R && R->getIdentifier() && R->getName() == Name &&
         isLibTorchNamespace(Types::topNamespace(R));
}

bool torchtidy::semantics::nameInList(const NamedDecl *D,
                                      const std::vector<std::string> &List) {
  if (List.empty() || !D)
    return false;
  const std::string Qualified = D->getQualifiedNameAsString();
  return llvm::any_of(List, [&](StringRef Entry) {
    Entry.consume_front("::");
    StringRef Q = Qualified;
    return Q == Entry ||
           (Q.ends_with(Entry) && Q.drop_back(Entry.size()).ends_with("::"));
  });
}

Types::Types(const ASTContext &Context, std::vector<std::string> GuardTypes)
    : Context(Context), GuardTypes(std::move(GuardTypes)) {}

bool Types::isTensor(QualType T) const { return isTensor(record(T)); }

bool Types::isTensor(const CXXRecordDecl *R) const {
  if (!R || !R->getIdentifier())
    return false;
  return R->getName() == "Tensor" || R->getName() == "TensorBase"
             ? topNamespace(R) == "at"
             : isLibTorchRecord(R, "OptionalTensorRef");
}

bool Types::isIValue(QualType T) const {
  return isLibTorchRecord(record(T), "IValue");
}

bool Types::isOptimizer(QualType T) const {
  return derivesFrom(pointee(T), "optim", "Optimizer");
}

bool Types::isJitModule(QualType T) const {
  const CXXRecordDecl *R = pointee(T);
  return isLibTorchRecord(R, "Module") && ownNamespace(R) == "jit";
}

bool Types::isJitMethod(QualType T) const {
  const CXXRecordDecl *R = record(T);
  return isLibTorchRecord(R, "Method") && ownNamespace(R) == "jit";
}

bool Types::isCallableWrapper(QualType T) const {
  const CXXRecordDecl *R = record(T);
  if (!R || !R->getIdentifier())
    return false;
  return (R->isInStdNamespace() &&
          (R->getName() == "function" || R->getName() == "packaged_task" ||
           R->getName() == "move_only_function")) ||
         isLibTorchRecord(R, "function_ref");
}

bool Types::isPackagedTask(QualType T) const {
  const CXXRecordDecl *R = pointee(T);
  return R && R->isInStdNamespace() && R->getIdentifier() &&
         R->getName() == "packaged_task";
}

bool Types::isThreadState(QualType T) const {
  return !T.isNull() && isLibTorchRecord(record(T), "ThreadLocalState");
}

bool Types::isThreadPool(QualType T) const {
  const CXXRecordDecl *R = pointee(T);
  return R && R->getIdentifier() && isLibTorchNamespace(topNamespace(R)) &&
         (R->getName().ends_with("ThreadPool") ||
          R->getName() == "TaskThreadPoolBase");
}

bool Types::derivesFrom(const CXXRecordDecl *R, StringRef Namespace,
                        StringRef Name) const {
  for (unsigned Depth = 0; R && Depth < 16; ++Depth) {
    if (R->getIdentifier() && R->getName() == Name &&
        ownNamespace(R) == Namespace && topNamespace(R) == "torch")
      return true;
    if (!R->hasDefinition() || R->getDefinition()->getNumBases() == 0)
      return false;
    for (const CXXBaseSpecifier &B :
         llvm::drop_begin(R->getDefinition()->bases()))
      if (derivesFrom(record(B.getType()), Namespace, Name))
        return true;
    R = record(R->getDefinition()->bases_begin()->getType());
  }
  return false;
}

static bool isStdHandle(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"shared_ptr", "unique_ptr", "weak_ptr", "optional"}, true)
      .Cases({"reference_wrapper", "__shared_ptr"}, true)
      .Default(false);
}

/// ModuleHolder itself or a class that derives from it (TORCH_MODULE).
static const ClassTemplateSpecializationDecl *
moduleHolder(const CXXRecordDecl *R) {
  for (unsigned Depth = 0; R && Depth < 8; ++Depth) {
    if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R))
      if (S->getName() == "ModuleHolder" && Types::topNamespace(S) == "torch")
        return S;
    if (!R->hasDefinition() || R->getDefinition()->getNumBases() == 0)
      return nullptr;
    R = record(R->getDefinition()->bases_begin()->getType());
  }
  return nullptr;
}

const CXXRecordDecl *Types::pointee(QualType T) const {
  for (unsigned Depth = 0; Depth < 6; ++Depth) {
    T = strip(T);
    if (T.isNull())
      return nullptr;
    if (T->isPointerType()) {
      T = T->getPointeeType();
      continue;
    }
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    if (const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R)) {
      const bool Std = S->isInStdNamespace() && isStdHandle(S->getName());
      const bool C10 = isLibTorchRecord(S, "optional") ||
                       isLibTorchRecord(S, "intrusive_ptr");
      if ((Std || C10) && S->getTemplateArgs().size() > 0 &&
          S->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
        T = S->getTemplateArgs()[0].getAsType();
        continue;
      }
    }
    if (const auto *H = R ? moduleHolder(R) : nullptr) {
      T = H->getTemplateArgs()[0].getAsType();
      continue;
    }
    return R;
  }
  return nullptr;
}

ModuleKind Types::recordModule(const CXXRecordDecl *R) const {
  if (!R->getIdentifier())
    return ModuleKind::None;
  StringRef Name = R->getName();
  if (isLibTorchRecord(R, "AnyModule") ||
      (Name == "Module" && topNamespace(R) == "torch"))
    return ModuleKind::Parametric;
  if (!derivesFrom(R, "nn", "Module"))
    return ModuleKind::None;
  if (!isLibrary(R))
    return ModuleKind::User;
  // Those that own no parameter hand on what they get.
  Name.consume_back("Impl");
  const bool Owns =
      Name.starts_with("Linear") || Name.starts_with("Bilinear") ||
      Name.starts_with("Conv") || Name.starts_with("Embedding") ||
      Name.starts_with("BatchNorm") || Name.starts_with("InstanceNorm") ||
      Name.starts_with("LayerNorm") || Name.starts_with("GroupNorm") ||
      Name.starts_with("LSTM") || Name.starts_with("GRU") ||
      Name.starts_with("RNN") || Name.starts_with("MultiheadAttention") ||
      Name.starts_with("Transformer") || Name.starts_with("Sequential") ||
      Name.starts_with("ModuleList") || Name.starts_with("ModuleDict") ||
      Name.starts_with("Parameter") || Name == "PReLU" ||
      Name.starts_with("AdaptiveLogSoftmax");
  return Owns ? ModuleKind::Parametric : ModuleKind::Parameterless;
}

ModuleKind Types::moduleKind(QualType T) const {
  const CXXRecordDecl *R = pointee(T);
  if (!R)
    return ModuleKind::None;
  auto [It, New] = Modules.try_emplace(R->getCanonicalDecl(), ModuleKind::None);
  if (New) {
    ModuleKind K = recordModule(R);
    return Modules[R->getCanonicalDecl()] = K;
  }
  return It->second;
}

bool Types::recordCarries(const CXXRecordDecl *R, unsigned Depth) const {
  if (!R->getIdentifier())
    return R->isLambda();
  if (isTensor(R) || isLibTorchRecord(R, "IValue"))
    return true;
  if (isLibTorchNamespace(topNamespace(R)) && isLibrary(R)) {
    StringRef N = R->getName();
    if (ownNamespace(R) == "ivalue" && N != "ConstantString")
      return true;
    if (N == "AnyModule" || derivesFrom(R, "nn", "Module") ||
        derivesFrom(R, "optim", "Optimizer") || N == "Module")
      return false;
    if (N == "List" || N == "Dict" || N == "Example" || N == "ArrayRef" ||
        N == "Tuple" || N == "optional" || N == "intrusive_ptr" ||
        N == "ExpandingArray" || N == "IListRef" || N == "OrderedDict" ||
        N == "PackedSequence" || N == "GenericDict" || N == "TensorRef" ||
        N == "Object" || N == "Future" || N == "ListElementReference")
      if (!isa<ClassTemplateSpecializationDecl>(R) || N == "Example")
        return true;
  }
  if (R->isInStdNamespace() && R->getName() == "any")
    return true; // what it holds cannot be told
  if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R)) {
    for (const TemplateArgument &A : S->getTemplateArgs().asArray()) {
      if (A.getKind() == TemplateArgument::Type &&
          carries(A.getAsType(), Depth))
        return true;
      if (A.getKind() == TemplateArgument::Pack)
        for (const TemplateArgument &P : A.pack_elements())
          if (P.getKind() == TemplateArgument::Type &&
              carries(P.getAsType(), Depth))
            return true;
    }
    if (isLibrary(R))
      return false;
  }
  StringRef Top = topNamespace(R);
  if (((isLibTorchNamespace(Top) || Top == "std") && isLibrary(R)) ||
      !R->hasDefinition() || derivesFrom(R, "nn", "Module") ||
      derivesFrom(R, "optim", "Optimizer"))
    return false;
  R = R->getDefinition();
  for (const CXXBaseSpecifier &B : R->bases())
    if (carries(B.getType(), Depth))
      return true;
  return llvm::any_of(R->fields(),
                      [&](const FieldDecl *F) {
                        return carries(F->getType(), Depth);
                      }) ||
         mayBeDerived(R, Depth);
}

/// What gives tensors by a virtual method may hold them in a class derived.
bool Types::mayBeDerived(const CXXRecordDecl *R, unsigned Depth) const {
  return !R->isEffectivelyFinal() &&
         llvm::any_of(R->methods(), [&](const CXXMethodDecl *M) {
           return M->isVirtual() && carries(M->getReturnType(), Depth);
         });
}

bool Types::carries(QualType T, unsigned Depth) const {
  if (T.isNull() || Depth > 6)
    return false;
  T = strip(T);
  // The closure in a std::function that gives tensors.
  if (const auto *F = T->getAs<FunctionProtoType>())
    return carries(F->getReturnType(), Depth);
  while (T->isPointerType() || T->isArrayType())
    T = T->isPointerType()
            ? strip(T->getPointeeType())
            : strip(QualType(T->getArrayElementTypeNoTypeQual(), 0));
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R)
    return false;
  auto [It, New] = Carries.try_emplace(R->getCanonicalDecl(), false);
  if (!New)
    return It->second;
  const bool C = recordCarries(R, Depth + 1);
  return Carries[R->getCanonicalDecl()] = C;
}

bool Types::carriesTensor(QualType T) const { return carries(T, 0); }

llvm::SmallVector<const FieldDecl *, 4> Types::partsOf(QualType T) const {
  llvm::SmallVector<const FieldDecl *, 4> Parts;
  const CXXRecordDecl *R =
      T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  if (!R || !R->hasDefinition() || R->isUnion() || R->isLambda())
    return Parts;
  const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (S && R->isInStdNamespace() && R->getName() == "tuple") {
    Parts.resize(S->getTemplateArgs().size() == 1 &&
                         S->getTemplateArgs()[0].getKind() ==
                             TemplateArgument::Pack
                     ? S->getTemplateArgs()[0].pack_size()
                     : 0);
  } else if ((S && R->isInStdNamespace() && R->getName() == "pair") ||
             (!isLibrary(R) && R->getNumBases() == 0)) {
    Parts.append(R->field_begin(), R->field_end());
  }
  return Parts;
}

bool Types::isContainer(QualType T) const {
  const CXXRecordDecl *R = record(T);
  if (!R || !R->getIdentifier())
    return false;
  if (R->isInStdNamespace())
    return StringSwitch<bool>(R->getName())
        .Cases({"vector", "deque", "list", "forward_list"}, true)
        .Cases({"map", "multimap", "unordered_map", "unordered_multimap"}, true)
        .Cases({"set", "multiset", "unordered_set", "unordered_multiset"}, true)
        .Cases({"queue", "stack", "priority_queue"}, true)
        .Default(false);
  if (topNamespace(R) == "ska") // saved_data; the latter has its methods
    return R->getName() == "flat_hash_map" ||
           R->getName() == "sherwood_v3_table";
  return isLibTorchNamespace(topNamespace(R)) &&
         StringSwitch<bool>(R->getName())
             .Cases({"List", "Dict", "GenericDict", "OrderedDict"}, true)
             .Case("SmallVector", true)
             .Default(false);
}

std::optional<uint64_t> Types::fixedSize(QualType T) const {
  T = strip(T);
  if (T.isNull())
    return std::nullopt;
  if (const auto *Array = Context.getAsConstantArrayType(T))
    return Array->getSize().getLimitedValue();
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!R || !R->isInStdNamespace() || !R->getIdentifier() ||
      R->getName() != "array" || R->getTemplateArgs().size() < 2 ||
      R->getTemplateArgs()[1].getKind() != TemplateArgument::Integral)
    return std::nullopt;
  return R->getTemplateArgs()[1].getAsIntegral().getLimitedValue();
}

bool Types::isHandle(QualType T) const {
  if (T.isNull())
    return false;
  if (T->isReferenceType() || T->isPointerType())
    return true;
  const CXXRecordDecl *R = record(T);
  if (!R || !R->getIdentifier())
    return false;
  if (moduleHolder(R) || isLibTorchRecord(R, "AnyModule") ||
      isLibTorchRecord(R, "intrusive_ptr"))
    return true;
  StringRef N = R->getName();
  if (N.contains("iterator") || N.contains("Iterator"))
    return true;
  return R->isInStdNamespace() && isStdHandle(N) && N != "optional";
}
