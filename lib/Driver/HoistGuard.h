//===- HoistGuard.h - Whether parsing headers first changed anything -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_HOISTGUARD_H
#define TORCHTIDY_DRIVER_HOISTGUARD_H

#include "Driver/SharedHeaders.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/StringSet.h"

namespace torchtidy::driver {

/// Watches a file that is parsed with a shared header in front and keeps the
/// first reason why plain parsing could have read it differently. Until the
/// file itself has included all that the shared header holds, nothing may
/// define what the headers mention, look at what they define, or declare.
class HoistGuard {
public:
  /// Without a precompiled header: all before \p Begin is the shared header.
  HoistGuard(const SharedHeader &Header, clang::SourceLocation Begin = {})
      : Header(Header), Begin(Begin) {
    for (const std::string &E : Header.Essential)
      Missing.insert(E);
  }

  /// Whether a place lies in the shared header.
  bool shares(clang::SourceLocation Loc, const clang::SourceManager &SM) const {
    Loc = SM.getExpansionLoc(Loc);
    return Begin.isValid() ? Loc < Begin : SM.isLoadedSourceLocation(Loc);
  }

  /// To be added to the preprocessor; refers to this object.
  std::unique_ptr<clang::PPCallbacks> callbacks(clang::SourceManager &SM);

  /// For each top-level declaration of the file.
  void declared(clang::SourceLocation Loc, const clang::SourceManager &SM);
  /// At the end of the file, with what it declared.
  void finish(llvm::ArrayRef<clang::Decl *> Declared);

  const SharedHeader &header() const { return Header; }
  /// Whether a word occurs in a header whose code may call the file's: the
  /// shared one, or a system header that the file reads itself.
  bool mentions(llvm::StringRef Word, const clang::SourceManager &SM) const;
  bool early() const { return !Missing.empty(); }
  void doubt(const llvm::Twine &Why);
  /// Empty: the file means the same as with plain parsing.
  const std::string &reason() const { return Reason; }
  /// Whether a header with the bodies of its functions would help.
  bool wantsBodies() const { return WantsBodies; }

private:
  friend class HoistCallbacks;
  const SharedHeader &Header;
  const clang::SourceLocation Begin;
  llvm::StringSet<> Missing;
  clang::SourceLocation Complete;     ///< of the include that was missing last
  llvm::StringSet<> Defined;          ///< so far, of what the headers mention
  std::vector<clang::FileID> Textual; ///< system headers that were read
  mutable std::optional<llvm::StringSet<>> TextualWords;
  std::string Reason;
  bool WantsBodies = false;
};

/// The first reason why code of the user could exist in plain parsing that
/// does not exist when bodies of headers were skipped: templates that only a
/// header's body would instantiate. Empty if there is none. With a header that
/// has bodies: templates that its own instantiations could use, which
/// PendingFilter has taken out.
std::string missingInstantiation(llvm::ArrayRef<clang::Decl *> Declared,
                                 const clang::SourceManager &SM,
                                 const HoistGuard &Guard);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_HOISTGUARD_H
