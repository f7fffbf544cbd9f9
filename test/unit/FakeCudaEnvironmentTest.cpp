//===- FakeCudaEnvironmentTest.cpp - Settings of the fake from the environment
//===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <cstdlib>
#include <sys/wait.h>

namespace fakecuda::test {
namespace {

using Settings = std::vector<std::pair<const char *, const char *>>;

/// Runs \p Body in a process that has not used the fake yet; what it says on
/// stderr, and its end.
template <typename F>
std::string inNewProcess(const Settings &Environment, int &Status, F Body) {
  int Pipe[2];
  EXPECT_EQ(pipe(Pipe), 0);
  pid_t Child = fork();
  if (Child == 0) {
    dup2(Pipe[1], 2);
    for (auto [Name, Value] : Environment)
      setenv(Name, Value, 1);
    std::exit(Body());
  }
  close(Pipe[1]);
  std::string Said;
  char Buffer[4096];
  for (ssize_t N; (N = read(Pipe[0], Buffer, sizeof(Buffer))) > 0;)
    Said.append(Buffer, N);
  close(Pipe[0]);
  waitpid(Child, &Status, 0);
  return Said;
}

int begin() { return cuInit(0); }

TEST(FakeCudaEnvironmentTest, Defaults) {
  int Status;
  std::string Said = inNewProcess({}, Status, [] {
    return !(begin() == 0 && memory().Limit == uint64_t(16) << 30 &&
             memory(1).Limit == 0);
  });
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(Said, "");
}

TEST(FakeCudaEnvironmentTest, GoodValues) {
  int Status;
  Settings All = {{"FAKECUDA_MEMORY", "512M"},
                  {"FAKECUDA_DEVICES", "2"},
                  {"FAKECUDA_CONTEXT_BYTES", "4096K"},
                  {"FAKECUDA_FAIL", "cuMemCreate@1=2"}};
  std::string Said = inNewProcess(All, Status, [] {
    void *P;
    if (cudaMalloc(&P, 1) || memory(1).Limit != 512 * Mib)
      return 1;
    if (memory().Used != 6 * Mib)
      return 2;
    CUmemGenericAllocationHandle H;
    auto Prop = memoryOf(0);
    if (cuMemCreate(&H, 2 * Mib, &Prop, 0) != abi::OutOfMemory)
      return 3;
    if (cuDevicePrimaryCtxRelease_v2(0) || memory().Used != 2 * Mib)
      return 4;
    fakecuda_reset();
    return memory(1).Limit == 512 * Mib ? 0 : 5;
  });
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(Said, "");
}

TEST(FakeCudaEnvironmentTest, ContextThatDoesNotFit) {
  int Status;
  inNewProcess({{"FAKECUDA_MEMORY", "2M"}, {"FAKECUDA_CONTEXT_BYTES", "3M"}},
               Status, [] {
                 void *P;
                 return !(cudaMalloc(&P, 1) == abi::OutOfMemory);
               });
  EXPECT_EQ(Status, 0);
}

TEST(FakeCudaEnvironmentTest, BadValuesAbort) {
  std::pair<Settings, const char *> Bad[] = {
      {{{"FAKECUDA_MEMORY", "16X"}}, "FAKECUDA_MEMORY=16X: expected bytes"},
      {{{"FAKECUDA_MEMORY", ""}}, "FAKECUDA_MEMORY=: expected bytes"},
      {{{"FAKECUDA_MEMORY", "-1"}}, "FAKECUDA_MEMORY=-1: expected bytes"},
      {{{"FAKECUDA_MEMORY", "99999999T"}}, "expected bytes"},
      {{{"FAKECUDA_CONTEXT_BYTES", "1.5G"}}, "FAKECUDA_CONTEXT_BYTES=1.5G"},
      {{{"FAKECUDA_DEVICES", "17"}}, "FAKECUDA_DEVICES=17: expected 0 to 16"},
      {{{"FAKECUDA_DEVICES", "two"}}, "FAKECUDA_DEVICES=two"},
      {{{"FAKECUDA_VERBOSE", "yes"}}, "FAKECUDA_VERBOSE=yes: expected 0 or 1"},
      {{{"FAKECUDA_FAIL", "cuFoo@1=2"}}, "FAKECUDA_FAIL: failure plan"}};
  for (auto &[Environment, Text] : Bad) {
    int Status;
    std::string Said = inNewProcess(Environment, Status, begin);
    EXPECT_TRUE(WIFSIGNALED(Status) && WTERMSIG(Status) == SIGABRT) << Text;
    EXPECT_THAT(Said, ::testing::HasSubstr(Text));
    EXPECT_EQ(std::count(Said.begin(), Said.end(), '\n'), 1) << Said;
  }
}

TEST(FakeCudaEnvironmentTest, Verbose) {
  int Status;
  std::string Said = inNewProcess({{"FAKECUDA_VERBOSE", "1"}}, Status, [] {
    begin();
    cuMemRelease(1);
    return 0;
  });
  EXPECT_EQ(Said, "fakecuda: cuMemRelease -> 1: not a live handle\n");
}

TEST(FakeCudaEnvironmentTest, Report) {
  int Status;
  std::string Said = inNewProcess({{"FAKECUDA_REPORT", "1"}}, Status, [] {
    begin();
    create(2 * Mib);
    return 0;
  });
  EXPECT_EQ(Status, 0);
  EXPECT_THAT(Said, ::testing::ContainsRegex("cuMemCreate +1\n"));
  EXPECT_THAT(Said, ::testing::HasSubstr("live: 1 handles, 0 mappings"));
  EXPECT_THAT(Said, ::testing::HasSubstr("faults 0, races 0"));
}

TEST(FakeCudaEnvironmentTest, AbortAtTheFirstFault) {
  int Status;
  std::string Said = inNewProcess({{"FAKECUDA_ABORT", "1"}}, Status, [] {
    begin();
    launch(nullptr, 1, 0x1000, 1);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(Status) && WTERMSIG(Status) == SIGABRT);
  EXPECT_THAT(Said, ::testing::HasSubstr("fakecuda: fault: kernel of"));
}

} // namespace
} // namespace fakecuda::test
