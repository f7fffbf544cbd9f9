//===- Transfer.h - Effects of statements -----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What one element of a CFG does to the state. In the recording pass it also
/// writes down events, call sites and value-flow edges.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_TRANSFER_H
#define TORCHTIDY_FLOW_TRANSFER_H

#include "Flow/Analysis.h"
#include "clang/Analysis/CFG.h"

namespace torchtidy::flow {

class Transfer {
public:
  Transfer(Analysis &A, FunctionFacts &Facts) : A(A), Facts(Facts) {}

  void begin(State &State, bool Record) {
    S = &State;
    Recording = Record;
  }
  void element(const clang::CFGElement &E);

private:
  // Statements (Transfer.cpp).
  void statement(const clang::Stmt *X);
  void declare(const clang::VarDecl *V);
  void returns(const clang::ReturnStmt *R);
  void initializer(const clang::CXXCtorInitializer *I);

  // Grad mode (TransferGuards.cpp).
  void declareGuard(const clang::VarDecl *V);
  void endOfLife(const clang::VarDecl *V);
  void setGradMode(const semantics::Call &C);
  /// Under a guard of this kind whose constructor got these arguments.
  /// Under a ThreadLocalStateGuard.
  Mode handedOver(const clang::Expr *Guard);
  Mode under(semantics::GuardKind K, std::optional<bool> Argument,
             const clang::Expr *By) const;
  Mode underHandle(clang::QualType T,
                   llvm::ArrayRef<const clang::Expr *> Arguments,
                   const clang::Expr *By) const;
  Mode underHandle(clang::QualType T, const clang::Expr *Init) const;
  /// The object's destructor puts back what its constructor changed.
  void constructed(const clang::CXXConstructExpr *E, Mode Before);
  /// Grad mode belongs to a thread: the one that runs \p At.
  void enterRegion(const clang::Stmt *At);

  // Assignments (TransferAssign.cpp).
  /// `std::tie(a, std::tie(b, c)) = f()`; false if \p Left is no tie.
  bool assignTie(const clang::Expr *E, const clang::Expr *Left, Value From,
                 const clang::Expr *Right);
  /// The parts of tuples, pairs and aggregates.
  using Parts = llvm::SmallVector<Cell, 2>;
  Storage partOf(const Storage &S, clang::QualType Type, unsigned I) const;
  Parts partsFrom(llvm::ArrayRef<const clang::Expr *> Parts);
  /// Of a value of type \p From where \p To is wanted; empty for other types.
  Parts parts(const Value &V, clang::QualType From, clang::QualType To) const;
  /// Once the whole of type \p Type is written.
  void writeParts(const Storage &To, clang::QualType Type,
                  const clang::Expr *From, const Value &V);
  void assign(const clang::Expr *E, const clang::Expr *Left,
              const clang::Expr *Right);

  // Values of expressions (TransferValues.cpp).
  Value value(const clang::Expr *E);
  Value evaluate(const clang::Expr *E);
  Value reference(const clang::ValueDecl *D, const clang::Expr *E);
  Cell read(const Value &V) const;
  Cell read(const Storage &Loc) const;
  void write(const Storage &Loc, Cell C, bool Weak);
  Value joinOf(llvm::ArrayRef<const clang::Expr *> Parts, const clang::Expr *To,
               FlowEdge Like = {});

  // Calls (TransferCalls.cpp and the file of each kind).
  Value call(const clang::Expr *E);
  Value tensorOperator(const semantics::Call &C);
  bool readsGradient(const clang::Stmt *X) const;
  /// `w -= lr * w.grad()`: \p To is changed by its own gradient, if \p From
  /// reads that; null: a tensor is made anew.
  void stepByHand(const clang::Expr *E, const clang::Expr *To,
                  llvm::ArrayRef<const clang::Expr *> From);
  LossShape shapeOf(const semantics::Call &C);
  Value forward(const semantics::Call &C);
  Value backward(const semantics::Call &C);
  Value insert(const semantics::Call &C);
  Value launch(const semantics::Call &C);
  Value algorithm(const semantics::Call &C);
  Value user(const semantics::Call &C);
  Value opaque(const semantics::Call &C);
  bool mayBeElsewhere(const clang::FunctionDecl *F) const;
  /// Keeps a call for files that define its callee.
  void noteElsewhere(const clang::FunctionDecl *Callee,
                     const semantics::Call &C, bool IsForward);
  std::unique_ptr<CallSite> bind(const clang::FunctionDecl *Callee,
                                 const clang::Expr *E,
                                 const clang::Expr *Object,
                                 llvm::ArrayRef<const clang::Expr *> Arguments,
                                 CallSite::Kind K, bool IsForward);
  /// Where values go at a call, and what comes back.
  void connect(const CallSite &Site, const clang::Expr *Object,
               llvm::ArrayRef<const clang::Expr *> Arguments);
  /// A call of which only the arguments are known.
  Value unseen(const clang::Expr *E, const clang::Expr *Object,
               llvm::ArrayRef<const clang::Expr *> Arguments);
  /// Runs the summary of \p Callee at this call; \p Arguments may hold null
  /// for arguments without an expression here.
  Value enter(const clang::FunctionDecl *Callee, const clang::Expr *E,
              const clang::Expr *Object,
              llvm::ArrayRef<const clang::Expr *> Arguments, CallSite::Kind K,
              bool IsForward = false);

  // Tensors of inference mode (TransferInference.cpp).
  /// Of the result of an operator or a detach over these.
  Birth birthOf(const semantics::Call &C,
                llvm::ArrayRef<const clang::Expr *> Parts);
  void meet(Meeting::Kind K, const clang::Expr *E, const clang::Expr *Operand,
            const Birth &B);
  void meetSaved(const semantics::Call &C, const Storage &Module);
  /// A call that is not seen may put another tensor there.
  void mayChange(const clang::Expr *Argument);
  /// Of the parameters of a module.
  Birth birthOfModule(const clang::Expr *E);
  /// Of what a call makes or hands on, if that is a module.
  Birth birthOfModule(const semantics::Call &C);
  /// The result of a call that carries no tensor, but perhaps a module.
  Value madeModule(const semantics::Call &C);
  /// `net = make_shared<Net>()`, and what is such for a declaration.
  void keepModule(const clang::Expr *From, const Storage &To);
  /// An optimizer is made that will change these.
  void meetOptimizer(const semantics::Call &C);

  // Recording (TransferValues.cpp).
  Event *record(Event::Kind K, const clang::Expr *E);
  void flow(FlowNode From, FlowEdge To);
  void flow(FlowNode From, FlowNode To, bool Cut = false);
  void flow(const clang::Expr *From, const clang::Expr *To, bool Cut = false);
  /// The value goes where it cannot be followed.
  void leaks(const clang::Expr *E);
  /// \p Whole: nothing else is in there any more.
  void flowInto(const clang::Expr *From, const Storage &To, bool Whole = false);
  /// The variable, if all that is done with it is seen here and in order.
  const clang::VarDecl *tracked(const Storage &Loc) const;
  void flowOut(const Storage &From, const clang::Expr *To, bool Cut = false);
  bool carries(const clang::Expr *E) const {
    return A.T.carriesTensor(E->getType());
  }

  Analysis &A;
  FunctionFacts &Facts;
  State *S = nullptr;
  bool Recording = false;
  const clang::FunctionDecl *UnseenCallee = nullptr; ///< of the call at hand
  llvm::DenseMap<const clang::Expr *, Value> Values;
};

/// Does a handle start out holding something? `nullptr`, `{}`: no; empty: it
/// depends.
std::optional<bool> engaged(const clang::Expr *Init);

/// Skips parentheses, casts and temporaries that change nothing.
const clang::Expr *skipNoise(const clang::Expr *E);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_TRANSFER_H
