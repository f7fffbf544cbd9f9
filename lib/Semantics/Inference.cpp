//===- Inference.cpp - Tensors of inference mode --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Inference.h"
#include "Semantics/Arguments.h"
#include "Semantics/Names.h"
#include "Semantics/Questions.h"
#include "Semantics/StringSwitch.h"

using namespace clang;
using namespace torchtidy::semantics;

/// Declared in a namespace of that name, at whatever depth.
static bool isIn(const FunctionDecl *F, StringRef Namespace) {
  for (const DeclContext *D = F; D; D = D->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(D))
      if (N->getIdentifier() && N->getName() == Namespace)
        return true;
  return false;
}

static bool isFunctional(const Call &C) {
  return C.Callee && isIn(C.Callee, "functional");
}

Memory torchtidy::semantics::memoryOf(const Call &C) {
  if (C.Kind == CallKind::Detach)
    return C.Name == "detach"        ? Memory::View
           : C.Name == "detach_copy" ? Memory::New
                                     : Memory::May;
  // `ReLUFuncOptions().inplace(true)`
  if (!C.Op || isIndexed(C) ||
      (isFunctional(C) && llvm::any_of(C.Args, [](const Expr *A) {
         return mentions(A, {"inplace"});
       })))
    return Memory::May;
  switch (C.Op->Aliases) {
  case View::No:
    return Memory::New;
  case View::Yes:
    return Memory::View;
  case View::May:
    return Memory::May;
  }
  return Memory::May;
}

using Parts = llvm::SmallVector<const Expr *, 4>;
using SavedOperands = llvm::SmallVector<SavedOperand, 2>;

/// By the table; \p P are the operator's arguments in the order of its schema.
static SavedOperands byTable(const Operator *Op, const Parts &P,
                             const Types &T) {
  SavedOperands Result;
  if (!Op)
    return Result;
  auto IsTensor = [&](unsigned I) {
    return P[I] && !isa<CXXDefaultArgExpr>(P[I]) &&
           T.carriesTensor(P[I]->getType());
  };
  for (unsigned I = 0; I < P.size(); ++I) {
    SavedOperand S;
    S.Operand = P[I];
    for (unsigned J = 0; J < P.size(); ++J)
      if (Op->savesFor(I, J) && IsTensor(I) && IsTensor(J))
        S.If.push_back(P[J]);
    if (!S.If.empty())
      Result.push_back(std::move(S));
  }
  return Result;
}

/// The tensors in `x.index({rows, Slice()})`.
static void indicesIn(const Stmt *S, const Types &T, Parts &Out) {
  if (const auto *E = dyn_cast_or_null<Expr>(S))
    if (T.isTensor(E->getType())) {
      Out.push_back(E);
      return;
    }
  if (!S || isa<LambdaExpr>(S))
    return;
  for (const Stmt *C : S->children())
    indicesIn(C, T, Out);
}

/// What torch::nn::functional takes in the order of the operator, its options
/// last.
static const Operator *functionalOperator(StringRef Name) {
  if (Name == "cross_entropy")
    return lookupOperator("cross_entropy_loss");
  if (isOneOf(Name,
              {"mse_loss", "smooth_l1_loss", "huber_loss",
               "binary_cross_entropy", "binary_cross_entropy_with_logits",
               "nll_loss", "kl_div", "linear", "conv1d", "conv2d", "conv3d",
               "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}))
    return lookupOperator(Name);
  return nullptr;
}

static SavedOperands ofOperator(const Call &C, const Types &T) {
  Parts P;
  if (C.Object)
    P.push_back(C.Object);
  P.append(C.Args.begin(), C.Args.end());
  // Of a target that is a logarithm only its exponential is saved.
  if (C.Name == "kl_div" && (P.size() > 3 || llvm::any_of(P, [](const Expr *E) {
                               return mentions(E, {"log_target"});
                             })))
    return {};
  if (isFunctional(C)) {
    if (P.size() > 2)
      P.resize(2);
    if (C.Name == "embedding" && P.size() == 2) {
      std::swap(P[0], P[1]);
      return byTable(lookupOperator("embedding"), P, T);
    }
    return byTable(functionalOperator(C.Name), P, T);
  }
  if (!C.Op)
    return {};
  if (C.Name == "where" && C.Object && P.size() == 3)
    std::swap(P[0], P[1]); // x.where(condition, other)
  if (isOneOf(C.Name, {"index", "index_put_", "index_put"}) && P.size() > 1) {
    SavedOperands Result;
    Parts Indices, Needs{P[0]};
    indicesIn(P[1], T, Indices);
    if (P.size() > 2 && T.isTensor(P[2]->getType()))
      Needs.push_back(P[2]);
    for (const Expr *I : Indices) {
      SavedOperand S;
      S.Operand = I;
      S.If.append(Needs.begin(), Needs.end());
      Result.push_back(std::move(S));
    }
    return Result;
  }
  return byTable(C.Op, P, T);
}

/// `Linear` of LinearImpl and its holders; empty for classes of the project.
static StringRef layerName(QualType Type, const Types &T) {
  const CXXRecordDecl *R = T.pointee(Type);
  if (!R || !R->getIdentifier() || !T.isLibrary(R))
    return "";
  StringRef Name = R->getName();
  Name.consume_back("Impl");
  return Name;
}

/// The layer that a Sequential is made with first.
static StringRef firstLayerIn(const Stmt *S, const Types &T) {
  if (!S)
    return "";
  if (const auto *C = dyn_cast<CXXConstructExpr>(S))
    if (layerName(C->getType(), T) == "Sequential" &&
        !C->getConstructor()->isCopyOrMoveConstructor())
      return C->getNumArgs() && !isa<CXXDefaultArgExpr>(C->getArg(0))
                 ? layerName(C->getArg(0)->getType(), T)
                 : "";
  for (const Stmt *Child : S->children())
    if (StringRef Name = firstLayerIn(Child, T); !Name.empty())
      return Name;
  return "";
}

static StringRef firstLayerOf(const Expr *Sequential, const Types &T) {
  const Expr *E = Sequential->IgnoreUnlessSpelledInSource();
  while (const auto *O = dyn_cast<CXXOperatorCallExpr>(E)) // seq->forward(x)
    E = O->getArg(0)->IgnoreUnlessSpelledInSource();
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
      return firstLayerIn(V->getInit(), T);
  const auto *M = dyn_cast<MemberExpr>(E);
  const auto *F = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  const auto *R = F ? dyn_cast<CXXRecordDecl>(F->getParent()) : nullptr;
  if (!R)
    return "";
  if (F->hasInClassInitializer())
    return firstLayerIn(F->getInClassInitializer(), T);
  StringRef Name;
  for (const CXXConstructorDecl *C : R->ctors()) {
    if (C->isImplicit() || C->isDeleted())
      continue;
    const auto *D = cast_or_null<CXXConstructorDecl>(C->getDefinition());
    StringRef Here;
    for (const CXXCtorInitializer *I : D ? D->inits() : C->inits())
      if (I->getAnyMember() == F)
        Here = firstLayerIn(I->getInit(), T);
    if (Here.empty() || (!Name.empty() && Here != Name))
      return "";
    Name = Here;
  }
  return Name;
}

static SavedOperands ofModule(const Call &C, const Types &T) {
  if (!C.Object || C.Args.empty())
    return {};
  StringRef Name = layerName(C.Object->getType(), T);
  if (Name == "Sequential")
    Name = firstLayerOf(C.Object, T);
  const StringRef Loss =
      StringSwitch<StringRef>(Name)
          .Case("MSELoss", "mse_loss")
          .Case("SmoothL1Loss", "smooth_l1_loss")
          .Case("HuberLoss", "huber_loss")
          .Case("BCELoss", "binary_cross_entropy")
          .Case("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")
          .Case("NLLLoss", "nll_loss")
          .Case("CrossEntropyLoss", "cross_entropy_loss")
          .Default("");
  if (!Loss.empty())
    return byTable(lookupOperator(Loss), Parts(C.Args.begin(), C.Args.end()),
                   T);
  const bool Cell = isOneOf(Name, {"LSTMCell", "GRUCell", "RNNCell"});
  const bool Two = Cell || Name == "Bilinear";
  if (!Two && !isOneOf(Name, {"Linear", "Conv1d", "Conv2d", "Conv3d",
                              "ConvTranspose1d", "ConvTranspose2d",
                              "ConvTranspose3d", "LSTM", "GRU", "RNN"}))
    return {};
  SavedOperands Result;
  for (unsigned I = 0; I < C.Args.size() && I < (Two ? 2 : 1); ++I)
    if (T.isTensor(C.Args[I]->getType())) {
      SavedOperand S;
      S.Operand = C.Args[I];
      S.IfParameters = true;
      Result.push_back(std::move(S));
    }
  if (!Two && !Result.empty()) {
    SavedOperand Weight;
    Weight.Operand = C.Object;
    Weight.IsModule = true;
    Weight.If.push_back(C.Args[0]);
    Result.push_back(std::move(Weight));
  }
  return Result;
}

SavedOperands torchtidy::semantics::savedOperands(const Call &C,
                                                  const Types &T) {
  if (C.Kind == CallKind::Forward)
    return ofModule(C, T);
  return C.Kind == CallKind::Operator ? ofOperator(C, T) : SavedOperands();
}

bool torchtidy::semantics::countsAsChange(const Call &C) {
  if (!C.InPlace || !C.Callee)
    return false;
  // Versions differ on these.
  if (isOneOf(C.Name, {"resize_", "resize_as_", "set_", "detach_", "rename_",
                       "as_strided_"}) ||
      C.Name.starts_with("sparse_"))
    return false;
  return C.Op ? C.Op->mutates(0) : isIn(C.Callee, "init");
}

const Expr *torchtidy::semantics::madeToRequireGrad(const Call &C,
                                                    const Types &T,
                                                    const ASTContext &Context) {
  if (C.Object && T.isTensor(C.Object->getType()))
    return C.Args.empty() || constantBool(C.Args[0], Context).value_or(false)
               ? C.Object
               : nullptr;
  // register_parameter(name, tensor, requires_grad = true)
  if (C.Args.size() > 1 && T.isTensor(C.Args[1]->getType()) &&
      (C.Args.size() == 2 || constantBool(C.Args[2], Context).value_or(false)))
    return C.Args[1];
  return nullptr;
}

bool torchtidy::semantics::makesModule(const Call &C) {
  if (isOneOf(C.Name, {"make_shared", "make_unique"}))
    return true;
  const auto *E = dyn_cast<CXXConstructExpr>(C.E);
  if (!E)
    return false;
  // A smart pointer starts out empty, a holder with a module.
  return E->getNumArgs() == 0
             ? !E->getConstructor()->getParent()->isInStdNamespace()
             : !isAbsent(E->getArg(0));
}

bool torchtidy::semantics::copiesModule(const Call &C) {
  return isOneOf(C.Name, {"clone", "cloned"});
}

bool torchtidy::semantics::mayMoveParameters(const Call &C) {
  return C.Object && C.Name == "to";
}

const Expr *torchtidy::semantics::updatedInPlace(const Call &C,
                                                 const Types &T) {
  const auto *E = dyn_cast<CXXConstructExpr>(C.E);
  const CXXRecordDecl *R = E ? E->getConstructor()->getParent() : nullptr;
  // SGD goes behind autograd's back.
  if (!R || !R->getIdentifier() || !T.isLibrary(R) || E->getNumArgs() == 0 ||
      !isOneOf(R->getName(), {"Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"}))
    return nullptr;
  return E->getArg(0);
}
