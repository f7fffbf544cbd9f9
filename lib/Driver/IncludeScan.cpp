//===- IncludeScan.cpp - What a file includes, from its text --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/IncludeScan.h"
#include "Semantics/StringSwitch.h"
#include "Semantics/Types.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

enum class Item { Include, Open, Close, Define, Other, Code };

struct Directive {
  Item Kind;
  StringRef Rest; ///< what follows the directive's name on its line
  StringRef Name;
};

/// Directives and the code between them, without preprocessing.
class Scanner {
public:
  explicit Scanner(StringRef Text) : Text(Text) {
    Lang.CPlusPlus = Lang.CPlusPlus11 = Lang.CPlusPlus17 = true;
    Lang.LineComment = Lang.RawStringLiterals = true;
  }

  /// Calls \p Take for each until it returns false. Text must end with NUL.
  template <typename Fn> void run(Fn Take) {
    Lexer L(SourceLocation(), Lang, Text.begin(), Text.begin(), Text.end());
    Token T;
    bool End = L.LexFromRawLexer(T);
    while (!End && T.isNot(tok::eof)) {
      if (T.isNot(tok::hash) || !T.isAtStartOfLine()) {
        if (!Take(Directive{Item::Code, {}, {}}))
          return;
        // One report per stretch of code is enough.
        do
          End = L.LexFromRawLexer(T);
        while (!End && T.isNot(tok::eof) &&
               !(T.is(tok::hash) && T.isAtStartOfLine()));
        continue;
      }
      End = L.LexFromRawLexer(T);
      if (End || T.isAtStartOfLine())
        continue;
      const char *NameAt = Text.begin() + L.getCurrentBufferOffset();
      StringRef Name = T.is(tok::raw_identifier)
                           ? T.getRawIdentifier()
                           : StringRef(NameAt - T.getLength(), T.getLength());
      StringRef Rest(NameAt, Text.end() - NameAt);
      Rest = Rest.take_until([](char C) { return C == '\n'; }).trim();
      if (!Take(Directive{kind(Name), Rest, Name}))
        return;
      do
        End = L.LexFromRawLexer(T);
      while (!End && T.isNot(tok::eof) && !T.isAtStartOfLine());
    }
  }

private:
  static Item kind(StringRef Name) {
    return semantics::StringSwitch<Item>(Name)
        .Cases({"include", "import", "include_next"}, Item::Include)
        .Cases({"if", "ifdef", "ifndef"}, Item::Open)
        .Case("endif", Item::Close)
        .Case("define", Item::Define)
        .Default(Item::Other);
  }

  StringRef Text;
  LangOptions Lang;
};

/// `<a/b.h>` or `"a/b.h"`; empty for a macro.
StringRef includedName(StringRef Rest, bool &Angled) {
  if (Rest.consume_front("<")) {
    Angled = true;
    return Rest.contains('>') ? Rest.split('>').first : StringRef();
  }
  Angled = false;
  if (Rest.consume_front("\"") && Rest.contains('"'))
    return Rest.split('"').first;
  return {};
}

bool isTorchName(StringRef Name) {
  StringRef First = Name.split('/').first;
  return Name.contains('/') && (First == "torch" || First == "ATen" ||
                                First == "c10" || First == "caffe2");
}

class Walker {
public:
  explicit Walker(const Invocation &I) : FS(I.FS), Paths(I) {}

  std::set<std::string> Torch;

  /// False once code was met: nothing behind it may be hoisted.
  bool leading(const std::string &File) {
    auto Buffer = open(File);
    if (!Buffer)
      return true;
    bool Clear = true, First = true, Guarded = false;
    unsigned Depth = 0;
    Scanner(Buffer->getBuffer()).run([&](const Directive &D) {
      const bool CouldGuard = std::exchange(First, false);
      switch (D.Kind) {
      case Item::Code:
        return Clear = false;
      case Item::Open:
        if (CouldGuard && D.Name != "ifdef")
          Guarded = true;
        else
          ++Depth;
        return true;
      case Item::Close:
        if (Depth)
          --Depth;
        else if (Guarded)
          Guarded = false;
        return true;
      case Item::Include:
        // A header that may or may not be included may hold code.
        if (Depth == 0)
          Clear = included(D, File);
        return Clear;
      case Item::Define:
      case Item::Other:
        // `#pragma once` may stand before the guard.
        First = CouldGuard && D.Name == "pragma";
        return true;
      }
      return true;
    });
    return Clear;
  }

  bool reaches(const std::string &File,
               function_ref<bool(const std::string &)> Wanted) {
    auto Buffer = open(File);
    if (!Buffer)
      return false;
    bool Found = false;
    Scanner(Buffer->getBuffer()).run([&](const Directive &D) {
      if (D.Kind != Item::Include)
        return true;
      bool Angled = false;
      IncludePaths::Found F =
          Paths.resolve(includedName(D.Rest, Angled), Angled, File);
      if (F.Path.empty() || F.System)
        return true;
      const std::string Path = absolutePath("/", F.Path);
      Found = Wanted(Path) || reaches(Path, Wanted);
      return !Found;
    });
    return Found;
  }

private:
  std::unique_ptr<MemoryBuffer> open(const std::string &File) {
    if (!Seen.insert(File).second)
      return nullptr;
    auto Buffer = FS->getBufferForFile(File);
    return Buffer ? std::move(*Buffer) : nullptr;
  }

  bool included(const Directive &D, const std::string &File) {
    bool Angled = false;
    StringRef Name = includedName(D.Rest, Angled);
    if (Name.empty())
      return true;
    IncludePaths::Found F = Paths.resolve(Name, Angled, File);
    if (F.Path.empty())
      return true;
    // Only system headers and LibTorch's: the bodies of all others belong to
    // the analysis.
    const bool ThroughPlainFolder =
        !F.System && semantics::isLibTorchFile(F.Path);
    if (isTorchName(Name) && (F.System || ThroughPlainFolder))
      Torch.insert(Name.str());
    if (F.System || ThroughPlainFolder)
      return true;
    return leading(absolutePath("/", F.Path));
  }

  IntrusiveRefCntPtr<vfs::FileSystem> FS;
  IncludePaths Paths;
  StringSet<> Seen;
};

} // namespace

std::vector<std::string>
torchtidy::driver::leadingTorchHeaders(const std::string &File,
                                       const Invocation &I) {
  Walker W(I);
  for (const std::string &Forced : I.Clang->getPreprocessorOpts().Includes)
    if (!W.leading(Forced))
      return {W.Torch.begin(), W.Torch.end()};
  W.leading(File);
  return {W.Torch.begin(), W.Torch.end()};
}

bool torchtidy::driver::includesHeader(
    const std::string &File, function_ref<bool(const std::string &)> Wanted,
    const Invocation &I) {
  Walker W(I);
  for (const std::string &Forced : I.Clang->getPreprocessorOpts().Includes)
    if (Wanted(absolutePath("/", Forced)) || W.reaches(Forced, Wanted))
      return true;
  return W.reaches(File, Wanted);
}
