//===- CheckMain.cpp - torchtidy check ------------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckMain.h"
#include "Driver/Cache.h"
#include "Driver/Driver.h"
#include "Report/AtomicFile.h"
#include "Report/Json.h"
#include "Report/Text.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace torchtidy;

namespace {

enum Status { Clean = 0, Found = 1, Wrong = 2, Incomplete = 3 };

struct Options {
  driver::Request R;
  std::string Format = "text", Output, FailOn = "warning";
  std::string Summaries;
  bool AllowIncomplete = false, NoCache = false, Verbose = false;
  bool Plain = false, Explain = false, ClearCache = false;
  uint64_t CacheMegabytes = 4096;
};

/// One line that is written over; gone when the report comes.
class ProgressLine {
public:
  ~ProgressLine() { clear(); }

  void show(const driver::Progress &P) {
    winsize Size{};
    const bool Known = ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0;
    const size_t Width = Known && Size.ws_col > 20 ? Size.ws_col : 80;
    std::string Line = "[" + std::to_string(P.Done) + "/" +
                       std::to_string(P.Total) + timeLeft(P) + "] " +
                       std::filesystem::path(P.Current).filename().string();
    Line.resize(std::min(Line.size(), Width - 1));
    std::fprintf(stderr, "\r\033[K%s", Line.c_str());
    std::fflush(stderr);
    Shown = true;
  }

  void clear() {
    if (Shown)
      std::fputs("\r\033[K", stderr);
    Shown = false;
  }

private:
  /// Files differ little; the first also waits for the headers.
  std::string timeLeft(const driver::Progress &P) {
    using namespace std::chrono;
    const auto Now = steady_clock::now();
    if (P.Done == 1 && !First)
      First = Now;
    if (P.Done < 3 || P.Done == P.Total)
      return {};
    const double Each = duration<double>(Now - *First).count() /
                        static_cast<double>(P.Done - 1);
    const auto Left =
        static_cast<unsigned>(Each * static_cast<double>(P.Total - P.Done) + 1);
    return ", " +
           (Left < 100 ? std::to_string(Left) + " s"
                       : std::to_string(Left / 60 + 1) + " min") +
           " left";
  }

  std::optional<std::chrono::steady_clock::time_point> First;
  bool Shown = false;
};

void declare(CLI::App &App, Options &O) {
  App.add_option("FILES", O.R.Files,
                 "Files, headers or folders; all of the project by default");
  App.add_option("-p", O.R.BuildPath,
                 "Folder of compile_commands.json; searched for above the "
                 "first file by default")
      ->type_name("BUILD");
  App.add_option("--since", O.R.Since,
                 "Only files that differ from this commit, or include a header "
                 "that does")
      ->type_name("REV");
  App.add_option("--line-filter", O.R.LineFilter,
                 "Only findings on these lines, as for clang-tidy: "
                 "[{\"name\":\"a.cpp\",\"lines\":[[1,9]]}]")
      ->type_name("JSON");
  App.add_option("--checks", O.R.Checks,
                 "Checks to run, as a list of globs; '-' in front removes")
      ->type_name("GLOB");
  App.add_option("--profile", O.R.Profiles,
                 "Of default, strict and perf, separated by commas")
      ->type_name("LIST");
  App.add_option("--format", O.Format, "text or json")->capture_default_str();
  App.add_option("-o", O.Output, "Write the report to a file")
      ->type_name("FILE");
  App.add_option("-j", O.R.Jobs,
                 "Files at a time; one per processor by default")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U));
  App.add_flag("--fix", O.R.Fix, "Apply the fixes that are safe");
  App.add_option("--fail-on", O.FailOn,
                 "Level from which findings make the status 1: warning, note "
                 "(perf findings as well) or never")
      ->check(CLI::IsMember({"warning", "note", "never"}))
      ->capture_default_str();
  App.add_flag("--allow-incomplete", O.AllowIncomplete,
               "Files that could not be analysed do not make the status 3");
  App.add_flag("--no-cache", O.NoCache,
               "Neither read nor write the cache of parsed headers and "
               "results");
  App.add_flag("--reparse", O.R.Reparse,
               "Parse files again that did not change since an earlier run");
  App.add_flag("--clear-cache", O.ClearCache, "Empty the cache and end");
  App.add_option("--cache-size", O.CacheMegabytes,
                 "What the cache may hold after the run; 0: any amount")
      ->type_name("MB")
      ->capture_default_str();
  App.add_flag("--explain-parse", O.Explain,
               "Say how each file was parsed, and why not faster");
  App.add_flag("--verbose", O.Verbose,
               "Name the functions that were not judged, with the reason");
  App.add_flag("--no-link{false}", O.R.Link,
               "Judge each file by itself: what other files do is not known");
  App.add_option("--summaries", O.Summaries,
                 "Write what all files do, for the option TorchSummaries of "
                 "clangd and clang-tidy")
      ->type_name("FILE");
  App.add_flag("--plain", O.Plain,
               "Parse every file without shared headers, as clang-tidy does");
  App.footer("Behind -- may stand compiler flags that are used for all FILES "
             "instead of a database.\n\n"
             "Exit status: 0 clean; 1 findings; 2 wrong usage or nothing "
             "analysed; 3 some files not analysed.");
}

/// What belongs to later versions is refused by name.
std::string formatError(const std::string &Format) {
  if (Format == "text" || Format == "json")
    return {};
  for (const char *Later : {"sarif", "github", "gitlab", "rdjson", "html"})
    if (Format == Later)
      return "the format '" + Format +
             "' is not in this version yet; it has text and json";
  return "there is no format '" + Format + "'; there are text and json";
}

int usage(const std::string &Message) {
  std::fprintf(stderr, "torchtidy check: %s\n", Message.c_str());
  return Wrong;
}

std::string rendered(const Options &O, const driver::Outcome &Result) {
  const report::Document &D = Result.Report;
  if (O.Format == "json")
    return report::toJson(D);
  report::TextOptions T;
  T.Verbose = O.Verbose;
  T.Sources = Result.Sources.get();
  T.BaseDirectory = O.R.WorkingDirectory;
  T.Colour =
      O.Output.empty() && isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  return report::toText(D, T);
}

std::string toStandardOutput(const std::string &Text) {
  const bool Whole =
      std::fwrite(Text.data(), 1, Text.size(), stdout) == Text.size() &&
      std::fflush(stdout) == 0;
  return Whole ? std::string()
               : "cannot write the report: " + std::string(strerror(errno));
}

int statusOf(const Options &O, const driver::Outcome &Result) {
  const report::FileCounts &Files = Result.Report.Files;
  if (Files.Total == 0 && !O.R.Since.empty())
    return Clean;
  if (Files.Analysed == 0)
    return Wrong;
  if (Files.Analysed < Files.Total && !O.AllowIncomplete)
    return Incomplete;
  if (O.FailOn == "never" || !Result.Worst)
    return Clean;
  return O.FailOn == "note" || *Result.Worst >= Severity::Warning ? Found
                                                                  : Clean;
}

void explain(const driver::Outcome &Result) {
  auto Name = [](driver::ParseLevel L) {
    switch (L) {
    case driver::ParseLevel::Unchanged:
      return "unchanged since an earlier run";
    case driver::ParseLevel::Shared:
      return "shared headers";
    case driver::ParseLevel::Instantiating:
      return "shared headers with function bodies";
    case driver::ParseLevel::Plain:
      break;
    }
    return "plain";
  };
  for (const driver::ParseNote &P : Result.Parses)
    std::fprintf(stderr, "%s: %s%s%s\n", P.File.c_str(), Name(P.Level),
                 P.Why.empty() ? "" : ": ", P.Why.c_str());
}

int clearCache() {
  const std::string Folder = driver::cacheFolder();
  if (Folder.empty())
    return usage("there is no folder for a cache");
  std::string Error;
  const uint64_t Freed = driver::clearCache(Folder, Error);
  if (!Error.empty())
    return usage(Error);
  std::fprintf(stderr, "%.1f MB freed in %s\n",
               static_cast<double>(Freed) / 1e6, Folder.c_str());
  return Clean;
}

int run(Options &O) {
  if (O.ClearCache)
    return clearCache();
  O.R.UseCache = !O.NoCache;
  O.R.CacheLimit = O.CacheMegabytes * 1'000'000;
  O.R.ShareHeaders = !O.Plain;
  O.R.Summarise = !O.Summaries.empty();
  if (O.R.Summarise && !O.R.Link)
    return usage("--summaries is what files are linked with: not with "
                 "--no-link");
  O.R.WorkingDirectory = std::filesystem::current_path().string();
  ProgressLine Line;
  if (isatty(STDERR_FILENO))
    O.R.OnProgress = [&Line](const driver::Progress &P) { Line.show(P); };

  driver::Outcome Result = driver::check(O.R);
  Line.clear();
  if (!Result.Error.empty())
    return usage(Result.Error);
  if (O.R.Fix && !Result.Report.Findings.empty())
    Result.Report.Remarks.push_back(
        "fixed " + std::to_string(Result.Fixed) + " of " +
        std::to_string(Result.Report.Findings.size()) + " findings");
  if (O.Explain)
    explain(Result);

  if (O.R.Summarise)
    if (std::string Error =
            report::writeFileAtomically(O.Summaries, Result.Summaries);
        !Error.empty())
      return usage(Error);
  const std::string Text = rendered(O, Result);
  const std::string Error = O.Output.empty()
                                ? toStandardOutput(Text)
                                : report::writeFileAtomically(O.Output, Text);
  if (!Error.empty())
    return usage(Error);
  // Whoever reads the report by machine still sees what was left out.
  if (O.Format != "text" || !O.Output.empty()) {
    for (const report::SkippedFile &S : Result.Report.Files.Skipped)
      std::fprintf(stderr, "not analysed: %s: %s\n", S.File.c_str(),
                   S.Reason.c_str());
    std::fprintf(stderr, "%s\n", report::summaryLine(Result.Report).c_str());
  }
  return statusOf(O, Result);
}

} // namespace

int tools::checkMain(std::vector<std::string> Args) {
  Options O;
  auto Dashes = std::find(Args.begin(), Args.end(), "--");
  if (Dashes != Args.end()) {
    O.R.Flags.emplace(Dashes + 1, Args.end());
    Args.erase(Dashes, Args.end());
  }
  CLI::App App{"Finds memory and gradient-mode mistakes in the files of a "
               "project.",
               "torchtidy check"};
  declare(App, O);
  std::reverse(Args.begin(), Args.end());
  try {
    App.parse(std::move(Args));
  } catch (const CLI::ParseError &E) {
    return App.exit(E) == 0 ? Clean : Wrong;
  }
  if (std::string Error = formatError(O.Format); !Error.empty())
    return usage(Error);
  return run(O);
}
