//===- DriverCacheTest.cpp - What is kept between runs, and for how long --===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Cache.h"
#include "Driver/Driver.h"
#include "Driver/Inputs.h"
#include "Report/Json.h"
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace torchtidy;
using namespace torchtidy::driver;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class DriverCache : public testing::Test {
protected:
  void SetUp() override {
    Dir = fs::temp_directory_path() /
          ("torchtidy-cache-" + std::to_string(getpid()));
    fs::create_directories(Dir / "cache");
    setenv("XDG_CACHE_HOME", (Dir / "cache").c_str(), 1);
    setenv("CI", "1", 1); // nobody writes into it when a run has ended
    put("sys/torch/torch.h",
        "#pragma once\nnamespace torch { struct Tensor {}; "
        "}\n");
    put("inc/mine.h", "#pragma once\nstruct Mine {};\n");
    put("t.cpp", "#include <torch/torch.h>\n#include <mine.h>\nMine m;\n");
    R.WorkingDirectory = Dir.string();
    R.Files = {"t.cpp"};
    R.Flags = {"-std=c++17", "-Ifront", "-Iinc", "-isystem", "sys"};
    R.Jobs = 1;
  }
  void TearDown() override { fs::remove_all(Dir); }

  std::string put(const std::string &Name, const std::string &Text) {
    fs::create_directories((Dir / Name).parent_path());
    std::ofstream(Dir / Name) << Text;
    return (Dir / Name).string();
  }

  ParseLevel run() {
    Last = check(R);
    EXPECT_EQ(Last.Error, "");
    return Last.Parses.empty() ? ParseLevel::Plain : Last.Parses[0].Level;
  }

  /// Runs until the result is settled: unchanged in the second run.
  void settle() {
    run();
    EXPECT_EQ(run(), ParseLevel::Unchanged);
  }

  std::vector<fs::path> kept(const std::string &Extension) const {
    std::vector<fs::path> All;
    for (const auto &E : fs::directory_iterator(Dir / "cache/torchtidy"))
      if (E.path().extension() == Extension)
        All.push_back(E.path());
    return All;
  }

  fs::path Dir;
  Request R;
  Outcome Last;
};

TEST_F(DriverCache, UnchangedFilesAreNotParsed) {
  EXPECT_EQ(run(), ParseLevel::Shared);
  const std::string Before = report::toJson(Last.Report);
  EXPECT_EQ(run(), ParseLevel::Unchanged);
  EXPECT_EQ(report::toJson(Last.Report), Before);
  R.Reparse = true;
  EXPECT_EQ(run(), ParseLevel::Shared);
}

TEST_F(DriverCache, WhateverItDependsOnMakesItAnew) {
  settle();
  put("t.cpp", "#include <torch/torch.h>\n#include <mine.h>\nMine n;\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  put("inc/mine.h", "#pragma once\nstruct Mine { int more; };\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  put("sys/torch/torch.h",
      "#pragma once\nnamespace torch { struct Tensor { int "
      "i; }; }\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  R.Checks = "torch-retained-graph";
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  R.Flags->push_back("-DNEW");
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  put(".clang-tidy", "CheckOptions: { torch-retained-graph.MaxBlocks: 7 }\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
}

TEST_F(DriverCache, FilesOfOneSizeWrittenAtOnceAreToldApart) {
  for (int I = 0; I < 5; ++I) {
    put("t.cpp", "#include <torch/torch.h>\nint a;\n");
    run();
    put("t.cpp", "#include <torch/torch.h>\nint !;\n");
    run();
    EXPECT_EQ(Last.Report.Files.Analysed, 0U);
  }
}

TEST_F(DriverCache, AHeaderThatShadowsAnotherIsNoticed) {
  settle();
  put("front/mine.h", "#pragma once\nstruct Mine { int shadowed; };\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
  settle();
  fs::remove(Dir / "front/mine.h");
  EXPECT_EQ(run(), ParseLevel::Shared);
  // Also one of LibTorch's own.
  settle();
  put("front/torch/torch.h", "#pragma once\nnamespace torch { struct Other {}; "
                             "}\n");
  put("t.cpp", "#include <torch/torch.h>\ntorch::Other o;\n");
  run();
  EXPECT_EQ(Last.Report.Files.Analysed, 1U)
      << Last.Report.Files.Skipped.at(0).Reason;
}

TEST_F(DriverCache, FailuresAreKeptUntilTheirReasonGoes) {
  put("t.cpp", "#include <torch/torch.h>\n#include <later.h>\nLater l;\n");
  run();
  EXPECT_EQ(run(), ParseLevel::Unchanged);
  EXPECT_THAT(Last.Report.Files.Skipped.at(0).Reason,
              HasSubstr("'later.h' file not found"));
  put("inc/later.h", "struct Later {};\n");
  EXPECT_EQ(run(), ParseLevel::Shared);
  EXPECT_EQ(Last.Report.Files.Analysed, 1U);
}

TEST_F(DriverCache, CutOrForeignResultsAreMadeAnew) {
  settle();
  const fs::path Result = kept(".result").at(0);
  const auto Size = fs::file_size(Result);
  for (auto Bytes :
       {Size - 3, Size / 2, Size / 8, std::uintmax_t(5), std::uintmax_t(0)}) {
    fs::resize_file(Result, Bytes);
    EXPECT_EQ(run(), ParseLevel::Shared) << Bytes;
    EXPECT_EQ(run(), ParseLevel::Unchanged);
  }
  for (const fs::path &M : kept(".manifest"))
    fs::remove(M);
  EXPECT_EQ(run(), ParseLevel::Shared);
}

TEST_F(DriverCache, WithoutCacheNothingIsReadOrKept) {
  R.UseCache = false;
  EXPECT_EQ(run(), ParseLevel::Shared);
  EXPECT_EQ(run(), ParseLevel::Shared);
  EXPECT_FALSE(fs::exists(Dir / "cache/torchtidy"));
}

TEST_F(DriverCache, TheOldestGoFirst) {
  const std::string Folder = cacheFolder();
  for (const char *Name : {"a.pch", "b.result", "c.pch", "keep.txt"})
    put("cache/torchtidy/" + std::string(Name), std::string(40000, 'x'));
  auto Age = [&](const char *Name, int Hours) {
    fs::last_write_time(Folder + "/" + Name, fs::file_time_type::clock::now() -
                                                 std::chrono::hours(Hours));
  };
  Age("a.pch", 1);
  Age("b.result", 3);
  Age("c.pch", 2);
  trimCache(Folder, 1'000'000);
  EXPECT_TRUE(fs::exists(Folder + "/b.result"));
  trimCache(Folder, 100'000);
  EXPECT_FALSE(fs::exists(Folder + "/b.result"));
  EXPECT_TRUE(fs::exists(Folder + "/c.pch"));
  touchCached(Folder + "/c.pch");
  trimCache(Folder, 50'000);
  EXPECT_FALSE(fs::exists(Folder + "/a.pch"));
  EXPECT_TRUE(fs::exists(Folder + "/c.pch"));
  std::string Error;
  EXPECT_GE(clearCache(Folder, Error), 40000U);
  EXPECT_EQ(Error, "");
  EXPECT_FALSE(fs::exists(Folder + "/c.pch"));
  EXPECT_TRUE(fs::exists(Folder + "/keep.txt"));
}

TEST_F(DriverCache, TheLimitHoldsAfterARun) {
  R.CacheLimit = 1;
  run();
  EXPECT_TRUE(kept(".pch").empty());
  EXPECT_TRUE(kept(".result").empty());
  EXPECT_EQ(run(), ParseLevel::Shared);
}

TEST_F(DriverCache, InputsAreComparedWithWhatIsThere) {
  auto FS = llvm::vfs::createPhysicalFileSystem();
  ASSERT_FALSE(FS->setCurrentWorkingDirectory(Dir.string()));
  auto Recorder = llvm::makeIntrusiveRefCnt<InputRecorder>(
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(std::move(FS)));
  EXPECT_TRUE(Recorder->status("t.cpp"));
  EXPECT_TRUE(Recorder->status("inc"));
  EXPECT_TRUE(Recorder->openFileForRead("inc/mine.h"));
  EXPECT_FALSE(Recorder->status("inc/none.h"));
  const Inputs &All = Recorder->inputs();
  EXPECT_EQ(All.Found.size(), 2U);
  EXPECT_EQ(All.Missing.count((Dir / "inc/none.h").string()), 1U);
  auto Unchanged = [&] {
    const std::string Text = All.text() + "rest";
    llvm::StringRef Rest = Text;
    const bool Same = InputCheck().unchanged(Rest);
    EXPECT_TRUE(!Same || Rest == "rest");
    return Same;
  };
  EXPECT_TRUE(Unchanged());
  const std::string Name = put("inc/none.h", "");
  EXPECT_FALSE(Unchanged());
  fs::remove(Name);
  EXPECT_TRUE(Unchanged());
  fs::remove(Dir / "t.cpp");
  EXPECT_FALSE(Unchanged());
}

} // namespace
