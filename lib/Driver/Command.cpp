//===- Command.cpp - Other compilers' commands for clang ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Command.h"
#include "Driver/ClangVersions.h"
#include "Semantics/StringSwitch.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

bool torchtidy::driver::isGeneratedPrecompiledHeader(const std::string &File) {
  return sys::path::filename(File).starts_with("cmake_pch.");
}

/// ccache g++ ..., distcc, env A=b nice g++ ...
static void stripWrappers(std::vector<std::string> &Args) {
  size_t First = 0;
  while (First + 1 < Args.size()) {
    StringRef Name = sys::path::stem(Args[First]);
    const bool Wrapper =
        semantics::StringSwitch<bool>(Name)
            .Cases({"ccache", "sccache", "distcc", "icecc", "gomacc"}, true)
            .Cases({"buildcache", "env", "nice", "time", "fastbuild"}, true)
            .Default(false);
    const bool Assignment = First > 0 && StringRef(Args[First]).contains('=') &&
                            !StringRef(Args[First]).starts_with("-");
    if (!Wrapper && !Assignment)
      break;
    StringRef Next = Args[First + 1];
    // `distcc file.cpp` and `ccache -c file.cpp` stand for a compiler.
    if (Wrapper && (Next.starts_with("-") || isCxxSource(Next.str())))
      break;
    ++First;
  }
  Args.erase(Args.begin(), Args.begin() + First);
}

static bool expandResponseFiles(std::vector<std::string> &Args,
                                StringRef Directory, std::string &Error) {
  if (none_of(Args, [](const std::string &A) { return A[0] == '@'; }))
    return true;
  IntrusiveRefCntPtr<vfs::FileSystem> FS = vfs::createPhysicalFileSystem();
  BumpPtrAllocator Memory;
  SmallVector<const char *, 64> Words;
  for (const std::string &A : Args)
    Words.push_back(A.c_str());
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine);
  Context.setVFS(FS.get()).setCurrentDir(Directory);
  if (llvm::Error E = Context.expandResponseFiles(Words)) {
    Error = "response file: " + toString(std::move(E));
    return false;
  }
  Args.assign(Words.begin(), Words.end());
  // What could not be opened is left as it was.
  for (const std::string &A : Args)
    if (A.size() > 1 && A[0] == '@') {
      Error = "response file '" + A.substr(1) + "' cannot be read";
      return false;
    }
  return true;
}

namespace {

/// Goes through the arguments as clang's driver reads them.
class ArgumentFilter {
public:
  ArgumentFilter(Unit &U) : U(U) {}

  void run(const std::vector<std::string> &Args) {
    U.Arguments.push_back(Args[0]);
    SmallVector<const char *, 64> Words;
    for (size_t I = 1; I < Args.size(); ++I)
      Words.push_back(Args[I].c_str());
    unsigned MissingIndex = 0, MissingCount = 0;
    opt::InputArgList List =
        optionTable().ParseArgs(Words, MissingIndex, MissingCount,
                                opt::Visibility(options::ClangOption));
    for (const opt::Arg *A : List)
      keep(*A, List);
    // Two words at most belong to one option; -Xclang's four are read singly.
    dropPrecompiledHeaders();
  }

private:
  void add(const opt::Arg &A, const opt::ArgList &List) {
    opt::ArgStringList Words;
    A.render(List, Words);
    U.Arguments.insert(U.Arguments.end(), Words.begin(), Words.end());
  }

  void addPath(const opt::Arg &A, const char *Spelling) {
    U.Arguments.push_back(Spelling);
    U.Arguments.push_back(absolutePath(U.Directory, A.getValue()));
  }

  void keep(const opt::Arg &A, const opt::ArgList &List) {
    switch (A.getOption().getID()) {
    case options::OPT_UNKNOWN:
      U.Dropped.push_back(A.getAsString(List));
      return;
    case options::OPT_INPUT: // added once, at the end
    case options::OPT_o:
    case options::OPT_c:
    case options::OPT_S:
    case options::OPT_E:
    case options::OPT_fsyntax_only:
    case options::OPT_emit_llvm:
    case options::OPT_M:
    case options::OPT_MM:
    case options::OPT_MD:
    case options::OPT_MMD:
    case options::OPT_MG:
    case options::OPT_MP:
    case options::OPT_MV:
    case options::OPT_MF:
    case options::OPT_MT:
    case options::OPT_MQ:
    case options::OPT_MJ:
    case options::OPT_save_temps:
    case options::OPT_save_temps_EQ:
    case options::OPT_gsplit_dwarf:
    case options::OPT_gsplit_dwarf_EQ:
    case options::OPT_pipe:
    case options::OPT__serialize_diags:
    case options::OPT_fdiagnostics_color_EQ:
    case options::OPT_include_pch: // of another compiler or version
    case options::OPT_plugin:
    case options::OPT_fplugin_EQ: // GCC's, or for another clang
    case options::OPT_flto:
    case options::OPT_flto_EQ:
      return;
    case options::OPT_I:
      return addPath(A, "-I");
    case options::OPT_isystem:
      return addPath(A, "-isystem");
    case options::OPT_iquote:
      return addPath(A, "-iquote");
    case options::OPT_idirafter:
      return addPath(A, "-idirafter");
    case options::OPT_include: {
      // Searched for like any include: only what stands where the command
      // runs becomes absolute.
      const std::string Abs = absolutePath(U.Directory, A.getValue());
      U.Arguments.push_back("-include");
      U.Arguments.push_back(sys::fs::exists(Abs) ? Abs : A.getValue());
      return;
    }
    case options::OPT_std_EQ:
      if (StringRef Known = standardClangKnows(A.getValue()); !Known.empty()) {
        U.Arguments.push_back(("-std=" + Known).str());
        return;
      }
      add(A, List);
      return;
    default:
      // Warnings change nothing here, and -Werror=... of another compiler
      // would stop clang.
      if (A.getOption().matches(options::OPT_W_Group))
        return;
      add(A, List);
    }
  }

  /// Names of newer or experimental GCC modes.
  static StringRef standardClangKnows(StringRef Name) {
    return semantics::StringSwitch<StringRef>(Name)
        .Case("c++0x", "c++11")
        .Case("gnu++0x", "gnu++11")
        .Cases({"c++2d", "c++29"}, "c++2c")
        .Cases({"gnu++2d", "gnu++29"}, "gnu++2c")
        .Default("");
  }

  /// `-Xclang -include-pch -Xclang FILE` as CMake writes it for clang.
  void dropPrecompiledHeaders() {
    auto &A = U.Arguments;
    for (size_t I = 0; I + 3 < A.size();)
      if (A[I] == "-Xclang" && A[I + 1] == "-include-pch" &&
          A[I + 2] == "-Xclang")
        A.erase(A.begin() + I, A.begin() + I + 4);
      else
        ++I;
  }

  Unit &U;
};

} // namespace

std::optional<Unit> torchtidy::driver::normalise(const CompileCommand &C,
                                                 std::string &Error) {
  std::vector<std::string> Args = C.Arguments;
  erase_if(Args, [](const std::string &A) { return A.empty(); });
  stripWrappers(Args);
  if (Args.empty()) {
    Error = "its compile command is empty";
    return std::nullopt;
  }
  const bool Nvcc = translateNvcc(Args);
  if (!expandResponseFiles(Args, C.Directory, Error))
    return std::nullopt;
  // `-` or a response file may have brought more of nvcc's flags.
  if (Nvcc) {
    Args[0] = "nvcc";
    translateNvcc(Args);
  }
  clang::tooling::addTargetAndModeForProgramName(Args, Args[0]);

  Unit U;
  U.File = C.File;
  U.Directory = C.Directory;
  U.Cuda = isCudaSource(C.File);
  ArgumentFilter(U).run(Args);
  if (U.Cuda && !is_contained(U.Arguments, "--cuda-host-only")) {
    U.Arguments.push_back("-x");
    U.Arguments.push_back("cuda");
    U.Arguments.push_back("--cuda-host-only");
  }
  U.Arguments.push_back("-fsyntax-only");
  U.Arguments.push_back(U.File);
  return U;
}
