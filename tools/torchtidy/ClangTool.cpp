//===- ClangTool.cpp - Finds and starts torchtidy-clang -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClangTool.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace torchtidy;

/// The path of a program beside this one; empty if there is none.
static std::string beside(const char *Name) {
  std::error_code EC;
  // The kernel's view, not argv[0]: symbolic links and PATH do not matter.
  std::filesystem::path Self =
      std::filesystem::read_symlink("/proc/self/exe", EC);
  if (EC)
    return {};
  std::filesystem::path Tool = Self.parent_path() / Name;
  return access(Tool.c_str(), X_OK) == 0 ? Tool.string() : std::string();
}

std::string tools::clangToolPath() { return beside("torchtidy-clang"); }

int tools::execClangTool(const std::string &Command,
                         const std::vector<std::string> &Args) {
  // clangd is large, and a program of its own also for editors.
  const bool Own = Command == "clangd";
  const char *Name = Own ? "torchtidy-clangd" : "torchtidy-clang";
  const std::string Tool = beside(Name);
  if (Tool.empty()) {
    std::cerr << "torchtidy: '" << Command << "' needs " << Name
              << " beside this program, and it is not there (built with "
                 "-DTORCHTIDY_CHECKS=OFF?)\n";
    return 2;
  }
  std::vector<char *> Argv{const_cast<char *>(Tool.c_str())};
  if (!Own)
    Argv.push_back(const_cast<char *>(Command.c_str()));
  for (const std::string &A : Args)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  // Headers of LibTorch fill hundreds of megabytes in small pieces: large pages
  // and long steps of the heap save a seventh of the time. The user's own
  // settings stay; a glibc that knows none of these ignores them.
  if (!Own)
    setenv("GLIBC_TUNABLES",
           "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:"
           "glibc.malloc.mmap_threshold=1073741824",
           /*overwrite=*/0);
  execv(Tool.c_str(), Argv.data());
  std::cerr << "torchtidy: cannot start " << Tool << ": "
            << std::strerror(errno) << "\n";
  return 2;
}
