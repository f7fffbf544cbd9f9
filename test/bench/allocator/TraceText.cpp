//===- TraceText.cpp - Traces as text -------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"
#include <istream>
#include <ostream>
#include <sstream>
#include <unordered_map>

using namespace torchtidy::bench;

void torchtidy::bench::dump(const Trace &T, std::ostream &Out) {
  for (const Op &O : T.Ops) {
    switch (O.Kind) {
    case OpKind::Allocate:
      Out << "allocate " << O.Id << ' ' << O.Value;
      if (O.Stream)
        Out << ' ' << O.Stream;
      break;
    case OpKind::Free:
      Out << "free " << O.Id;
      break;
    case OpKind::Record:
      Out << "record " << O.Id << ' ' << O.Stream;
      break;
    case OpKind::Launch:
      Out << "launch " << O.Stream << ' ' << O.Value;
      for (uint32_t I = O.First; I != O.First + O.Count; ++I)
        Out << (T.Uses[I].Write ? " w:" : " r:") << T.Uses[I].Id;
      break;
    case OpKind::Wait:
      Out << "wait " << O.Stream << ' ' << O.Id;
      break;
    case OpKind::Sync:
      Out << "sync " << O.Stream;
      break;
    case OpKind::Mark:
      Out << "mark";
      break;
    case OpKind::Empty:
      Out << "empty";
      break;
    case OpKind::Host:
      Out << "host " << O.Value;
      break;
    }
    Out << '\n';
  }
}

namespace {
constexpr uint64_t MostStreams = 1024;
// More than any device has; sums of sizes cannot overflow below 2^24 blocks.
constexpr uint64_t MostBytes = uint64_t(1) << 40;

class Reader {
public:
  explicit Reader(Trace &T) : T(T) {}

  /// Null, or what is wrong with the line.
  const char *line(const std::string &Text) {
    Words.clear();
    Words.str(Text.substr(0, Text.find('#')));
    std::string What;
    if (!(Words >> What))
      return nullptr;
    if (const char *Why = operation(What))
      return Why;
    std::string More;
    return Words >> More ? "too many words" : nullptr;
  }

private:
  Trace &T;
  std::istringstream Words;
  struct Seen {
    uint32_t Id;
    bool Live;
  };
  std::unordered_map<uint64_t, Seen> Ids;

  static bool parse(const std::string &Word, uint64_t &V) {
    if (Word.empty() || Word.find_first_not_of("0123456789") != Word.npos ||
        Word.size() > 20)
      return false;
    try {
      V = std::stoull(Word);
    } catch (const std::out_of_range &) {
      return false;
    }
    return true;
  }
  bool number(uint64_t &V) {
    std::string Word;
    return Words >> Word && parse(Word, V);
  }
  const char *stream(uint64_t &S) {
    if (!number(S))
      return "needs the number of a stream";
    return S < MostStreams ? nullptr : "streams count from 0 to 1023";
  }
  Seen *live(uint64_t Name, const char *&Why) {
    auto It = Ids.find(Name);
    Why = It == Ids.end()   ? "a block that was never allocated"
          : It->second.Live ? nullptr
                            : "a block that was freed";
    return Why ? nullptr : &It->second;
  }
  Seen *block(const char *&Why) {
    uint64_t Name;
    Why = "needs the number of a block";
    return number(Name) ? live(Name, Why) : nullptr;
  }
  void add(OpKind Kind, uint64_t Stream, uint32_t Id, uint64_t Value) {
    Op O{Kind};
    O.Stream = uint16_t(Stream);
    O.Id = Id;
    O.Value = Value;
    T.Ops.push_back(O);
  }

  const char *allocate() {
    uint64_t Name, Bytes, Stream = 0;
    if (!number(Name))
      return "needs the number of a block";
    if (!number(Bytes) || !Bytes || Bytes > MostBytes)
      return "needs a size from 1 to 2^40 bytes";
    if (!(Words >> std::ws).eof())
      if (const char *Why = stream(Stream))
        return Why;
    if (!Ids.emplace(Name, Seen{uint32_t(Ids.size()), true}).second)
      return "this number was allocated before";
    add(OpKind::Allocate, Stream, uint32_t(Ids.size() - 1), Bytes);
    return nullptr;
  }
  const char *launch() {
    uint64_t Stream, Ns;
    if (const char *Why = stream(Stream))
      return Why;
    if (!number(Ns))
      return "needs a duration in ns";
    add(OpKind::Launch, Stream, 0, Ns);
    T.Ops.back().First = uint32_t(T.Uses.size());
    std::string Word;
    while (Words >> Word) {
      uint64_t Name;
      bool Write = Word.rfind("w:", 0) == 0;
      if ((!Write && Word.rfind("r:", 0) != 0) || !parse(Word.substr(2), Name))
        return "uses are written r:ID or w:ID";
      const char *Why;
      Seen *S = live(Name, Why);
      if (!S)
        return Why;
      T.Uses.push_back({S->Id, Write});
      ++T.Ops.back().Count;
    }
    return nullptr;
  }
  const char *operation(const std::string &What) {
    const char *Why = nullptr;
    uint64_t Stream, Other;
    if (What == "allocate")
      return allocate();
    if (What == "launch")
      return launch();
    if (What == "free") {
      if (Seen *S = block(Why)) {
        S->Live = false;
        add(OpKind::Free, 0, S->Id, 0);
      }
      return Why;
    }
    if (What == "record") {
      Seen *S = block(Why);
      if (S && !(Why = stream(Stream)))
        add(OpKind::Record, Stream, S->Id, 0);
      return Why;
    }
    if (What == "wait") {
      if ((Why = stream(Stream)) || (Why = stream(Other)))
        return Why;
      if (Stream == Other)
        return "a stream waits for itself";
      add(OpKind::Wait, Stream, uint32_t(Other), 0);
      return nullptr;
    }
    if (What == "sync") {
      if (!(Why = stream(Stream)))
        add(OpKind::Sync, Stream, 0, 0);
      return Why;
    }
    if (What == "host") {
      if (!number(Other))
        return "needs a duration in ns";
      add(OpKind::Host, 0, 0, Other);
      return nullptr;
    }
    if (What == "mark" || What == "empty") {
      add(What == "mark" ? OpKind::Mark : OpKind::Empty, 0, 0, 0);
      return nullptr;
    }
    return "no such operation";
  }
};
} // namespace

std::string torchtidy::bench::load(std::istream &In, Trace &T) {
  T = Trace();
  Reader R(T);
  std::string Line;
  for (size_t N = 1; std::getline(In, Line); ++N)
    if (const char *Why = R.line(Line))
      return "line " + std::to_string(N) + ": " + Why;
  if (T.Ops.empty())
    return "line 1: no operations";
  measure(T);
  return {};
}
