//===- Modules.cpp - Modules that may hold flagged code -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Modules.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace torchtidy;
namespace fs = std::filesystem;

namespace {

/// A build folder of a large project still has to be looked through in a
/// moment.
constexpr unsigned MaxFiles = 50000;

std::string findInPath(const std::string &Name) {
  if (Name.find('/') != std::string::npos)
    return Name;
  const char *Path = std::getenv("PATH");
  std::istringstream Folders(Path ? Path : "");
  for (std::string Folder; std::getline(Folders, Folder, ':');) {
    std::string Candidate = (Folder.empty() ? "." : Folder) + "/" + Name;
    if (access(Candidate.c_str(), X_OK) == 0)
      return Candidate;
  }
  return Name;
}

class Collector {
public:
  void add(const std::string &Path) {
    std::error_code Error;
    fs::path Real = fs::canonical(Path, Error);
    if (Error || !Seen.insert(Real.string()).second)
      return;
    if (confirm::hasLineTable(Real.string()))
      Found.push_back(Real.string());
  }

  template <typename Iterator> void addFolder(const fs::path &Folder) {
    std::error_code Error;
    Iterator It(Folder, fs::directory_options::skip_permission_denied, Error);
    for (; !Error && It != Iterator(); It.increment(Error)) {
      if (++Looked > MaxFiles)
        return;
      std::error_code Ignored;
      if (It->is_regular_file(Ignored) && mayBeModule(It->path()))
        add(It->path().string());
    }
  }

  std::vector<std::string> Found;

private:
  static bool mayBeModule(const fs::path &Path) {
    std::string Extension = Path.extension().string();
    return Extension != ".o" && Extension != ".a" && Extension != ".h" &&
           Extension != ".cpp";
  }

  std::set<std::string> Seen;
  unsigned Looked = 0;
};

} // namespace

bool confirm::hasLineTable(const std::string &Path) {
  int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return false;
  char Magic[SELFMAG];
  bool Result = false;
  if (read(Fd, Magic, SELFMAG) == SELFMAG &&
      !std::memcmp(Magic, ELFMAG, SELFMAG)) {
    elf_version(EV_CURRENT);
    Elf *File = elf_begin(Fd, ELF_C_READ_MMAP, nullptr);
    GElf_Ehdr Header;
    size_t Names;
    if (File && gelf_getehdr(File, &Header) &&
        (Header.e_type == ET_EXEC || Header.e_type == ET_DYN) &&
        elf_getshdrstrndx(File, &Names) == 0)
      for (Elf_Scn *S = nullptr; !Result && (S = elf_nextscn(File, S));) {
        GElf_Shdr Section;
        const char *Name = gelf_getshdr(S, &Section)
                               ? elf_strptr(File, Names, Section.sh_name)
                               : nullptr;
        Result = Name && !std::strcmp(Name, ".debug_line");
      }
    if (File)
      elf_end(File);
  }
  close(Fd);
  return Result;
}

std::vector<std::string>
confirm::candidateModules(const std::vector<std::string> &Command,
                          const std::string &BuildFolder) {
  Collector C;
  if (!Command.empty()) {
    fs::path Program = findInPath(Command.front());
    C.add(Program.string());
    for (size_t I = 1; I < Command.size(); ++I)
      C.add(Command[I]);
    // Beside a tool of the system lie only others of the system.
    if (Program.string().compare(0, 5, "/usr/") != 0 &&
        Program.string().compare(0, 5, "/bin/") != 0)
      C.addFolder<fs::directory_iterator>(
          Program.has_parent_path() ? Program.parent_path() : ".");
  }
  if (!BuildFolder.empty())
    C.addFolder<fs::recursive_directory_iterator>(BuildFolder);
  return std::move(C.Found);
}
