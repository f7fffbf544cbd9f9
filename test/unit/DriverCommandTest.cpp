//===- DriverCommandTest.cpp - Tests of compile databases and commands ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Command.h"
#include "Driver/Database.h"
#include "Driver/Invocation.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace torchtidy::driver;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

namespace {

class DriverCommand : public testing::Test {
protected:
  void SetUp() override {
    Dir = fs::temp_directory_path() /
          ("torchtidy-command-" + std::to_string(getpid()));
    fs::create_directories(Dir);
  }
  void TearDown() override { fs::remove_all(Dir); }

  std::string put(const std::string &Name, const std::string &Text) {
    fs::create_directories((Dir / Name).parent_path());
    std::ofstream(Dir / Name) << Text;
    return (Dir / Name).string();
  }

  Unit unit(std::vector<std::string> Arguments,
            const std::string &File = "a.cpp") {
    std::string Error;
    auto U = normalise({Dir.string(), (Dir / File).string(), Arguments}, Error);
    EXPECT_TRUE(U) << Error;
    return U ? *U : Unit();
  }

  std::string databaseError(const std::string &Text) {
    std::string Error;
    EXPECT_FALSE(loadDatabase(put("compile_commands.json", Text), Error));
    return Error;
  }

  fs::path Dir;
};

TEST_F(DriverCommand, BrokenDatabasesAreNamed) {
  std::string Error;
  EXPECT_FALSE(loadDatabase((Dir / "none.json").string(), Error));
  EXPECT_THAT(Error, HasSubstr("cannot read"));
  EXPECT_THAT(databaseError(""), HasSubstr("is empty"));
  EXPECT_THAT(databaseError(" \n"), HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  EXPECT_THAT(databaseError("[]"), HasSubstr("holds no compile commands"));
  EXPECT_THAT(databaseError("[{\"file\": "), HasSubstr("is not JSON"));
  EXPECT_THAT(databaseError("{}"), HasSubstr("is not a list"));
  EXPECT_THAT(databaseError("[1]"), HasSubstr("entry 0 is not an object"));
  EXPECT_THAT(databaseError(R"([{"command": "c++ a.cpp"}])"),
              HasSubstr("entry 0 has no \"file\""));
  EXPECT_THAT(databaseError(R"([{"file": "a.cpp"}])"),
              HasSubstr("no \"command\" or \"arguments\""));
  EXPECT_THAT(databaseError(R"([{"file": "a.cpp", "command": " "}])"),
              HasSubstr("has an empty command"));
}

TEST_F(DriverCommand, DatabaseEntriesAreResolvedAndKeptOnce) {
  std::string Error;
  auto D = loadDatabase(put("build/compile_commands.json",
                            R"([{"directory": ".", "file": "../src/./a.cpp",
               "command": "c++ -DX=\"a b\" '-DY=c d' -c ../src/a.cpp"},
              {"directory": ".", "file": "../src/./a.cpp",
               "command": "c++ -DX=\"a b\" '-DY=c d' -c ../src/a.cpp"},
              {"file": "b.cpp", "arguments": ["c++", "-c", "b.cpp"]}])"),
                        Error);
  ASSERT_TRUE(D) << Error;
  ASSERT_EQ(D->Commands.size(), 2U);
  EXPECT_EQ(D->Commands[0].File, (Dir / "src/a.cpp").string());
  EXPECT_EQ(D->Commands[0].Directory, (Dir / "build").string());
  EXPECT_THAT(D->Commands[0].Arguments,
              ElementsAre("c++", "-DX=a b", "-DY=c d", "-c", "../src/a.cpp"));
  EXPECT_EQ(D->Commands[1].File, (Dir / "build/b.cpp").string());
}

TEST_F(DriverCommand, DatabasesAreFoundUpwards) {
  std::string Error;
  const std::string Deep = (Dir / "src/deep").string();
  fs::create_directories(Deep);
  EXPECT_FALSE(findDatabase((Dir / "src").string(), Deep, Error));
  EXPECT_THAT(Error, HasSubstr("no compile_commands.json in"));
  fs::create_directories(Dir / ".git");
  put("build-debug/compile_commands.json", "[]");
  EXPECT_THAT(*findDatabase("", Deep, Error),
              EndsWith("/build-debug/compile_commands.json"));
  put("build/compile_commands.json", "[]");
  EXPECT_THAT(*findDatabase("", Deep, Error),
              EndsWith("/build/compile_commands.json"));
  const std::string Own = put("src/compile_commands.json", "[]");
  EXPECT_EQ(*findDatabase("", Deep, Error), Own);
  EXPECT_EQ(*findDatabase(Own, Deep, Error), Own);
}

TEST_F(DriverCommand, WrappersAreLeftOut) {
  for (const char *Wrapper : {"ccache", "/usr/bin/sccache", "distcc", "icecc"})
    EXPECT_EQ(unit({Wrapper, "g++", "-DA", "-c", "a.cpp"}).Arguments[0], "g++");
  EXPECT_EQ(unit({"env", "A=b", "ccache", "/usr/bin/g++", "-c", "a.cpp"})
                .Arguments[0],
            "/usr/bin/g++");
  // Without a compiler, the wrapper stands for one.
  EXPECT_EQ(unit({"ccache", "-c", "a.cpp"}).Arguments[0], "ccache");
}

TEST_F(DriverCommand, GccFlagsAreDroppedAndListed) {
  Unit U = unit({"g++", "-fno-gnu-unique", "-fconcepts-ts", "-O2",
                 "-Wno-maybe-uninitialized", "-Werror", "-DA=1", "-MD", "-MF",
                 "a.d", "-o", "a.o", "-c", "a.cpp"});
  EXPECT_THAT(U.Dropped, Contains("-fno-gnu-unique"));
  EXPECT_THAT(U.Arguments, Contains("-O2"));
  for (const char *Gone :
       {"-fno-gnu-unique", "-Werror", "-MF", "a.d", "a.o", "-o", "-c", "a.cpp"})
    EXPECT_THAT(U.Arguments, Not(Contains(Gone)));
  EXPECT_EQ(U.Arguments.back(), (Dir / "a.cpp").string());
  std::string Error;
  ASSERT_TRUE(makeInvocation(U, Error)) << Error;
}

TEST_F(DriverCommand, WhatOnlyTheParserRefusesIsDroppedToo) {
  put("a.cpp", "");
  Unit U = unit({"g++", "-march=znver99", "-std=c++99", "-mfancy-gcc", "-DKEPT",
                 "-c", "a.cpp"});
  std::string Error;
  auto I = makeInvocation(U, Error);
  ASSERT_TRUE(I) << Error;
  EXPECT_THAT(U.Dropped, Contains("-march=znver99"));
  EXPECT_THAT(U.Dropped, Contains("-std=c++99"));
  EXPECT_THAT(U.Dropped, Contains("-mfancy-gcc"));
  EXPECT_THAT(I->flagsKey(), HasSubstr("KEPT"));
}

TEST_F(DriverCommand, PathsBecomeAbsolute) {
  put("forced.h", "");
  Unit U = unit({"c++", "-I", "inc", "-I../up", "-isystem", "sys", "-include",
                 "forced.h", "-include", "searched.h", "-c", "a.cpp"});
  EXPECT_THAT(U.Arguments, Contains((Dir / "inc").string()));
  EXPECT_THAT(U.Arguments, Contains((Dir.parent_path() / "up").string()));
  EXPECT_THAT(U.Arguments, Contains((Dir / "sys").string()));
  EXPECT_THAT(U.Arguments, Contains((Dir / "forced.h").string()));
  EXPECT_THAT(U.Arguments, Contains("searched.h"));
}

TEST_F(DriverCommand, ResponseFilesAreExpanded) {
  put("flags.rsp", "-DA=\"x y\" @more.rsp");
  put("more.rsp", "-DB -Iinc");
  Unit U = unit({"c++", "@flags.rsp", "-c", "a.cpp"});
  std::string Error;
  auto I = makeInvocation(U, Error);
  ASSERT_TRUE(I) << Error;
  EXPECT_THAT(I->flagsKey(), HasSubstr("A=x y"));
  EXPECT_THAT(I->flagsKey(), HasSubstr("B"));
  EXPECT_FALSE(normalise({Dir.string(), "a.cpp", {"c++", "@gone.rsp"}}, Error));
  EXPECT_THAT(Error, HasSubstr("'gone.rsp' cannot be read"));
}

TEST_F(DriverCommand, PrecompiledHeadersOfTheBuildAreLeftOut) {
  Unit U = unit({"clang++", "-Winvalid-pch", "-Xclang", "-include-pch",
                 "-Xclang", "/b/cmake_pch.hxx.pch", "-Xclang", "-include",
                 "-Xclang", "/b/cmake_pch.hxx", "-c", "a.cpp"});
  EXPECT_THAT(U.Arguments, Not(Contains("-include-pch")));
  EXPECT_THAT(U.Arguments, Not(Contains("/b/cmake_pch.hxx.pch")));
  EXPECT_THAT(U.Arguments, Contains("/b/cmake_pch.hxx"));
  EXPECT_TRUE(isGeneratedPrecompiledHeader("/b/cmake_pch.hxx.cxx"));
  EXPECT_FALSE(isGeneratedPrecompiledHeader("/b/pch.cpp"));
}

TEST_F(DriverCommand, NvccIsTranslated) {
  Unit U = unit({"/usr/local/cuda/bin/nvcc",
                 "-forward-unknown-to-host-compiler",
                 "-DA=1",
                 "--define-macro",
                 "B=2",
                 "-isystem=/t/include",
                 "-I/p",
                 "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
                 "-gencode",
                 "arch=compute_90,code=sm_90",
                 "--expt-relaxed-constexpr",
                 "-Xcompiler=-fPIC,-fopenmp",
                 "-Xcompiler",
                 "-DC",
                 "-Xcudafe",
                 "--diag_suppress=20012",
                 "-ccbin",
                 "/usr/bin/g++-12",
                 "-std=c++17",
                 "-x",
                 "cu",
                 "-rdc=true",
                 "-O3",
                 "-c",
                 "k.cu",
                 "-o",
                 "k.o"},
                "k.cu");
  EXPECT_TRUE(U.Cuda);
  EXPECT_THAT(U.Dropped, IsEmpty());
  for (const char *Kept : {"-fPIC", "-fopenmp", "/t/include", "/p",
                           "-std=c++17", "-O3", "--cuda-host-only"})
    EXPECT_THAT(U.Arguments, Contains(Kept));
  const std::string All = testing::PrintToString(U.Arguments);
  for (const char *Kept : {"A=1", "B=2", "\"C\""})
    EXPECT_THAT(All, HasSubstr(Kept));
  EXPECT_THAT(All, Not(HasSubstr("compute_")));
  EXPECT_THAT(All, Not(HasSubstr("g++-12")));
  EXPECT_THAT(All, Not(HasSubstr("true")));
  // A C++ file that nvcc compiles is a C++ file.
  Unit Plain = unit({"nvcc", "-arch=sm_80", "-c", "a.cpp"});
  EXPECT_FALSE(Plain.Cuda);
  put("a.cpp", "");
  std::string Error;
  EXPECT_TRUE(makeInvocation(Plain, Error)) << Error;
}

TEST_F(DriverCommand, EqualFlagsHaveEqualKeys) {
  std::string Error;
  auto Key = [&](std::vector<std::string> Flags, const std::string &File) {
    Flags.insert(Flags.begin(), "c++");
    Flags.insert(Flags.end(), {"-o", File + ".o", "-c", File});
    Unit U = unit(Flags, File);
    auto I = makeInvocation(U, Error);
    EXPECT_TRUE(I) << Error;
    return I ? I->flagsKey() : std::string();
  };
  EXPECT_EQ(Key({"-DA"}, "a.cpp"), Key({"-DA"}, "b.cpp"));
  EXPECT_NE(Key({"-DA"}, "a.cpp"), Key({"-DB"}, "a.cpp"));
  EXPECT_NE(Key({"-std=c++17"}, "a.cpp"), Key({"-std=c++20"}, "a.cpp"));
  EXPECT_NE(Key({"-I/x"}, "a.cpp"), Key({"-isystem", "/x"}, "a.cpp"));
}

TEST_F(DriverCommand, IncludesResolveAsTheyDoForClang) {
  put("src/own.h", "");
  put("inc/own.h", "");
  put("inc/lib.h", "");
  put("sys/torch/torch.h", "");
  Unit U =
      unit({"c++", "-Iinc", "-isystem", "sys", "-c", "src/a.cpp"}, "src/a.cpp");
  std::string Error;
  auto I = makeInvocation(U, Error);
  ASSERT_TRUE(I) << Error;
  IncludePaths P(*I);
  const std::string Includer = (Dir / "src/a.cpp").string();
  EXPECT_EQ(P.resolve("own.h", false, Includer).Path,
            (Dir / "src/own.h").string());
  EXPECT_EQ(P.resolve("own.h", true, Includer).Path,
            (Dir / "inc/own.h").string());
  EXPECT_FALSE(P.resolve("lib.h", true, Includer).System);
  EXPECT_TRUE(P.resolve("torch/torch.h", false, Includer).System);
  EXPECT_THAT(P.resolve("stddef.h", true, Includer).Path, StartsWith("/"));
  EXPECT_EQ(P.resolve("nowhere.h", true, Includer).Path, "");
}

} // namespace
