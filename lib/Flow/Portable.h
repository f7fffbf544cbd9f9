//===- Portable.h - What a file's functions do, for others ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The summaries of one file without its AST: what FunctionFacts and the value
/// flow hold, by numbers instead of pointers. What a header declares carries an
/// id: its USR (clang's USRGeneration.h) and where it is declared, for one
/// project may have several programs with other things of the same name.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_PORTABLE_H
#define TORCHTIDY_FLOW_PORTABLE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torchtidy::flow::portable {

/// Indices count from 1; 0 is "none".
using DeclRef = uint32_t;
using NodeRef = uint32_t;
using CallRef = uint32_t;

/// As much of a type as conditions ask for.
enum class TypeClass : uint8_t { Other, Integer, Boolean, Floating };

struct Location {
  uint32_t File = 0; ///< index into Module::Files plus 1; 0: none
  uint32_t Line = 0, Column = 0;
};

struct Declaration {
  enum Kind : uint8_t { Function, Parameter, Local, Field, Global } K = Local;
  std::string Id; ///< as other files name it; empty: only this file knows it
  std::string Name;
  DeclRef Owner = 0;       ///< function of a parameter or local
  uint32_t Index = 0;      ///< of a parameter
  uint32_t Access = 0;     ///< clang::AccessSpecifier, of a field
  bool IsStatic = false;   ///< of a local: it outlives the function
  bool IsWritable = false; ///< of a parameter: a reference or pointer to write
  TypeClass Type = TypeClass::Other;
  Location Where;
};

/// flow::Storage.
struct Place {
  enum Kind : uint8_t { Nothing, This, Root } K = Nothing;
  DeclRef D = 0;
  /// A field's declaration times 2, or an element as flow::Storage has it.
  std::vector<uint64_t> Path;
};

struct Mode {
  uint8_t Bits = 0;
  NodeRef By = 0;
  uint8_t Makes = 0;
  NodeRef InferenceBy = 0;
};

struct Atom {
  uint8_t K = 0;
  bool IfGrad = false, Through = false;
  Place Of;
  NodeRef Origin = 0;
};
using History = std::vector<Atom>;

struct Cell {
  History H;
  uint8_t Shape = 0;
  std::optional<Place> ShapeOf;
};

/// A node of the body as far as it matters: a statement, an expression that
/// facts name, or a part of a condition.
struct Node {
  enum Kind : uint8_t {
    Block,
    If,       ///< init, condition, then, else
    For,      ///< init, condition, increment, body
    ForRange, ///< range, body; D: the loop variable
    While,    ///< condition, body
    Do,       ///< body, condition
    Switch,   ///< condition, body
    Try,      ///< block, handlers
    Handler,  ///< block
    Return,
    Break,
    Continue,
    Variable,  ///< declares D; parts of its initialiser
    Throw,     ///< this and the following are expressions
    Opaque,    ///< an expression of which only the parts are known
    Binary,    ///< Value: clang::BinaryOperatorKind
    Unary,     ///< Value: clang::UnaryOperatorKind
    Integer,   ///< Value
    Reference, ///< D
    Member     ///< D; the base
  } K = Opaque;
  TypeClass Type = TypeClass::Other; ///< of expressions
  /// Of loops: each round is about another module or parameter.
  bool OverModules = false;
  DeclRef D = 0;
  int64_t Value = 0;
  Location Where, End;
  std::vector<NodeRef> Children; ///< 0 where a part is missing
};

/// flow::FlowNode.
struct Point {
  uint8_t K = 0;
  uint32_t Of = 0; ///< a node or a declaration
};

/// flow::FlowEdge.
struct Edge {
  Point From, To;
  bool Cut = false, Forward = false, Summary = false;
  uint8_t Crossing = 0;
  CallRef Site = 0;
  DeclRef UnlessSeen = 0;
};

/// flow::Event.
struct Event {
  uint8_t K = 0, How = 0;
  NodeRef E = 0, Stored = 0, Key = 0, Algorithm = 0;
  Place Target;
  Cell Value;
  portable::Mode Grad;
  bool RetainsGraph = false, HasGradient = false, FixedHolder = false,
       ByHand = false, IsFold = false;
  DeclRef Callee = 0;
};

/// flow::CallSite.
struct Call {
  uint8_t K = 0;
  DeclRef Callee = 0;
  NodeRef E = 0;
  portable::Mode Grad;
  bool IsForward = false, SameThis = false;
  Place This;
  struct Binding {
    uint32_t Parameter = 0; ///< counts from 0
    Place Named;
    Cell Passed;
  };
  std::vector<Binding> Parameters;
  std::vector<std::pair<Place, Cell>> Before; ///< of what the callee can name
};

/// flow::FunctionFacts.
struct Function {
  DeclRef D = 0;
  uint8_t Entry = 0; ///< grad mode where no visible code calls it
  bool ReadsGradients = false, DividesRate = false;
  std::vector<std::string> Overrides; ///< ids
  std::vector<DeclRef> Mentions;      ///< fields and globals with an id
  Cell Returned;
  std::vector<Cell> ReturnedElements;
  Place ReturnedPlace;
  portable::Mode Exit;
  std::vector<std::pair<Place, Cell>> Writes;
  std::vector<Event> Events;
  std::vector<CallRef> Calls;
  NodeRef Body = 0;
};

/// One file.
struct Module {
  std::vector<std::string> Files; ///< absolute paths; the first is its own
  std::vector<Declaration> Decls;
  std::vector<Node> Nodes; ///< parents behind their children
  std::vector<Call> Calls;
  std::vector<Edge> Edges;
  std::vector<Function> Functions;
  std::vector<std::pair<DeclRef, Place>> Aliases;
  std::vector<DeclRef> Gradients;
  std::vector<NodeRef> ParameterUses;
  /// Something was not judged because other files may change it.
  bool AsksOthers = false;
};

/// The bytes of a module. Equal modules have equal bytes.
std::string encode(const Module &M);
/// Checks every number against its table. \p Why says what is wrong.
std::optional<Module> decode(llvm::StringRef Bytes, std::string &Why);

} // namespace torchtidy::flow::portable

#endif // TORCHTIDY_FLOW_PORTABLE_H
