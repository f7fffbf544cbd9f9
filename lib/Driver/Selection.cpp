//===- Selection.cpp - Which files a request is about ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Selection.h"
#include "Driver/IncludeScan.h"
#include "Driver/Since.h"
#include "clang/Frontend/FrontendOptions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

bool below(StringRef File, StringRef Folder) {
  return File.consume_front(Folder) &&
         (File.empty() || File.starts_with("/") || Folder.ends_with("/"));
}

/// The repository that holds the first file, else what all files share.
std::string projectRoot(const std::vector<CompileCommand> &Commands) {
  for (StringRef D = sys::path::parent_path(Commands.front().File);
       D.size() > 1; D = sys::path::parent_path(D))
    if (sys::fs::exists(D + "/.git"))
      return D.str();
  StringRef Shared = sys::path::parent_path(Commands.front().File);
  for (const CompileCommand &C : Commands)
    while (Shared.size() > 1 && !below(C.File, Shared))
      Shared = sys::path::parent_path(Shared);
  return Shared.str();
}

Job makeJob(const CompileCommand &C) {
  Job J;
  J.U.File = C.File;
  if (!sys::fs::exists(C.File)) {
    J.Why = "no such file; the compile database is older than the sources";
    return J;
  }
  auto U = normalise(C, J.Why);
  if (!U)
    return J;
  J.U = std::move(*U);
  J.I = makeInvocation(J.U, J.Why);
  if (!J.I && J.U.Cuda)
    J.Why = "CUDA, and the host side cannot be parsed: " + J.Why;
  return J;
}

class Selector {
public:
  /// \p Changed limits what is asked for, if it is given.
  Selector(const Request &R, const Database &D,
           const std::set<std::string> *Changed)
      : R(R), D(D), Changed(Changed) {}

  Selection run() {
    S.Root = projectRoot(D.Commands);
    if (R.Files.empty()) {
      for (const CompileCommand &C : D.Commands)
        if (isCxxSource(C.File) && !isGeneratedPrecompiledHeader(C.File))
          add(C);
    } else {
      std::set<std::string> Asked;
      for (const std::string &F : R.Files)
        Asked.insert(absolutePath(R.WorkingDirectory, F));
      for (const std::string &F : Asked)
        ask(F);
    }
    for (auto &[File, J] : Sorted)
      S.Jobs.push_back(std::move(J));
    return std::move(S);
  }

private:
  void add(const CompileCommand &C) {
    Job J = makeJob(C);
    auto Differs = [this](const std::string &File) {
      return isChanged(File, *Changed);
    };
    if (Changed && !Differs(C.File) &&
        !(J.I && includesHeader(C.File, Differs, *J.I)))
      return;
    // Other targets often compile a file in the same way.
    if (Seen.insert(C.File + "\n" + (J.I ? J.I->flagsKey() : J.Why)).second)
      Sorted.emplace(C.File, std::move(J));
  }

  /// Adds the commands of \p File; false if there are none.
  bool addFile(const std::string &File) {
    bool Known = false;
    for (const CompileCommand &C : D.Commands)
      if (C.File == File || sameFile(C.File, File)) {
        add(C);
        Known = true;
      }
    return Known;
  }

  /// Through a symbolic link, or spelled otherwise.
  static bool sameFile(StringRef A, StringRef B) {
    return sys::path::filename(A) == sys::path::filename(B) &&
           sys::fs::equivalent(A, B);
  }

  void ask(const std::string &File) {
    if (!sys::fs::exists(File)) {
      S.Unknown.push_back({File, "no such file"});
    } else if (sys::fs::is_directory(File)) {
      for (const CompileCommand &C : D.Commands)
        if (below(C.File, File) && isCxxSource(C.File) &&
            !isGeneratedPrecompiledHeader(C.File)) {
          S.Sources.insert(C.File);
          add(C);
        }
    } else if (addFile(File)) {
      S.Sources.insert(File);
    } else if (isHeader(File)) {
      askHeader(File);
    } else {
      S.Unknown.push_back({File, isCxxSource(File)
                                     ? "not in the compile database"
                                     : "not in the compile database, and not "
                                       "a C++ file by its name"});
    }
  }

  /// A header is judged through the first file that includes it.
  void askHeader(const std::string &Header) {
    S.Headers.insert(Header);
    for (const CompileCommand &C : D.Commands) {
      if (!isCxxSource(C.File))
        continue;
      Job J = makeJob(C);
      if (J.I && includesHeader(
                     C.File, [&](const std::string &F) { return F == Header; },
                     *J.I)) {
        add(C);
        return;
      }
    }
    S.Unknown.push_back(
        {Header, "no file of the compile database includes it"});
  }

  const Request &R;
  const Database &D;
  const std::set<std::string> *Changed;
  Selection S;
  std::multimap<std::string, Job> Sorted; ///< equal files in their order
  StringSet<> Seen;
};

} // namespace

std::optional<Selection> torchtidy::driver::select(const Request &R,
                                                   std::string &Error) {
  std::optional<Database> D;
  if (R.Flags) {
    if (R.Files.empty()) {
      Error = "flags behind -- need files to apply them to";
      return std::nullopt;
    }
    D = fixedDatabase(R.WorkingDirectory, *R.Flags, R.Files);
  } else {
    std::string Start = R.WorkingDirectory;
    if (!R.Files.empty()) {
      Start = absolutePath(R.WorkingDirectory, R.Files.front());
      if (!sys::fs::is_directory(Start))
        Start = sys::path::parent_path(Start).str();
    }
    const std::string Build =
        R.BuildPath.empty() ? ""
                            : absolutePath(R.WorkingDirectory, R.BuildPath);
    auto Path = findDatabase(Build, Start, Error);
    if (!Path)
      return std::nullopt;
    D = loadDatabase(*Path, Error);
  }
  if (!D)
    return std::nullopt;
  std::optional<std::set<std::string>> Changed;
  if (!R.Since.empty()) {
    Changed = changedSince(R.Since, projectRoot(D->Commands), Error);
    if (!Changed)
      return std::nullopt;
  }
  return Selector(R, *D, Changed ? &*Changed : nullptr).run();
}
