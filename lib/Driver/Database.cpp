//===- Database.cpp - Compile databases of real projects ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Database.h"
#include "Semantics/StringSwitch.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

static constexpr char DatabaseName[] = "compile_commands.json";
static constexpr char HowToMakeOne[] =
    "make one with 'cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON' "
    "(other build systems: 'bear -- make'), name its folder with -p, or give "
    "the compiler's flags behind --";

std::string driver::absolutePath(const std::string &Directory,
                                 const std::string &Path) {
  SmallString<256> P(Path);
  if (!sys::path::is_absolute(P)) {
    P = Directory;
    sys::path::append(P, Path);
  }
  sys::path::remove_dots(P, /*remove_dot_dot=*/true);
  return std::string(P);
}

bool driver::isCudaSource(const std::string &File) {
  return sys::path::extension(File) == ".cu";
}

bool driver::isCxxSource(const std::string &File) {
  return semantics::StringSwitch<bool>(sys::path::extension(File))
      .Cases({".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp"}, true)
      .Cases({".cppm", ".ixx", ".ccm", ".cu"}, true)
      .Default(false);
}

bool driver::isHeader(const std::string &File) {
  return semantics::StringSwitch<bool>(sys::path::extension(File))
      .Cases({".h", ".hpp", ".hh", ".hxx", ".h++", ".cuh", ".ipp", ".inl"},
             true)
      .Cases({".tpp", ".tcc", ".inc"}, true)
      .Default(false);
}

static std::optional<std::string> databaseIn(StringRef Folder) {
  SmallString<256> P(Folder);
  sys::path::append(P, DatabaseName);
  if (sys::fs::is_regular_file(P))
    return std::string(P);
  return std::nullopt;
}

/// What CMake presets and IDEs call their build folders.
static std::optional<std::string> databaseInBuildFolder(StringRef Folder) {
  std::vector<std::string> BuildFolders;
  std::error_code EC;
  for (sys::fs::directory_iterator It(Folder, EC), End; !EC && It != End;
       It.increment(EC)) {
    StringRef Name = sys::path::filename(It->path());
    if (Name.starts_with("build") || Name.starts_with("cmake-build") ||
        Name == "out" || Name == "_build")
      BuildFolders.push_back(It->path());
  }
  // "build" sorts before every name that it begins.
  llvm::sort(BuildFolders);
  for (const std::string &B : BuildFolders)
    if (auto P = databaseIn(B))
      return P;
  return std::nullopt;
}

std::optional<std::string> driver::findDatabase(const std::string &BuildPath,
                                                const std::string &Start,
                                                std::string &Error) {
  if (!BuildPath.empty()) {
    if (sys::fs::is_regular_file(BuildPath))
      return BuildPath;
    if (auto P = databaseIn(BuildPath))
      return P;
    Error = "no " + std::string(DatabaseName) + " in '" + BuildPath + "'; " +
            HowToMakeOne;
    return std::nullopt;
  }
  bool InRepository = false;
  for (StringRef Folder = Start; !Folder.empty();
       Folder = sys::path::parent_path(Folder))
    InRepository |= sys::fs::exists(Folder + "/.git");
  for (StringRef Folder = Start; !Folder.empty();
       Folder = sys::path::parent_path(Folder)) {
    if (auto P = databaseIn(Folder))
      return P;
    if (auto P = databaseIn((Folder + "/build").str()))
      return P;
    // Above the repository are other people's projects; without one, only the
    // first folder is known to be of this project.
    const bool Root = sys::fs::exists(Folder + "/.git");
    if (Root || InRepository || Folder == Start)
      if (auto P = databaseInBuildFolder(Folder))
        return P;
    if (Root)
      break;
  }
  Error = "no " + std::string(DatabaseName) + " in '" + Start +
          "' or above it, nor in a build folder there; " + HowToMakeOne;
  return std::nullopt;
}

static std::vector<std::string> splitCommand(StringRef Text) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 64> Words;
  cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

/// Empty, with \p Why, if the entry is no compile command.
static std::optional<CompileCommand> parseEntry(const json::Value &Value,
                                                StringRef DatabaseFolder,
                                                std::string &Why) {
  const json::Object *O = Value.getAsObject();
  if (!O) {
    Why = "is not an object";
    return std::nullopt;
  }
  auto File = O->getString("file");
  auto Command = O->getString("command");
  const json::Array *Arguments = O->getArray("arguments");
  if (!File || (!Command && !Arguments)) {
    Why = !File ? "has no \"file\"" : "has no \"command\" or \"arguments\"";
    return std::nullopt;
  }
  CompileCommand C;
  // The specification wants a directory; some generators leave it out or
  // write it relative.
  C.Directory = absolutePath(DatabaseFolder.str(),
                             O->getString("directory").value_or(".").str());
  C.File = absolutePath(C.Directory, File->str());
  if (Arguments) {
    for (const json::Value &A : *Arguments)
      if (auto S = A.getAsString())
        C.Arguments.push_back(S->str());
  } else {
    C.Arguments = splitCommand(*Command);
  }
  if (C.Arguments.empty()) {
    Why = "has an empty command";
    return std::nullopt;
  }
  return C;
}

std::optional<Database> driver::loadDatabase(const std::string &Path,
                                             std::string &Error) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer) {
    Error = "cannot read '" + Path + "': " + Buffer.getError().message();
    return std::nullopt;
  }
  auto Fail = [&](const Twine &What) {
    Error = ("'" + Path + "' " + What).str();
    return std::nullopt;
  };
  if ((*Buffer)->getBuffer().trim().empty())
    return Fail(Twine("is empty; ") + HowToMakeOne);
  Expected<json::Value> Root = json::parse((*Buffer)->getBuffer());
  if (!Root)
    return Fail("is not JSON: " + toString(Root.takeError()));
  const json::Array *Entries = Root->getAsArray();
  if (!Entries)
    return Fail("is not a list of compile commands");
  SmallString<256> Folder(Path);
  (void)sys::fs::make_absolute(Folder);
  sys::path::remove_filename(Folder);

  Database D;
  D.Path = Path;
  StringSet<> Seen;
  for (size_t I = 0; I < Entries->size(); ++I) {
    std::string Why;
    auto C = parseEntry((*Entries)[I], Folder, Why);
    if (!C)
      return Fail("entry " + Twine(I) + " " + Why);
    std::string Identity = C->Directory + '\0' + C->File;
    for (const std::string &A : C->Arguments)
      (Identity += '\0') += A;
    if (Seen.insert(Identity).second)
      D.Commands.push_back(std::move(*C));
  }
  if (D.Commands.empty())
    return Fail(Twine("holds no compile commands; ") + HowToMakeOne);
  return D;
}

Database driver::fixedDatabase(const std::string &Directory,
                               const std::vector<std::string> &Flags,
                               const std::vector<std::string> &Files) {
  Database D;
  for (const std::string &F : Files) {
    CompileCommand C;
    C.Directory = Directory;
    C.File = absolutePath(Directory, F);
    C.Arguments.push_back("clang++");
    C.Arguments.insert(C.Arguments.end(), Flags.begin(), Flags.end());
    C.Arguments.push_back(C.File);
    D.Commands.push_back(std::move(C));
  }
  return D;
}
