//===- ReportTest.cpp - Tests of the report writers -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/AtomicFile.h"
#include "Report/Json.h"
#include "Report/Text.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::report;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

class ReportTest : public testing::Test {
protected:
  void SetUp() override {
    Dir = fs::temp_directory_path() /
          ("torchtidy-report-" + std::to_string(getpid()));
    fs::create_directories(Dir);
  }
  void TearDown() override { fs::remove_all(Dir); }

  std::string put(const std::string &Name, const std::string &Text) {
    std::ofstream(Dir / Name, std::ios::binary) << Text;
    return (Dir / Name).string();
  }
  static std::string get(const fs::path &File) {
    std::ostringstream S;
    S << std::ifstream(File, std::ios::binary).rdbuf();
    return S.str();
  }
  size_t filesThere() const {
    return std::distance(fs::directory_iterator(Dir), fs::directory_iterator());
  }

  fs::path Dir;
};

SourceSpan at(const std::string &File, unsigned Line, unsigned Column,
              unsigned EndColumn) {
  return {File, Line, Column, Line, EndColumn};
}

Document fullDocument(const std::string &File) {
  Finding F;
  F.Check = "torch-retained-graph";
  F.Level = Severity::Error;
  F.Where = at(File, 3, 3, 20);
  F.Message = "'losses' keeps the history of 'loss'";
  F.Notes = {{at(File, 1, 1, 5), "history comes from here"},
             {SourceSpan(), "a note without a place"}};
  F.Fixes = {{"detach", {{File, 42, 0, ".detach()"}}}};
  F.Function = "train";
  F.Loop = SourceSpan{File, 2, 1, 4, 2};
  F.Range = at(File, 3, 3, 24);
  F.Producers = {at(File, 1, 1, 5)};
  F.HeldBy = Holder{"losses", at(File, 1, 1, 4), true};
  F.Fingerprint = "0123456789abcdef";
  Verdict V;
  V.State = VerdictState::Confirmed;
  V.Reason = "live blocks rose in every window";
  V.DidRun = Ran::Yes;
  V.Iterations = 300;
  V.BytesPerIteration = 132096.0;
  V.NodesPerIteration = 7.5;
  V.PeakBytes = 1ULL << 40;
  V.Evidence = {{"windows", "8"}, {"hook", "saved tensors"}};
  F.Judged = V;
  Finding Plain;
  Plain.Check = "torch-missing-no-grad";
  Plain.Where = at(File, 1, 1, 2);
  Plain.Message = "inference records history";
  Plain.Fingerprint = "ffffffffffffffff";
  Document D;
  D.Findings = {F, Plain};
  D.Files = {38, 40, {{"/p/a.cpp", "1 error"}, {"/p/b.cu", "CUDA"}}};
  D.Functions = {{"/p/x.cpp", 9, "N::train", "it has 2001 blocks"}};
  D.Remarks = {"dropped the unknown flag -fno-gnu-unique"};
  D.Program = ProgramRun{{"./train", "--epochs", "2"}, 139};
  D.Unattributed.emplace();
  D.Unattributed->push_back({"/p/c.cpp", 7, "step()", 64.5});
  D.Unattributed->push_back({"", 0, "", 1});
  return D;
}

TEST_F(ReportTest, JsonKeepsEveryField) {
  const std::string Text = toJson(fullDocument("/p/x.cpp"));
  std::string Error;
  std::optional<Document> D = fromJson(Text, Error);
  ASSERT_TRUE(D) << Error;
  // The writer names each field once, so equal text means equal fields.
  EXPECT_EQ(toJson(*D), Text);
  const Finding &F = D->Findings.at(0);
  EXPECT_EQ(F.Level, Severity::Error);
  EXPECT_EQ(F.Notes.size(), 2U);
  EXPECT_FALSE(F.Notes[1].Where.valid());
  EXPECT_EQ(F.Fixes.at(0).Replacements.at(0).Text, ".detach()");
  EXPECT_TRUE(F.HeldBy->MayBeBounded);
  EXPECT_EQ(F.Judged->Evidence.at(1).first, "hook");
  EXPECT_FALSE(F.Judged->HostBytesPerIteration);
  EXPECT_EQ(*F.Judged->PeakBytes, 1ULL << 40);
  EXPECT_FALSE(D->Findings.at(1).Judged);
  EXPECT_FALSE(D->Findings.at(1).HeldBy);
  EXPECT_EQ(D->Program->Status, 139);
  EXPECT_EQ(D->Unattributed->at(1).Line, 0U);
  EXPECT_EQ(D->Files.Skipped.at(1).Reason, "CUDA");
  EXPECT_EQ(D->Functions.at(0).Line, 9U);
  EXPECT_EQ(D->Functions.at(0).Function, "N::train");
}

TEST_F(ReportTest, JsonOfNothingIsWholeToo) {
  std::string Error;
  std::optional<Document> D = fromJson(toJson(Document()), Error);
  ASSERT_TRUE(D) << Error;
  EXPECT_TRUE(D->Findings.empty());
  EXPECT_FALSE(D->Unattributed);
  EXPECT_FALSE(D->Program);
}

TEST_F(ReportTest, JsonIsUtf8WhateverTheSourceIs) {
  Document D = fullDocument("/p/x.cpp");
  D.Findings[0].Message = "bad \xff byte";
  EXPECT_THAT(toJson(D), HasSubstr("bad \xEF\xBF\xBD byte"));
}

TEST_F(ReportTest, BrokenJsonIsNamedByPlace) {
  auto ErrorOf = [](const std::string &Text) {
    std::string Error;
    EXPECT_FALSE(fromJson(Text, Error)) << Text;
    return Error;
  };
  std::string Good = toJson(fullDocument("/p/x.cpp"));
  auto Without = [&](const std::string &From, const std::string &To) {
    std::string T = Good;
    size_t At = T.find(From);
    EXPECT_NE(At, std::string::npos) << From;
    return T.replace(At, From.size(), To);
  };
  EXPECT_THAT(ErrorOf(""), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf(Good.substr(0, Good.size() / 2)), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("the document must be an object"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("'version'"));
  EXPECT_THAT(ErrorOf(Without("\"version\": 1", "\"version\": 2")),
              HasSubstr("'version' is not 1"));
  EXPECT_THAT(ErrorOf(Without("\"line\": 3", "\"line\": 0")),
              HasSubstr("'findings[0].line' counts from 1"));
  EXPECT_THAT(ErrorOf(Without("\"line\": 3", "\"line\": -3")),
              HasSubstr("'findings[0].line'"));
  EXPECT_THAT(ErrorOf(Without("\"line\": 3", "\"line\": 5000000000")),
              HasSubstr("too large"));
  EXPECT_THAT(ErrorOf(Without("\"severity\": \"error\"", "\"severity\": 1")),
              HasSubstr("'findings[0].severity' must be a string"));
  EXPECT_THAT(ErrorOf(Without("\"confirmed\"", "\"perhaps\"")),
              HasSubstr("'findings[0].verdict.state' has an unknown value"));
}

TEST_F(ReportTest, TextHasClangTidysLook) {
  const std::string File = put(
      "x.cpp", "auto loss = f(x);\nfor (;;) {\n\tlosses.push_back(loss);\n}\n");
  Document D;
  Finding F;
  F.Check = "torch-retained-graph";
  F.Where = at(File, 3, 2, 2 + 16);
  F.Message = "message";
  F.Notes = {{at(File, 1, 1, 5), "because"}};
  F.Fixes = {{"detach", {{File, 51, 0, ".detach()"}}}};
  D.Findings = {F};
  D.Files = {1, 1, {}};
  EXPECT_EQ(toText(D, {false, Dir.string(), nullptr}),
            "x.cpp:3:2: warning: message [torch-retained-graph]\n"
            "    3 |         losses.push_back(loss);\n"
            "      |         ^~~~~~~~~~~~~~~~\n"
            "      |                              .detach()\n"
            "x.cpp:1:1: note: because\n"
            "    1 | auto loss = f(x);\n"
            "      | ^~~~\n"
            "\n"
            "torch-retained-graph: see docs/checks/retained-graph.md\n"
            "1 warning; 1 of 1 file analysed\n");
}

TEST_F(ReportTest, TextSurvivesMissingSourcesAndOddLines) {
  Document D = fullDocument(put("x.cpp", "\xff\xc3\xa4 x\n"));
  D.Findings[0].Where = at("/nowhere.cpp", 3, 3, 9);
  D.Findings[1].Where = at((Dir / "x.cpp").string(), 1, 5, 6);
  const std::string Text = toText(D, {});
  EXPECT_THAT(Text, HasSubstr("/nowhere.cpp:3:3: error: "));
  EXPECT_THAT(Text, HasSubstr("[torch-retained-graph,-warnings-as-errors]"));
  EXPECT_THAT(Text, HasSubstr("    1 | ?\xc3\xa4 x\n      |    ^\n"));
  EXPECT_THAT(Text,
              HasSubstr(" (132 kB of tensors, 7.5 graph nodes per iteration; "
                        "peak 1.1 TB; 300 iterations)\n"));
  EXPECT_THAT(Text, HasSubstr("not analysed: /p/b.cu: CUDA\n"));
  EXPECT_THAT(Text, HasSubstr("growth that no finding explains: 64.5 bytes per "
                              "iteration in step(), /p/c.cpp:7\n"));
  EXPECT_THAT(
      Text, testing::EndsWith("1 error, 1 warning; 38 of 40 files analysed; 1 "
                              "function not judged (--verbose names them)\n"));
}

TEST_F(ReportTest, FunctionsNotJudgedAreNamedOnRequest) {
  Document D;
  D.Files = {1, 1, {}};
  D.Functions = {{"/p/x.cpp", 9, "N::train", "it has 2001 blocks"},
                 {"/p/y.cpp", 7, "f", "it has errors"}};
  TextOptions O;
  O.BaseDirectory = "/p";
  EXPECT_EQ(toText(D, O), "no findings; 1 of 1 file analysed; 2 functions not "
                          "judged (--verbose names them)\n");
  O.Verbose = true;
  EXPECT_EQ(toText(D, O),
            "not judged: x.cpp:9: N::train: it has 2001 blocks\n"
            "not judged: y.cpp:7: f: it has errors\n"
            "no findings; 1 of 1 file analysed; 2 functions not judged\n");
  O = {};
  O.Brief = true;
  EXPECT_EQ(toText(D, O),
            "no findings; 1 of 1 file analysed; 2 functions not judged\n");
  D.Functions.clear();
  EXPECT_EQ(toText(D, O), "no findings; 1 of 1 file analysed\n");
}

TEST_F(ReportTest, BriefTextShowsFindingsAndVerdicts) {
  Document D = fullDocument(put("x.cpp", "losses.push_back(loss);\n"));
  TextOptions O;
  O.Brief = true;
  const std::string Text = toText(D, O);
  EXPECT_THAT(Text, HasSubstr("\n  confirmed: "));
  EXPECT_THAT(Text, HasSubstr("\n1 confirmed\n"));
  EXPECT_THAT(Text, Not(HasSubstr("note: ")));
  EXPECT_THAT(Text, Not(HasSubstr("docs/checks/")));
}

TEST_F(ReportTest, ColourOnlyOnRequest) {
  Document D = fullDocument(put("x.cpp", "int i;\n"));
  EXPECT_THAT(toText(D, {false, "", nullptr}), Not(HasSubstr("\033")));
  EXPECT_THAT(toText(D, {true, "", nullptr}),
              HasSubstr("\033[1;31merror: \033[0m"));
}

TEST_F(ReportTest, BytesForPeople) {
  EXPECT_EQ(humanBytes(64), "64 bytes");
  EXPECT_EQ(humanBytes(132096), "132 kB");
  EXPECT_EQ(humanBytes(4.2e6), "4.2 MB");
  EXPECT_EQ(humanBytes(3e16), "3e+04 TB");
}

TEST_F(ReportTest, WritesReplaceWholeFiles) {
  const std::string File = put("out.json", "old");
  chmod(File.c_str(), 0640);
  fs::create_symlink("out.json", Dir / "link.json");
  EXPECT_EQ(writeFileAtomically((Dir / "link.json").string(), "new"), "");
  EXPECT_EQ(get(File), "new");
  EXPECT_TRUE(fs::is_symlink(Dir / "link.json"));
  struct stat S;
  ASSERT_EQ(stat(File.c_str(), &S), 0);
  EXPECT_EQ(S.st_mode & 07777, 0640U);
  EXPECT_EQ(filesThere(), 2U);
  EXPECT_EQ(writeFileAtomically((Dir / "fresh").string(), ""), "");
  EXPECT_EQ(get(Dir / "fresh"), "");
}

TEST_F(ReportTest, FailedWritesLeaveTheOldFile) {
  EXPECT_THAT(writeFileAtomically((Dir / "no/such/dir").string(), "x"),
              HasSubstr("cannot write"));
  // A size limit behaves as a full disk does.
  const std::string File = put("out.json", "old");
  rlimit Old, Small{4096, 0};
  getrlimit(RLIMIT_FSIZE, &Old);
  Small.rlim_max = Old.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &Small);
  const std::string Error = writeFileAtomically(File, std::string(8192, 'x'));
  setrlimit(RLIMIT_FSIZE, &Old);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(Error, HasSubstr("cannot write"));
  EXPECT_EQ(get(File), "old");
  EXPECT_EQ(filesThere(), 1U);
}

TEST_F(ReportTest, DevicesAreWrittenDirectly) {
  EXPECT_EQ(writeFileAtomically("/dev/null", "x"), "");
  EXPECT_THAT(writeFileAtomically("/dev/full", "x"), HasSubstr("cannot write"));
}

} // namespace
