//===- SourceLines.cpp - Lines of source files for reports ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/SourceLines.h"
#include <algorithm>
#include <fstream>
#include <sstream>

using namespace torchtidy::report;

const std::string &SourceLines::contents(const std::string &File) {
  auto [It, New] = Files.try_emplace(File);
  if (New) {
    std::ifstream In(File, std::ios::binary);
    std::ostringstream Text;
    if (In && Text << In.rdbuf())
      It->second = Text.str();
  }
  return It->second;
}

std::string SourceLines::line(const std::string &File, unsigned Line) {
  const std::string &Text = contents(File);
  size_t Begin = 0;
  for (unsigned L = 1; L < Line; ++L) {
    Begin = Text.find('\n', Begin);
    if (Begin == std::string::npos)
      return {};
    ++Begin;
  }
  std::string Found = Text.substr(Begin, Text.find('\n', Begin) - Begin);
  if (!Found.empty() && Found.back() == '\r')
    Found.pop_back();
  return Found;
}

std::pair<unsigned, unsigned> SourceLines::position(const std::string &File,
                                                    unsigned Offset) {
  const std::string &Text = contents(File);
  if (Offset > Text.size() || Text.empty())
    return {0, 0};
  unsigned Line = 1, Column = 1;
  for (size_t I = 0; I < Offset; ++I) {
    ++Column;
    if (Text[I] == '\n') {
      ++Line;
      Column = 1;
    }
  }
  return {Line, Column};
}

/// Length of the UTF-8 sequence at \p I, 0 if it is broken.
static unsigned sequenceLength(const std::string &S, size_t I) {
  const unsigned char C = S[I];
  const unsigned Length = C < 0x80                ? 1
                          : C >= 0xC2 && C < 0xE0 ? 2
                          : C >= 0xE0 && C < 0xF0 ? 3
                          : C >= 0xF0 && C < 0xF5 ? 4
                                                  : 0;
  if (Length == 0 || I + Length > S.size())
    return 0;
  for (unsigned K = 1; K < Length; ++K)
    if ((static_cast<unsigned char>(S[I + K]) & 0xC0) != 0x80)
      return 0;
  return Length;
}

ScreenLine ScreenLine::of(const std::string &Line) {
  ScreenLine S;
  unsigned Column = 0;
  for (size_t I = 0; I < Line.size();) {
    if (Line[I] == '\t') {
      S.Columns.push_back(Column);
      do {
        S.Text += ' ';
        ++Column;
      } while (Column % 8 != 0);
      ++I;
      continue;
    }
    const unsigned Length = sequenceLength(Line, I);
    const bool Printable =
        Length != 0 && static_cast<unsigned char>(Line[I]) >= 0x20;
    S.Text += Printable ? Line.substr(I, Length) : std::string("?");
    for (unsigned K = 0; K < std::max(1U, Length); ++K)
      S.Columns.push_back(Column);
    ++Column;
    I += std::max(1U, Length);
  }
  S.Columns.push_back(Column);
  return S;
}

unsigned ScreenLine::column(unsigned ByteColumn) const {
  return ByteColumn < Columns.size()
             ? Columns[ByteColumn]
             : Columns.back() + ByteColumn -
                   static_cast<unsigned>(Columns.size() - 1);
}
