//===- DriverSharingTest.cpp - When headers may be parsed once ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/Fixes.h"
#include "Driver/TidyOptions.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

/// Stands in for LibTorch: what matters is what it mentions and instantiates.
constexpr char MiniTorch[] = R"(
#pragma once
#include <torch/deeper.h>
namespace torch {
struct Tensor { Tensor detach() const; };
template <class F> void for_each(F f) { f(Tensor()); }
template <class F> void visit_all(F f) { f.visit(Tensor()); }
template <class T> void call(T t) { customize(t); }
template <class T> struct Traits {};
inline int skipped() { return 1; }
#define TORCH_MACRO 1
}
)";

class DriverSharing : public testing::Test {
protected:
  void SetUp() override {
    Dir = fs::temp_directory_path() /
          ("torchtidy-sharing-" + std::to_string(getpid()));
    fs::create_directories(Dir / "cache");
    setenv("XDG_CACHE_HOME", (Dir / "cache").c_str(), 1);
    setenv("CI", "1", 1); // what a run leaves is there when it ends
    put("sys/torch/torch.h", MiniTorch);
    put("sys/torch/deeper.h",
        "#pragma once\n#ifdef DEEP_OPTION\nint deep_option;\n#endif\n");
    put("sys/other.h", "#define PAUSE\n#undef PAUSE\n#ifndef O\n#define O\n"
                       "struct Other {};\n#endif\n");
  }
  void TearDown() override { fs::remove_all(Dir); }

  std::string put(const std::string &Name, const std::string &Text) {
    fs::create_directories((Dir / Name).parent_path());
    std::ofstream(Dir / Name) << Text;
    return (Dir / Name).string();
  }

  Outcome run(const std::vector<std::string> &Files,
              std::vector<std::string> Flags = {}) {
    Request R;
    R.WorkingDirectory = Dir.string();
    R.Files = Files;
    Flags.insert(Flags.end(), {"-std=c++17", "-isystem", "sys", "-Iinc"});
    R.Flags = Flags;
    R.Jobs = 1;
    R.Reparse = true;
    return check(R);
  }

  /// Empty: parsed with the shared header without bodies; else why not.
  std::string whyPlain(const std::string &Text,
                       std::vector<std::string> Flags = {}) {
    Outcome O = run({put("t.cpp", Text)}, Flags);
    EXPECT_EQ(O.Error, "");
    EXPECT_EQ(O.Report.Files.Analysed, 1U)
        << (O.Report.Files.Skipped.empty() ? ""
                                           : O.Report.Files.Skipped[0].Reason);
    EXPECT_EQ(O.Parses.size(), 1U);
    Level = O.Parses.at(0).Level;
    EXPECT_EQ(Level == ParseLevel::Shared, O.Parses.at(0).Why.empty());
    return O.Parses.at(0).Why;
  }

  size_t builtHeaders() const {
    size_t N = 0;
    for (const auto &E : fs::recursive_directory_iterator(Dir / "cache"))
      N += E.path().extension() == ".pch";
    return N;
  }

  fs::path Dir;
  ParseLevel Level = ParseLevel::Plain; ///< of the last whyPlain
};

TEST_F(DriverSharing, OrdinaryFilesShare) {
  EXPECT_EQ(whyPlain("#include <torch/torch.h>\ntorch::Tensor t;\n"), "");
  EXPECT_EQ(builtHeaders(), 1U);
  EXPECT_EQ(whyPlain("// a comment\n#include \"torch/torch.h\"\n"
                     "#include <other.h>\nOther o;\n"),
            "");
  EXPECT_EQ(builtHeaders(), 1U);
  // Through a project header with a guard, and one with pragma once.
  put("inc/model.h",
      "#ifndef MODEL_H\n#define MODEL_H\n#include "
      "<torch/torch.h>\nstruct M { torch::Tensor t; };\n#endif\n");
  put("inc/once.h", "#pragma once\n#include \"model.h\"\n");
  EXPECT_EQ(whyPlain("#include \"once.h\"\n#include <other.h>\nM m;\n"), "");
  EXPECT_EQ(builtHeaders(), 1U);
}

TEST_F(DriverSharing, SystemHeadersMayComeFirst) {
  EXPECT_EQ(
      whyPlain("#include <other.h>\n#include <torch/torch.h>\nOther o;\n"), "");
}

TEST_F(DriverSharing, MacrosThatHeadersMentionHinder) {
  EXPECT_EQ(whyPlain("#define MY_OWN 1\n#include <torch/torch.h>\n"), "");
  EXPECT_THAT(whyPlain("#define DEEP_OPTION\n#include <torch/torch.h>\n"),
              HasSubstr("'DEEP_OPTION'"));
  EXPECT_THAT(whyPlain("#define skipped renamed\n#include <torch/torch.h>\n"),
              HasSubstr("'skipped'"));
  EXPECT_THAT(whyPlain("#define for_each x\n#include "
                       "<torch/torch.h>\n"),
              HasSubstr("'for_each'"));
  EXPECT_EQ(whyPlain("#define DEEP_OPTION\n#undef DEEP_OPTION\n"
                     "#include <torch/torch.h>\n"),
            "");
  EXPECT_EQ(whyPlain("#include <torch/torch.h>\n#define DEEP_OPTION\n"), "");
  put("inc/config.h", "#pragma once\n#define DEEP_OPTION 1\n");
  EXPECT_THAT(whyPlain("#include \"config.h\"\n#include <torch/torch.h>\n"),
              HasSubstr("'DEEP_OPTION'"));
  EXPECT_THAT(
      whyPlain("#include <torch/torch.h>\n", {"-include", "inc/config.h"}),
      HasSubstr("'DEEP_OPTION'"));
}

TEST_F(DriverSharing, MacrosAroundOneOfTheirHeadersHinder) {
  put("sys/first.h", "#define DEEP_OPTION\n#include <other.h>\n#undef "
                     "DEEP_OPTION\n");
  EXPECT_EQ(whyPlain("#include <first.h>\n#include <torch/torch.h>\nint i;\n"),
            "");
  EXPECT_THAT(whyPlain("#define DEEP_OPTION\n#include <torch/deeper.h>\n"
                       "#undef DEEP_OPTION\n#include <torch/torch.h>\n"),
              HasSubstr("'DEEP_OPTION'"));
}

TEST_F(DriverSharing, QuestionsAboutTheirMacrosHinder) {
  EXPECT_THAT(whyPlain("#ifdef TORCH_MACRO\nint early;\n#endif\n"
                       "#include <torch/torch.h>\n"),
              Not(""));
  EXPECT_THAT(whyPlain("#ifndef TORCH_MACRO\n#define MINE\n#endif\n"
                       "#include <torch/torch.h>\n"),
              HasSubstr("'TORCH_MACRO'"));
  EXPECT_THAT(whyPlain("#if defined(X) || defined(TORCH_MACRO)\n#endif\n"
                       "#include <torch/torch.h>\n"),
              HasSubstr("'TORCH_MACRO'"));
  EXPECT_EQ(whyPlain("#include <torch/torch.h>\n#ifdef TORCH_MACRO\nint l;\n"
                     "#endif\n"),
            "");
}

TEST_F(DriverSharing, CodeAndPragmasInFrontHinder) {
  EXPECT_THAT(whyPlain("int early;\n#include <torch/torch.h>\n"),
              HasSubstr("no header of LibTorch stands before its code"));
  // Unseen by the look at the text, seen by the preprocessor.
  EXPECT_THAT(whyPlain("#define OWN\n#if 1\n#include \"code.h\"\n#endif\n"
                       "#include <torch/torch.h>\n",
                       {"-I" + fs::path(put("c/code.h", "struct Early {};\n"))
                                   .parent_path()
                                   .string()}),
              HasSubstr("code stands before"));
  EXPECT_THAT(whyPlain("#pragma pack(1)\n#include <torch/torch.h>\n"),
              HasSubstr("pragma"));
  EXPECT_EQ(whyPlain("#pragma once\n#pragma GCC diagnostic push\n"
                     "#include <torch/torch.h>\n"),
            "");
}

TEST_F(DriverSharing, ConditionalIncludesDoNotShare) {
  EXPECT_THAT(whyPlain("#ifdef WITH_TORCH\n#include <torch/torch.h>\n#endif\n"),
              Not(""));
  // The guarded part is not reached: what was hoisted is not included.
  put("inc/maybe.h", "#ifndef MAYBE\n#define MAYBE\n#include <torch/torch.h>\n"
                     "#endif\n");
  EXPECT_THAT(whyPlain("#include \"maybe.h\"\n", {"-DMAYBE"}),
              HasSubstr("does not always include"));
}

TEST_F(DriverSharing, TemplatesThatHeadersMayInstantiateHinder) {
  const std::string Torch = "#include <torch/torch.h>\n";
  EXPECT_THAT(whyPlain(Torch + "void f() { torch::for_each([](auto t) "
                               "{ t.detach(); }); }\n"),
              Not(""));
  EXPECT_THAT(whyPlain(Torch + "auto g = [](auto t) { return t; };\n"),
              HasSubstr("generic lambda"));
  EXPECT_THAT(whyPlain(Torch + "struct V { template <class T> void visit(T) {} "
                               "};\n"),
              HasSubstr("V::visit"));
  EXPECT_THAT(whyPlain(Torch + "template <class T> struct S { void visit(T) {} "
                               "};\nS<int> s;\n"),
              HasSubstr("S"));
  EXPECT_THAT(whyPlain(Torch + "struct Mine {};\ntemplate <class T> bool "
                               "operator==(T, torch::Tensor) { return true; "
                               "}\n"),
              HasSubstr("operator=="));
  EXPECT_THAT(whyPlain(Torch + "struct Mine {};\ntemplate <class T> void "
                               "customize(T) {}\n"),
              HasSubstr("customize"));
  // A call in a header finds it only through an argument's namespace.
  EXPECT_EQ(whyPlain(Torch + "namespace util { template <class T> void "
                             "customize(T) {} }\nstruct Elsewhere {};\n"),
            "");
  EXPECT_THAT(whyPlain(Torch + "namespace util { struct Here {}; template "
                               "<class T> void customize(T) {} }\n"),
              HasSubstr("util::customize"));
  EXPECT_THAT(whyPlain(Torch +
                       "namespace util { inline namespace v1 { template <class "
                       "T> void customize(T) {} }\n"
                       "inline auto closure() { return [](int) {}; } }\n"),
              HasSubstr("customize"));
  // No header knows these names.
  EXPECT_EQ(whyPlain(Torch + "template <class T> T mine(T t) { return t; }\n"
                             "int i = mine(1);\n"),
            "");
  EXPECT_EQ(whyPlain(Torch + "template <class T> struct P { T unused() "
                             "{ return T(); } };\nP<int> p;\n"),
            "");
  EXPECT_EQ(whyPlain(Torch +
                     "void g() { torch::for_each([](torch::Tensor t) "
                     "{ t.detach(); }); }\n"
                     "struct Plain { void visit(torch::Tensor) {} };\n"),
            "");
}

TEST_F(DriverSharing, BodiesHelpWhereHeadersInstantiateTheFile) {
  const std::string Torch = "#include <torch/torch.h>\n";
  auto levelOf = [&](const std::string &Text) {
    whyPlain(Torch + Text);
    return Level;
  };
  EXPECT_EQ(levelOf("auto g = [](auto t) { return t; };\n"),
            ParseLevel::Instantiating);
  EXPECT_EQ(levelOf("struct Mine {};\ntemplate <class T> void customize(T) "
                    "{}\n"),
            ParseLevel::Instantiating);
  EXPECT_EQ(builtHeaders(), 2U);
  // What the headers' own instantiations could reach is not made.
  EXPECT_EQ(levelOf("namespace torch { template <class T> void customize(T) {} "
                    "}\nauto g = [](auto t) { return t; };\n"),
            ParseLevel::Plain);
  EXPECT_EQ(levelOf("namespace torch { template <class T> void unheard(T) {} "
                    "}\nauto g = [](auto t) { return t; };\n"),
            ParseLevel::Instantiating);
  EXPECT_EQ(levelOf("template <class T> struct torch::Traits<T *> {};\n"),
            ParseLevel::Plain);
  EXPECT_EQ(levelOf("template <> struct torch::Traits<int> { template <class "
                    "U> void visit(U) {} };\n"),
            ParseLevel::Plain);
  EXPECT_EQ(levelOf("struct Mine {};\ntemplate <> struct torch::Traits<Mine> "
                    "{ void visit() {} };\n"
                    "auto g = [](auto t) { return t; };\n"),
            ParseLevel::Instantiating);
  EXPECT_EQ(levelOf("namespace mine { template <class T> void customize(T) {} "
                    "}\nnamespace torch { using mine::customize; }\n"),
            ParseLevel::Plain);
  for (const char *Late :
       {"template <class T> struct Entry { explicit Entry(T) {} };\n"
        "void f(Entry<int> *e);\n",
        "template <class T> struct Outer { struct Inner { T t; }; };\n"
        "void f(Outer<int> &o, Outer<int>::Inner *i) { (void)o; (void)i; }\n",
        "template <class T> struct Net { T (*step)(T) = [](T t) { return t; "
        "}; };\nunsigned long size = sizeof(Net<int>);\n",
        "template <class T> struct Box {};\ntemplate <template <class> class "
        "B> void make() {}\nvoid f() { make<Box>(); }\n",
        "namespace torch { template <class T> void customize(T) {} }\n"}) {
    const ParseLevel L = levelOf(Late);
    EXPECT_TRUE(L == ParseLevel::Instantiating || L == ParseLevel::Plain)
        << Late;
  }
  EXPECT_EQ(levelOf("#pragma GCC system_header\n"), ParseLevel::Plain);
  // Errors of instantiations are those of plain parsing.
  Outcome O = run({put("t.cpp", Torch + "void f() { torch::for_each([](auto t) "
                                        "{ t.nothing(); }); }\n")});
  EXPECT_EQ(O.Report.Files.Analysed, 0U);
  EXPECT_THAT(O.Report.Files.Skipped.at(0).Reason, HasSubstr("nothing"));
}

TEST_F(DriverSharing, LibTorchThroughPlainFolders) {
  auto Why = [&](const std::string &Text) {
    Request R;
    R.WorkingDirectory = Dir.string();
    R.Files = {put("t.cpp", Text)};
    R.Flags = {"-std=c++17", "-Iplain"};
    R.Reparse = true;
    return check(R).Parses.at(0).Why;
  };
  put("plain/torch/torch.h", "#pragma once\n#include <ATen/ATen.h>\n");
  put("plain/ATen/ATen.h", "#pragma once\n");
  EXPECT_EQ(Why("#include <torch/torch.h>\nint i;\n"), "");
  // What a header of LibTorch includes may be the project's own.
  put("plain/ATen/ATen.h", "#pragma once\n#include <mine.h>\n");
  put("plain/mine.h", "inline int mine() { return 1; }\n");
  EXPECT_THAT(Why("#include <torch/torch.h>\nint i;\n"),
              HasSubstr("mine.h', which is of the project"));
  // A project's own folder of that name is not LibTorch.
  put("plain/torch/utils.h", "inline int utils() { return 1; }\n");
  EXPECT_THAT(Why("#include <torch/utils.h>\n"), HasSubstr("no header"));
}

TEST_F(DriverSharing, ErrorsAreTheOnesOfPlainParsing) {
  Outcome O = run({put("t.cpp", "#include <torch/torch.h>\nint i = \"\";\n")});
  EXPECT_EQ(O.Report.Files.Analysed, 0U);
  EXPECT_EQ(O.Parses.at(0).Level, ParseLevel::Plain);
  EXPECT_THAT(O.Report.Files.Skipped.at(0).Reason,
              HasSubstr("t.cpp:2:5: cannot initialize"));
}

TEST_F(DriverSharing, ChangedHeadersAreReadAgain) {
  const std::string Use = "#include <torch/torch.h>\n#ifdef FRESH\n"
                          "struct Mine {};\n"
                          "template <class T> void customize(T) {}\n#endif\n";
  EXPECT_EQ(whyPlain(Use), "");
  put("sys/torch/deeper.h", "#pragma once\n#define FRESH\n");
  EXPECT_THAT(whyPlain(Use), HasSubstr("customize"));
  EXPECT_EQ(builtHeaders(), 2U); // one of each level

  // A build that was cut off, or a file that went missing, is made anew.
  for (const auto &E : fs::recursive_directory_iterator(Dir / "cache"))
    if (E.path().extension() == ".manifest")
      fs::resize_file(E.path(), fs::file_size(E.path()) / 2);
  EXPECT_EQ(whyPlain("#include <torch/torch.h>\nint fine;\n"), "");
  for (const auto &E : fs::recursive_directory_iterator(Dir / "cache"))
    if (E.path().extension() == ".pch")
      fs::remove(E.path());
  EXPECT_EQ(whyPlain("#include <torch/torch.h>\nint fine;\n"), "");
  EXPECT_EQ(builtHeaders(), 1U);
}

TEST_F(DriverSharing, WithoutCacheNothingStays) {
  Request R;
  R.WorkingDirectory = Dir.string();
  R.Files = {put("t.cpp", "#include <torch/torch.h>\n")};
  R.Flags = {"-isystem", "sys"};
  R.UseCache = false;
  setenv("TMPDIR", (Dir / "tmp").c_str(), 1);
  fs::create_directories(Dir / "tmp");
  Outcome O = check(R);
  unsetenv("TMPDIR");
  EXPECT_EQ(O.Parses.at(0).Level, ParseLevel::Shared);
  EXPECT_EQ(builtHeaders(), 0U);
  EXPECT_TRUE(fs::is_empty(Dir / "tmp"));
}

TEST_F(DriverSharing, FixesAreWholeOrNot) {
  const std::string File = put("f.cpp", "int a = b;\n");
  auto With = [&](std::vector<Replacement> Edits) {
    Finding F;
    F.Fixes.push_back({"", Edits});
    return F;
  };
  std::vector<Finding> Findings = {
      With({{File, 9, 0, ".x()"}}),
      With({{File, 4, 1, "c"}, {File, 8, 1, "d"}}),
      With({{File, 8, 1, "e"}, {File, 0, 3, "long"}}), Finding()};
  FixOutcome O = applyFixes(Findings, [](auto &) { return "none"; });
  EXPECT_THAT(O.Applied, ElementsAre(true, true, false, false));
  std::ostringstream S;
  S << std::ifstream(File).rdbuf();
  EXPECT_EQ(S.str(), "int c = d.x();\n");
}

TEST_F(DriverSharing, ConfigurationRemovesChecksByTheirName) {
  auto Runs = [&](const std::string &Config, const std::string &Globs,
                  const std::string &Check) {
    put("conf/.clang-tidy", Config);
    TidyOptions T(Globs, "", Dir.string());
    const std::string Checks = *T.of((Dir / "conf/a.cpp").string()).Checks;
    EXPECT_TRUE(T.errors().empty());
    return ("," + Checks + ",").find("," + Check + ",") != std::string::npos;
  };
  const std::string Guard = "torch-missing-no-grad";
  EXPECT_TRUE(Runs("Checks: '-*,bugprone-*'", "", Guard));
  EXPECT_FALSE(Runs("Checks: '-*,bugprone-*'", "", "bugprone-*"));
  EXPECT_FALSE(Runs("Checks: '*,-torch-missing-*'", "", Guard));
  EXPECT_TRUE(Runs("Checks: '-torch-*,torch-missing-no-grad'", "", Guard));
  EXPECT_FALSE(Runs("Checks: '-torch-*'", "torch-missing-no-grad", Guard));
  EXPECT_FALSE(Runs("", "torch-retained-graph", Guard));
  EXPECT_FALSE(Runs("", "-torch-missing-no-grad", Guard));
  EXPECT_TRUE(Runs("", "-torch-retained-graph", Guard));
}

TEST_F(DriverSharing, BadConfigurationIsSaid) {
  EXPECT_FALSE(TidyOptions("bugprone-*", "", "/").errors().empty());
  EXPECT_FALSE(TidyOptions("", "default,fast", "/").errors().empty());
  EXPECT_TRUE(TidyOptions("", "default,perf", "/").errors().empty());
  put(".clang-tidy", "Checks: [broken\n");
  Outcome O = run({put("t.cpp", "")});
  EXPECT_THAT(O.Error, HasSubstr(".clang-tidy"));
}

} // namespace
