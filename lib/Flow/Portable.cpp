//===- Portable.cpp - What a file's functions do, for others --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Portable.h"
#include "Flow/ValueFlow.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <type_traits>

using namespace torchtidy::flow::portable;
using torchtidy::flow::FlowNode;

namespace {

constexpr llvm::StringLiteral Magic("torchtidy summary 2\n");

/// Writes what each `fields` below names.
class Writer {
public:
  explicit Writer(llvm::raw_ostream &OS) : OS(OS) {}

  template <class... Ts> void operator()(Ts &...Each) { (one(Each), ...); }
  void decl(const DeclRef &D) { one(D); }
  void node(const NodeRef &N) { one(N); }
  void call(const CallRef &C) { one(C); }
  void file(const uint32_t &F) { one(F); }

private:
  template <class T> void one(const T &X);
  void one(const std::string &S) {
    llvm::encodeULEB128(S.size(), OS);
    OS << S;
  }
  template <class T> void one(const std::vector<T> &V) {
    llvm::encodeULEB128(V.size(), OS);
    for (const T &X : V)
      one(X);
  }
  template <class L, class R> void one(const std::pair<L, R> &P) {
    one(P.first);
    one(P.second);
  }
  template <class T> void one(const std::optional<T> &O) {
    llvm::encodeULEB128(O.has_value(), OS);
    if (O)
      one(*O);
  }

  llvm::raw_ostream &OS;
};

/// Reads it back. After a fault everything is empty, and `Why` says which.
class Reader {
public:
  Reader(llvm::StringRef Bytes, std::string &Why)
      : At(Bytes.bytes_begin()), End(Bytes.bytes_end()), Why(Why) {}

  template <class... Ts> void operator()(Ts &...Each) { (one(Each), ...); }
  void decl(DeclRef &D) { index(D, MaxDecl); }
  void node(NodeRef &N) { index(N, MaxNode); }
  void call(CallRef &C) { index(C, MaxCall); }
  void file(uint32_t &F) { index(F, MaxFile); }

  bool done() {
    if (Why.empty() && At != End)
      fail("there is more than a summary in it");
    return Why.empty();
  }
  /// The greatest index that was read of each table.
  uint32_t MaxDecl = 0, MaxNode = 0, MaxCall = 0, MaxFile = 0;

private:
  template <class T> void one(T &X);
  uint64_t number() {
    unsigned Length = 0;
    const char *Error = nullptr;
    const uint64_t N = llvm::decodeULEB128(At, &Length, End, &Error);
    if (Error) {
      fail("it is cut short");
      return 0;
    }
    At += Length;
    return N;
  }
  void index(uint32_t &I, uint32_t &Max) {
    one(I);
    Max = std::max(Max, I);
  }
  void one(std::string &S) {
    const uint64_t N = number();
    if (N > uint64_t(End - At))
      return fail("it is cut short");
    S.assign(reinterpret_cast<const char *>(At), N);
    At += N;
  }
  template <class T> void one(std::vector<T> &V) {
    const uint64_t N = number();
    if (N > uint64_t(End - At)) // each takes a byte at least
      return fail("it is cut short");
    for (uint64_t I = 0; I < N && Why.empty(); ++I) {
      V.emplace_back();
      one(V.back());
    }
  }
  template <class L, class R> void one(std::pair<L, R> &P) {
    one(P.first);
    one(P.second);
  }
  template <class T> void one(std::optional<T> &O) {
    O.reset();
    if (number()) {
      O.emplace();
      one(*O);
    }
  }
  void fail(const char *What) {
    if (Why.empty())
      Why = What;
    At = End;
  }

  const uint8_t *At, *End;
  std::string &Why;
};

// Once for both ways: the fields of each part, in their order.

template <class Ar> void fields(Ar &A, Location &X) {
  A.file(X.File);
  A(X.Line, X.Column);
}
template <class Ar> void fields(Ar &A, Declaration &X) {
  A(X.K, X.Id, X.Name);
  A.decl(X.Owner);
  A(X.Index, X.Access, X.IsStatic, X.IsWritable, X.Type, X.Where);
}
template <class Ar> void fields(Ar &A, Place &X) {
  A(X.K);
  A.decl(X.D);
  A(X.Path);
}
template <class Ar> void fields(Ar &A, Mode &X) {
  A(X.Bits);
  A.node(X.By);
  A(X.Makes);
  A.node(X.InferenceBy);
}
template <class Ar> void fields(Ar &A, Atom &X) {
  A(X.K, X.IfGrad, X.Through, X.Of);
  A.node(X.Origin);
}
template <class Ar> void fields(Ar &A, Cell &X) { A(X.H, X.Shape, X.ShapeOf); }
template <class Ar> void fields(Ar &A, Node &X) {
  A(X.K, X.Type, X.OverModules);
  A.decl(X.D);
  A(X.Value, X.Where, X.End, X.Children);
}
template <class Ar> void fields(Ar &A, Point &X) { A(X.K, X.Of); }
template <class Ar> void fields(Ar &A, Edge &X) {
  A(X.From, X.To, X.Cut, X.Forward, X.Summary, X.Crossing);
  A.call(X.Site);
  A.decl(X.UnlessSeen);
}
template <class Ar> void fields(Ar &A, Event &X) {
  A(X.K, X.How);
  A.node(X.E);
  A.node(X.Stored);
  A.node(X.Key);
  A.node(X.Algorithm);
  A(X.Target, X.Value, X.Grad, X.RetainsGraph, X.HasGradient, X.FixedHolder,
    X.ByHand, X.IsFold);
  A.decl(X.Callee);
}
template <class Ar> void fields(Ar &A, Call::Binding &X) {
  A(X.Parameter, X.Named, X.Passed);
}
template <class Ar> void fields(Ar &A, Call &X) {
  A(X.K);
  A.decl(X.Callee);
  A.node(X.E);
  A(X.Grad, X.IsForward, X.SameThis, X.This, X.Parameters, X.Before);
}
template <class Ar> void fields(Ar &A, Function &X) {
  A.decl(X.D);
  A(X.Entry, X.ReadsGradients, X.DividesRate, X.Overrides, X.Mentions,
    X.Returned, X.ReturnedElements, X.ReturnedPlace, X.Exit, X.Writes, X.Events,
    X.Calls);
  A.node(X.Body);
}
template <class Ar> void fields(Ar &A, Module &X) {
  A(X.Files, X.Decls, X.Nodes, X.Calls, X.Edges, X.Functions, X.Aliases,
    X.Gradients, X.ParameterUses, X.AsksOthers);
}

template <class T> void Writer::one(const T &X) {
  if constexpr (std::is_enum_v<T>)
    llvm::encodeULEB128(uint64_t(X), OS);
  else if constexpr (std::is_integral_v<T>)
    llvm::encodeULEB128(uint64_t(X), OS);
  else
    fields(*this, const_cast<T &>(X)); // one list of fields for both ways
}

template <class T> void Reader::one(T &X) {
  if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    X = T(number());
  else
    fields(*this, X);
}

/// What the reader's greatest numbers do not tell: numbers in plain vectors.
void checkTables(const Module &M, Reader &In, std::string &Why) {
  auto Check = [&](bool Good, const char *What) {
    if (!Good && Why.empty())
      Why = What;
  };
  uint32_t Decl = In.MaxDecl, NodeMax = In.MaxNode, CallMax = In.MaxCall;
  for (const auto &[D, P] : M.Aliases)
    Decl = std::max(Decl, D);
  for (DeclRef D : M.Gradients)
    Decl = std::max(Decl, D);
  for (NodeRef N : M.ParameterUses)
    NodeMax = std::max(NodeMax, N);
  for (const Function &F : M.Functions) {
    for (CallRef C : F.Calls)
      CallMax = std::max(CallMax, C);
    for (DeclRef D : F.Mentions)
      Decl = std::max(Decl, D);
  }
  for (size_t I = 0; I < M.Nodes.size(); ++I) {
    const Node &N = M.Nodes[I];
    Check(N.K <= Node::Member, "it has a statement of an unknown kind");
    for (NodeRef Child : N.Children)
      Check(Child <= I, "a part of a statement stands behind it");
  }
  for (const Edge &E : M.Edges)
    for (const Point &P : {E.From, E.To}) {
      if (P.K == FlowNode::Expression || P.K == FlowNode::Definition)
        NodeMax = std::max(NodeMax, P.Of);
      else
        Decl = std::max(Decl, P.Of);
    }
  Check(Decl <= M.Decls.size(), "it names a declaration that it does not have");
  Check(NodeMax <= M.Nodes.size(),
        "it names a statement that it does not have");
  Check(CallMax <= M.Calls.size(), "it names a call that it does not have");
  Check(In.MaxFile <= M.Files.size(), "it names a file that it does not have");
}

} // namespace

std::string torchtidy::flow::portable::encode(const Module &M) {
  std::string Bytes = Magic.str();
  llvm::raw_string_ostream OS(Bytes);
  Writer Out(OS);
  Out(M);
  return Bytes;
}

std::optional<Module> torchtidy::flow::portable::decode(llvm::StringRef Bytes,
                                                        std::string &Why) {
  Why.clear();
  if (!Bytes.consume_front(Magic)) {
    Why = "it is no summary of this version";
    return std::nullopt;
  }
  Reader In(Bytes, Why);
  Module M;
  In(M);
  if (In.done())
    checkTables(M, In, Why);
  if (!Why.empty())
    return std::nullopt;
  return M;
}
