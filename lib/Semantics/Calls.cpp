//===- Calls.cpp - What a call means --------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Calls.h"
#include "Semantics/Arguments.h"
#include "Semantics/Names.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace torchtidy::semantics;

namespace {

StringRef nameOf(const FunctionDecl *F) {
  if (!F)
    return {};
  if (F->getIdentifier())
    return F->getName();
  switch (F->getOverloadedOperator()) {
  case OO_Call:
    return "operator()";
  case OO_Subscript:
    return "operator[]";
  case OO_Arrow:
    return "operator->";
  case OO_Star:
    return "operator*";
  case OO_Equal:
    return "operator=";
  case OO_LessLess:
    return "operator<<";
  default:
    return operatorOfSpelling(
        getOperatorSpelling(F->getOverloadedOperator()),
        /*Unary=*/F->getNumParams() + isa<CXXMethodDecl>(F) == 1);
  }
}

class Classifier {
public:
  Classifier(const Types &T, const CallNames &Names) : T(T), Names(Names) {}

  Call run(const Expr *E) {
    Call C;
    C.E = E;
    if (const auto *Ctor = dyn_cast<CXXConstructExpr>(E))
      return constructor(C, Ctor);
    const auto *CE = cast<CallExpr>(E);
    C.Callee = CE->getDirectCallee();
    C.Args.append(CE->arg_begin(), CE->arg_end());
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(CE)) {
      C.Object = M->getImplicitObjectArgument();
    } else if (isa<CXXOperatorCallExpr>(CE) &&
               isa_and_nonnull<CXXMethodDecl>(C.Callee) &&
               !cast<CXXMethodDecl>(C.Callee)->isStatic()) {
      C.Object = C.Args.front();
      C.Args.erase(C.Args.begin());
    }
    C.Name = nameOf(C.Callee);
    if (C.Callee && C.Callee->getOverloadedOperator() == OO_Star && !C.Object)
      C.Name = "mul"; // not a dereference
    if (!C.Callee)
      return C;
    C.Kind = C.Object ? method(C) : freeFunction(C);
    return C;
  }

private:
  Call constructor(Call C, const CXXConstructExpr *Ctor) {
    C.Callee = Ctor->getConstructor();
    C.Args.append(Ctor->arg_begin(), Ctor->arg_end());
    const CXXRecordDecl *R = Ctor->getConstructor()->getParent();
    C.Name = R->getIdentifier() ? R->getName() : StringRef();
    if (C.Args.empty() || Ctor->getConstructor()->isCopyOrMoveConstructor())
      C.Kind = T.isLibrary(C.Callee) ? CallKind::Through : CallKind::User;
    else if (isThread(R))
      C.Kind = CallKind::Launch;
    else
      C.Kind = T.isLibrary(C.Callee) ? CallKind::Through : CallKind::User;
    return C;
  }

  CallKind method(Call &C) {
    QualType ObjectType = C.Object->getType();
    if (ObjectType->isPointerType())
      ObjectType = ObjectType->getPointeeType();
    const auto *Method = cast<CXXMethodDecl>(C.Callee);
    const bool Library = T.isLibrary(Method);
    if (nameInList(Method, Names.NonConsumers))
      return CallKind::Look;
    if (nameInList(Method, Names.ThreadLaunchers))
      return CallKind::Launch;
    if (nameInList(Method, Names.ForwardNames))
      return CallKind::Forward;
    if (T.isTensor(ObjectType) && Library)
      return tensorMethod(C);
    if (T.isModule(ObjectType) || T.isJitModule(ObjectType) ||
        T.isJitMethod(ObjectType))
      if (auto K = moduleMethod(C, Library))
        return *K;
    if (T.isOptimizer(ObjectType)) {
      if (C.Name == "step")
        return Library || isDerivedOptimizerStep(Method) ? CallKind::Step
                                                         : CallKind::User;
      if (C.Name == "zero_grad")
        return CallKind::ZeroGrad;
      if (Library)
        return handleMethod(C) ? CallKind::Access : CallKind::Look;
    }
    if (!Library)
      return CallKind::User;
    if (T.isIValue(ObjectType))
      return T.carriesTensor(C.E->getType()) ? CallKind::Access
                                             : CallKind::Look;
    if (T.isContainer(ObjectType))
      return startsThread(C, ObjectType) ? CallKind::Launch
                                         : containerMethod(C);
    return libraryMethod(C);
  }

  static bool isDerivedOptimizerStep(const CXXMethodDecl *M) {
    return M->size_overridden_methods() > 0;
  }

  static bool handleMethod(const Call &C) {
    return isOneOf(C.Name, {"operator->", "operator*", "get", "value", "ptr",
                            "lock", "value_or"});
  }

  CallKind tensorMethod(Call &C) {
    StringRef N = C.Name;
    if (N == "backward")
      return CallKind::Backward;
    if (isOneOf(N, {"detach", "variable_data", "tensor_data", "data"}))
      return CallKind::Detach;
    if (N == "detach_")
      return CallKind::DetachInPlace;
    if (isOneOf(N, {"grad", "mutable_grad"}))
      return CallKind::Gradient;
    if (isOneOf(N, {"requires_grad_", "set_requires_grad"})) {
      auto On = C.Args.empty()
                    ? std::optional<bool>(true)
                    : constantBool(C.Args[0], C.Callee->getASTContext());
      return On.value_or(true) ? CallKind::MakeLeaf : CallKind::StopGrad;
    }
    if (N == "reset")
      return CallKind::Bound;
    if (isOneOf(N, {"operator->", "operator*", "unsafeGetTensorImpl"}))
      return CallKind::Access;
    if (N == "operator=")
      return CallKind::Operator; // Flow tells writes from rebinding
    if (N == "operator[]")
      N = C.Name = "select";
    C.Op = lookupOperator(N);
    C.InPlace = N.ends_with("_") && !N.ends_with("__");
    if (!T.carriesTensor(C.E->getType()))
      return CallKind::Look;
    if (convertsToInteger(C))
      return CallKind::Detach;
    return CallKind::Operator;
  }

  std::optional<CallKind> moduleMethod(Call &C, bool Library) {
    StringRef N = C.Name;
    const QualType O = C.Object->getType();
    if ((N == "forward" || N == "operator()") && !Library &&
        T.isParameterless(O))
      return CallKind::User;
    if (N == "forward")
      return CallKind::Forward;
    const bool Jit = T.isJitModule(O) || T.isJitMethod(O);
    if (N == "operator()" && T.carriesTensor(C.E->getType()))
      return CallKind::Forward;
    if (Jit && N == "run_method")
      return CallKind::Forward;
    if (N == "eval")
      return CallKind::Eval;
    if (N == "train") {
      auto On = C.Args.empty()
                    ? std::optional<bool>(true)
                    : constantBool(C.Args[0], C.Callee->getASTContext());
      return On.value_or(true) ? CallKind::Train : CallKind::Eval;
    }
    if (!Library)
      return std::nullopt;
    if (N == "zero_grad")
      return CallKind::ZeroGrad;
    if (isOneOf(N, {"parameters",
                    "named_parameters",
                    "buffers",
                    "named_buffers",
                    "children",
                    "named_children",
                    "modules",
                    "named_modules",
                    "get_parameter",
                    "attr",
                    "get_method",
                    "as",
                    "begin",
                    "end",
                    "at",
                    "ptr",
                    "operator[]",
                    "get",
                    "operator->",
                    "operator*",
                    "clone",
                    "find_method",
                    "back",
                    "front"}))
      return CallKind::Parameters;
    if (N == "register_parameter")
      return CallKind::MakeLeaf;
    if (isOneOf(N, {"register_module", "replace_module"}))
      return CallKind::Through;
    if (N == "operator=")
      return CallKind::Through;
    return CallKind::Look;
  }

  /// threads.emplace_back(callable, arguments...)
  bool startsThread(const Call &C, QualType Container) const {
    const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
        Container->getAsCXXRecordDecl());
    if (!R || R->getTemplateArgs().size() == 0 ||
        R->getTemplateArgs()[0].getKind() != TemplateArgument::Type ||
        !C.Name.starts_with("emplace"))
      return false;
    const CXXRecordDecl *E =
        R->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
    return E && isThread(E);
  }

  bool isThread(const CXXRecordDecl *R) const {
    return (R->isInStdNamespace() && R->getIdentifier() &&
            isOneOf(R->getName(), {"thread", "jthread"})) ||
           nameInList(R, Names.ThreadLaunchers);
  }

  CallKind containerMethod(Call &C) {
    StringRef N = C.Name;
    if (isOneOf(N, {"push_back", "emplace_back", "push_front", "emplace_front",
                    "push", "emplace", "insert", "insert_or_assign",
                    "insert_after", "try_emplace", "append", "extend", "merge",
                    "splice", "emplace_hint"}))
      return CallKind::Insert;
    if (N == "resize" && !C.Args.empty() && mentions(C.Args[0], {"size"}))
      return CallKind::Look; // grows by one
    if (isOneOf(N, {"clear", "pop_back", "pop_front", "pop", "erase", "resize",
                    "swap", "extract", "assign", "remove", "remove_if"}))
      return CallKind::Bound;
    if (N == "operator=")
      return CallKind::Through;
    // at, [], front, back, begin, find, data, top: all name the contents.
    return T.carriesTensor(C.E->getType()) || T.isHandle(C.E->getType()) ||
                   C.E->isGLValue()
               ? CallKind::Access
               : CallKind::Look;
  }

  CallKind libraryMethod(Call &C) {
    StringRef N = C.Name;
    const QualType O = C.Object->getType();
    if (N == "operator=")
      return CallKind::Through;
    if (N == "run" && T.isThreadPool(O))
      return CallKind::Launch;
    if (N == "reset" && (C.Args.empty() || isAbsent(C.Args[0])))
      return CallKind::Bound;
    if (isOneOf(N, {"emplace", "reset"}))
      return CallKind::Assign;
    if (handleMethod(C) || T.isHandle(O))
      return CallKind::Access;
    // Tuples, lists, dictionaries, examples: any part of the object.
    if (T.carriesTensor(O) && T.carriesTensor(C.E->getType()))
      return CallKind::Access;
    return CallKind::Through;
  }

  CallKind freeFunction(Call &C) {
    const FunctionDecl *F = C.Callee;
    StringRef N = C.Name;
    if (nameInList(F, Names.NonConsumers))
      return CallKind::Look;
    if (nameInList(F, Names.ThreadLaunchers))
      return CallKind::Launch;
    if (!T.isLibrary(F))
      return CallKind::User;
    StringRef Top = Types::topNamespace(F);
    if (Top == "std" || Top == "__gnu_cxx")
      return stdFunction(C);
    if (Top != "at" && Top != "c10" && Top != "torch")
      return CallKind::Look; // C library, system headers
    if (const auto *M = dyn_cast<CXXMethodDecl>(F)) {
      StringRef R = M->getParent()->getIdentifier() ? M->getParent()->getName()
                                                    : StringRef();
      if (R == "GradMode" || R == "AutogradState") {
        if (N == "set_enabled" || N == "set_grad_mode")
          return CallKind::SetGradMode;
        if (N == "is_enabled")
          return CallKind::GetGradMode;
      }
      if (N == "apply")
        return CallKind::Operator; // autograd::Function<T>::apply
    }
    if (N == "backward")
      return CallKind::Backward;
    if (N == "grad" && !C.Args.empty() && T.carriesTensor(C.E->getType()))
      return CallKind::AutogradGrad;
    if (isOneOf(N, {"make_shared", "make_intrusive", "make_optional"}))
      return CallKind::Through;
    if (Top == "at")
      if (auto K = parallelFunction(C))
        return *K;
    if (isOneOf(N, {"detach", "detach_copy"}))
      return CallKind::Detach;
    C.Op = lookupOperator(N);
    C.InPlace = N.ends_with("_") && !N.ends_with("__") && !C.Args.empty() &&
                T.isTensor(C.Args[0]->getType());
    if (!T.carriesTensor(C.E->getType()))
      return CallKind::Look; // save, print, clip_grad_norm_, manual_seed
    return CallKind::Operator;
  }

  /// Measured on 1.13 and 2.11: launch hands its caller's state to the task,
  /// the loops do not.
  static std::optional<CallKind> parallelFunction(Call &C) {
    if (isOneOf(C.Name, {"parallel_for", "parallel_reduce"})) {
      C.Where = Launcher::Team;
      return CallKind::Launch;
    }
    if (C.Name == "launch") {
      C.Where = Launcher::Task;
      return CallKind::Launch;
    }
    if (C.Name == "launch_no_thread_state")
      return CallKind::Launch;
    // Here or on another thread, as LibTorch was built.
    if (C.Name.starts_with("intraop_launch"))
      return CallKind::Opaque;
    return std::nullopt;
  }

  CallKind stdFunction(Call &C) {
    StringRef N = C.Name;
    if (isOneOf(N, {"move", "forward", "as_const", "ref", "cref", "get",
                    "addressof", "get_if", "begin", "end", "cbegin", "cend",
                    "next", "prev", "move_if_noexcept", "data",
                    "make_move_iterator"}) &&
        !C.Args.empty())
      if (N != "move" || C.Args.size() == 1)
        return CallKind::Same;
    if (N == "tie")
      return CallKind::Tie;
    if (isOneOf(N, {"back_inserter", "inserter", "front_inserter"}))
      return CallKind::BackInserter;
    if (N == "async") // a deferred one runs wherever its result is asked for
      return !C.Args.empty() && mentions(C.Args[0], {"deferred"}) &&
                     !mentions(C.Args[0], {"async"})
                 ? CallKind::Opaque
                 : CallKind::Launch;
    if (isOneOf(N, {"for_each",      "for_each_n",  "transform",
                    "accumulate",    "reduce",      "transform_reduce",
                    "inner_product", "generate",    "generate_n",
                    "copy",          "copy_if",     "copy_n",
                    "move",          "find_if",     "any_of",
                    "all_of",        "none_of",     "count_if",
                    "partition",     "remove_if",   "sort",
                    "stable_sort",   "max_element", "min_element",
                    "iota",          "partial_sum"}))
      return CallKind::Algorithm;
    if (!T.carriesTensor(C.E->getType()))
      return CallKind::Look;
    return CallKind::Through;
  }

  const Types &T;
  const CallNames &Names;
};

} // namespace

Call torchtidy::semantics::classify(const Expr *E, const Types &T,
                                    const CallNames &Names) {
  return Classifier(T, Names).run(E);
}
