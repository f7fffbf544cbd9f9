//===- Program.cpp - What kind of program a file is -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::tools;
namespace fs = std::filesystem;

std::string tools::findProgram(const std::string &Name) {
  auto runnable = [](const std::string &Path) {
    struct stat S;
    if (stat(Path.c_str(), &S) != 0)
      return false;
    if (S_ISREG(S.st_mode) && access(Path.c_str(), X_OK) == 0)
      return true;
    errno = S_ISDIR(S.st_mode) ? EISDIR : EACCES;
    return false;
  };
  if (Name.find('/') != std::string::npos)
    return runnable(Name) ? Name : std::string();
  const char *Path = std::getenv("PATH");
  std::istringstream Folders(Path ? Path : "/usr/bin:/bin");
  std::string Folder;
  int Error = ENOENT;
  while (std::getline(Folders, Folder, ':')) {
    std::string Candidate = (Folder.empty() ? "." : Folder) + "/" + Name;
    if (runnable(Candidate))
      return Candidate;
    if (errno == EACCES)
      Error = EACCES;
  }
  errno = Error;
  return {};
}

namespace {

/// A whole file, read-only.
class Mapping {
public:
  explicit Mapping(const std::string &Path) {
    int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat S;
    if (Fd >= 0 && fstat(Fd, &S) == 0 && S.st_size > 0) {
      void *P = mmap(nullptr, static_cast<size_t>(S.st_size), PROT_READ,
                     MAP_PRIVATE, Fd, 0);
      if (P != MAP_FAILED) {
        Data = static_cast<const char *>(P);
        Size = static_cast<size_t>(S.st_size);
      }
    }
    if (Fd >= 0)
      close(Fd);
  }
  ~Mapping() {
    if (Data)
      munmap(const_cast<char *>(Data), Size);
  }
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  const char *Data = nullptr;
  size_t Size = 0;
};

} // namespace

ProgramKind tools::inspectProgram(const std::string &Path) {
  ProgramKind K;
  Mapping M(Path);
  if (M.Size < sizeof(Elf64_Ehdr) || std::memcmp(M.Data, ELFMAG, SELFMAG) != 0)
    return K;
  K.IsElf = true;
  Elf64_Ehdr Header;
  std::memcpy(&Header, M.Data, sizeof(Header));
  K.RightMachine =
      Header.e_ident[EI_CLASS] == ELFCLASS64 && Header.e_machine == EM_X86_64;
  if (!K.RightMachine)
    return K;
  K.StaticallyLinked = true;
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    size_t At = Header.e_phoff + I * sizeof(Elf64_Phdr);
    if (At + sizeof(Elf64_Phdr) > M.Size)
      break;
    Elf64_Phdr P;
    std::memcpy(&P, M.Data + At, sizeof(P));
    if (P.p_type == PT_INTERP)
      K.StaticallyLinked = false;
  }
  // A type name of LibTorch's own nodes: part of the code, also when stripped.
  constexpr char Mark[] = "N5torch8autograd14AccumulateGradE";
  K.ContainsTorch = memmem(M.Data, M.Size, Mark, sizeof(Mark)) != nullptr;
  return K;
}

std::string tools::findRecorder(std::string &Error) {
  constexpr char Name[] = "libtorchtidy_preload.so";
  if (const char *Given = std::getenv("TORCHTIDY_PRELOAD"); Given && *Given) {
    std::error_code EC;
    std::string Path = fs::absolute(Given, EC).string();
    if (access(Path.c_str(), R_OK) == 0)
      return Path;
    Error = "TORCHTIDY_PRELOAD names " + std::string(Given) + ": " +
            std::strerror(errno);
    return {};
  }
  std::error_code EC;
  fs::path Self = fs::read_symlink("/proc/self/exe", EC);
  fs::path Root = Self.parent_path().parent_path();
  for (const char *Folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
    fs::path Path = Root / Folder / Name;
    if (access(Path.c_str(), R_OK) == 0)
      return Path.string();
  }
  Error = std::string("the recorder, ") + Name + ", is not in " +
          (Root / "lib").string() + "; TORCHTIDY_PRELOAD can name it";
  return {};
}
