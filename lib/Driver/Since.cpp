//===- Since.cpp - files changed since a revision -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Since.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// What git prints, or nothing with \p Error.
std::optional<std::string> git(const std::string &Folder,
                               std::vector<StringRef> Words,
                               std::string &Error) {
  auto Program = sys::findProgramByName("git");
  if (!Program) {
    Error = "--since needs git, which is not there";
    return std::nullopt;
  }
  SmallString<128> Out, Complaint;
  if (sys::fs::createTemporaryFile("torchtidy-git", "out", Out) ||
      sys::fs::createTemporaryFile("torchtidy-git", "err", Complaint)) {
    Error = "no temporary file can be written";
    return std::nullopt;
  }
  FileRemover RemoveOut(Out), RemoveComplaint(Complaint);
  Words.insert(Words.begin(), {"git", "-C", Folder});
  const std::optional<StringRef> Streams[] = {StringRef(""), Out.str(),
                                              Complaint.str()};
  const int Status =
      sys::ExecuteAndWait(*Program, Words, std::nullopt, Streams);
  auto Read = [](StringRef File) {
    auto Buffer = MemoryBuffer::getFile(File);
    return Buffer ? (*Buffer)->getBuffer().str() : std::string();
  };
  if (Status != 0) {
    Error = StringRef(Read(Complaint)).trim().split('\n').first.str();
    Error = "git: " + (Error.empty() ? "failed" : Error);
    return std::nullopt;
  }
  return Read(Out);
}

std::string realPath(const std::string &File) {
  SmallString<256> Real;
  return sys::fs::real_path(File, Real) ? File : std::string(Real);
}

} // namespace

bool torchtidy::driver::isChanged(const std::string &File,
                                  const std::set<std::string> &Changed) {
  const std::string Real = realPath(File);
  for (StringRef P = Real; P.size() > 1; P = sys::path::parent_path(P))
    if (Changed.count(P.str()))
      return true;
  return false;
}

std::optional<std::set<std::string>>
torchtidy::driver::changedSince(const std::string &Revision,
                                const std::string &Folder, std::string &Error) {
  auto Root = git(Folder, {"rev-parse", "--show-toplevel"}, Error);
  if (!Root)
    return std::nullopt;
  const std::string Top = StringRef(*Root).trim().str();
  // Anything else could be an option of git or a path.
  if (!git(Folder,
           {"rev-parse", "--verify", "--quiet", "--end-of-options",
            Revision + "^{commit}"},
           Error)) {
    Error = "--since: git knows no commit '" + Revision + "'";
    return std::nullopt;
  }
  std::set<std::string> Files;
  for (const std::vector<StringRef> &Question :
       {std::vector<StringRef>{"diff", "--name-only", "-z", "--no-renames",
                               "--diff-filter=d", Revision, "--"},
        std::vector<StringRef>{"ls-files", "-z", "--others",
                               "--exclude-standard"}}) {
    auto Names = git(Top, Question, Error);
    if (!Names)
      return std::nullopt;
    SmallVector<StringRef, 32> Parts;
    StringRef(*Names).split(Parts, '\0', -1, /*KeepEmpty=*/false);
    for (StringRef P : Parts)
      Files.insert(realPath(Top + "/" + P.str()));
  }
  return Files;
}
