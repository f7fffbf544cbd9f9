//===- HoistGuard.cpp - Whether parsing headers first changed anything ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/HoistGuard.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Token.h"

using namespace clang;
using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// Read from text: not the shared header, the command line or a built-in.
bool inTextualFile(const torchtidy::driver::HoistGuard &G,
                   const SourceManager &SM, SourceLocation Loc) {
  if (Loc.isInvalid() || G.shares(Loc, SM))
    return false;
  return SM.getFileEntryRefForID(SM.getFileID(SM.getExpansionLoc(Loc)))
      .has_value();
}

bool inUserFile(const torchtidy::driver::HoistGuard &G, const SourceManager &SM,
                SourceLocation Loc) {
  return inTextualFile(G, SM, Loc) &&
         !SM.isInSystemHeader(SM.getExpansionLoc(Loc));
}

/// Pragmas that change no declaration.
bool harmlessPragma(StringRef Text) {
  Text = Text.take_until([](char C) { return C == '\n'; });
  Text.consume_front("#");
  Text = Text.ltrim();
  Text.consume_front("pragma");
  Text = Text.trim();
  for (StringRef Harmless : {"once", "GCC system_header", "GCC diagnostic",
                             "clang diagnostic", "region", "endregion"})
    if (StringRef Rest = Text;
        Rest.consume_front(Harmless) && (Rest.empty() || isSpace(Rest.front())))
      return true;
  return false;
}

} // namespace

namespace torchtidy::driver {

class HoistCallbacks : public PPCallbacks {
public:
  HoistCallbacks(HoistGuard &Guard, SourceManager &SM) : G(Guard), SM(SM) {}

  void InclusionDirective(SourceLocation Hash, const Token &, StringRef, bool,
                          CharSourceRange, OptionalFileEntryRef File, StringRef,
                          StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind Kind) override {
    if (!File)
      return;
    const bool Essential = G.Missing.erase(File->getName());
    if (Essential)
      G.Complete = Hash;
    // A header that is not essential may be in the shared header, too. System
    // headers define words for one another; that is the same in any order.
    else if (!G.early() || !SrcMgr::isSystem(Kind) || !inUserFile(G, SM, Hash))
      return;
    if (!G.Defined.empty())
      G.doubt("it defines '" + G.Defined.begin()->getKey() +
              "', which LibTorch's headers mention, before they are included");
  }

  void MacroDefined(const Token &Name, const MacroDirective *) override {
    StringRef Word = Name.getIdentifierInfo()->getName();
    if (G.early() && inTextualFile(G, SM, Name.getLocation()) &&
        G.Header.mentions(Word))
      G.Defined.insert(Word);
  }

  void MacroUndefined(const Token &Name, const MacroDefinition &MD,
                      const MacroDirective *) override {
    // Headers define and undefine words for the headers they include. To
    // undefine what is not defined changes nothing.
    if (!G.early() || !inTextualFile(G, SM, Name.getLocation()) || !MD)
      return;
    StringRef Word = Name.getIdentifierInfo()->getName();
    if (G.Header.mentions(Word) && !G.Defined.erase(Word))
      G.doubt("it undefines '" + Word +
              "', which LibTorch's headers mention, before they are included");
  }

  void MacroExpands(const Token &Name, const MacroDefinition &MD, SourceRange,
                    const MacroArgs *) override {
    asked(Name, MD);
  }
  void Defined(const Token &Name, const MacroDefinition &MD,
               SourceRange) override {
    asked(Name, MD);
  }
  void Ifdef(SourceLocation, const Token &Name,
             const MacroDefinition &MD) override {
    asked(Name, MD);
  }
  void Ifndef(SourceLocation, const Token &Name,
              const MacroDefinition &MD) override {
    asked(Name, MD);
  }
  using PPCallbacks::Elifdef;
  using PPCallbacks::Elifndef;
  void Elifdef(SourceLocation, const Token &Name,
               const MacroDefinition &MD) override {
    asked(Name, MD);
  }
  void Elifndef(SourceLocation, const Token &Name,
                const MacroDefinition &MD) override {
    asked(Name, MD);
  }

  void FileChanged(SourceLocation Loc, FileChangeReason Reason,
                   SrcMgr::CharacteristicKind Kind, FileID) override {
    if (Reason == EnterFile && SrcMgr::isSystem(Kind) &&
        inTextualFile(G, SM, Loc))
      G.Textual.push_back(SM.getFileID(Loc));
  }

  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind) override {
    // A main file is told so by its place, which is another one behind a fork.
    if (SM.isInMainFile(Loc) &&
        StringRef(SM.getCharacterData(SM.getExpansionLoc(Loc)))
            .take_until([](char C) { return C == '\n'; })
            .contains("system_header"))
      G.doubt("it calls itself a system header");
    if (G.early() && inUserFile(G, SM, Loc) &&
        !harmlessPragma(SM.getCharacterData(SM.getExpansionLoc(Loc))))
      G.doubt("a pragma stands before LibTorch's headers");
  }

private:
  void asked(const Token &Name, const MacroDefinition &MD) {
    const MacroInfo *MI = MD.getMacroInfo();
    if (!G.early() || !MI || MI->isBuiltinMacro() ||
        !inUserFile(G, SM, Name.getLocation()))
      return;
    const SourceLocation Where = MI->getDefinitionLoc();
    if (Where.isValid() && G.shares(Where, SM) &&
        SM.getFileEntryRefForID(SM.getFileID(Where)))
      G.doubt("it asks for the macro '" + Name.getIdentifierInfo()->getName() +
              "' before the headers that define it are included");
  }

  HoistGuard &G;
  SourceManager &SM;
};

} // namespace torchtidy::driver

std::unique_ptr<PPCallbacks> HoistGuard::callbacks(SourceManager &SM) {
  return std::make_unique<HoistCallbacks>(*this, SM);
}

bool HoistGuard::mentions(StringRef Word, const SourceManager &SM) const {
  if (Header.mentions(Word))
    return true;
  if (!TextualWords) {
    TextualWords.emplace();
    LangOptions Lang;
    Lang.CPlusPlus = Lang.RawStringLiterals = Lang.LineComment = true;
    for (FileID Id : Textual) {
      Lexer L(Id, SM.getBufferOrFake(Id), SM, Lang);
      for (Token T; !L.LexFromRawLexer(T);)
        if (T.is(tok::raw_identifier))
          TextualWords->insert(T.getRawIdentifier());
    }
  }
  return TextualWords->contains(Word);
}

void HoistGuard::doubt(const Twine &Why) {
  if (Reason.empty())
    Reason = Why.str();
}

void HoistGuard::declared(SourceLocation Loc, const SourceManager &SM) {
  // System headers among themselves do not depend on their order.
  if (!inUserFile(*this, SM, Loc))
    return;
  // The parser looks one token ahead, which may lie behind an include.
  if (early() ||
      SM.isBeforeInTranslationUnit(SM.getExpansionLoc(Loc), Complete))
    doubt("code stands before LibTorch's headers");
}

void HoistGuard::finish(ArrayRef<Decl *> Declared) {
  if (early())
    doubt("it does not always include LibTorch's headers");
  if (Reason.empty() && !Declared.empty()) {
    const SourceManager &SM =
        Declared.front()->getASTContext().getSourceManager();
    doubt(missingInstantiation(Declared, SM, *this));
    WantsBodies = !Reason.empty() && Header.Level == HeaderLevel::Declarations;
  }
}
