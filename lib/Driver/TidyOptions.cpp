//===- TidyOptions.cpp - Which checks run on a file, and how --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/TidyOptions.h"
#include "checks/CheckGlobs.h"
#include "checks/ModuleRegistry.h"
#include "clang-tidy/GlobList.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang::tidy;
using namespace llvm;
using namespace torchtidy::driver;

namespace {

/// The file's nearest configuration and its parents, merged as clang-tidy
/// does; errors are kept instead of printed.
class Provider : public FileOptionsProvider {
public:
  Provider(const ClangTidyOptions &Defaults, const ClangTidyOptions &Overrides,
           std::set<std::string> &Errors)
      : FileOptionsProvider(ClangTidyGlobalOptions(), Defaults, Overrides,
                            vfs::getRealFileSystem()) {
    // The constructor that takes handlers leaves the file system out.
    ConfigHandlers = {{".clang-tidy", [&Errors](MemoryBufferRef Text) {
                         return parse(Text, Errors);
                       }}};
  }

private:
  static ErrorOr<ClangTidyOptions> parse(MemoryBufferRef Text,
                                         std::set<std::string> &Errors) {
    std::string Last;
    auto Keep = [&](const SMDiagnostic &D) {
      Last = ("'" + D.getFilename() + "' line " + Twine(D.getLineNo()) + ": " +
              D.getMessage())
                 .str();
    };
    auto Options = parseConfigurationWithDiags(Text, Keep);
    if (Options)
      return Options;
    Errors.insert(Last.empty() ? "'" + Text.getBufferIdentifier().str() +
                                     "': " + Options.getError().message()
                               : Last);
    return ClangTidyOptions();
  }
};

} // namespace

std::vector<std::string> TidyOptions::torchChecks() {
  ClangTidyCheckFactories Factories;
  for (const auto &Entry : ClangTidyModuleRegistry::entries())
    Entry.instantiate()->addCheckFactories(Factories);
  std::vector<std::string> Names;
  for (const auto &Factory : Factories)
    if (Factory.getKey().starts_with("torch-"))
      Names.push_back(Factory.getKey().str());
  llvm::sort(Names);
  return Names;
}

TidyOptions::TidyOptions(const std::string &Checks, const std::string &Profiles,
                         const std::string &ProjectRoot)
    : Checks(Checks) {
  ClangTidyOptions Defaults = ClangTidyOptions::getDefaults();
  Defaults.Checks = "";
  Defaults.WarningsAsErrors = "";
  Defaults.HeaderFilterRegex = "^" + Regex::escape(ProjectRoot) + "/";
  Defaults.SystemHeaders = false;
  Defaults.FormatStyle = "none";
  ClangTidyOptions Overrides;
  if (!Profiles.empty()) {
    SmallVector<StringRef, 4> Names;
    StringRef(Profiles).split(Names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef N : Names)
      if (N != "default" && N != "strict" && N != "perf")
        Errors.insert("there is no profile '" + N.str() +
                      "'; the profiles are default, strict and perf");
    // The command line wins over every file.
    Overrides.CheckOptions["TorchProfiles"] =
        ClangTidyOptions::ClangTidyValue(llvm::join(Names, ";"), 10000);
  }
  if (!Checks.empty() && effective("") == "-*")
    Errors.insert("no check matches '" + Checks + "'; the checks are " +
                  llvm::join(torchChecks(), ", "));
  Files = std::make_unique<Provider>(Defaults, Overrides, Errors);
}

TidyOptions::~TidyOptions() = default;

std::string TidyOptions::effective(const std::string &Configured) const {
  GlobList FromFiles(checks::torchGlobs(Configured));
  // Like clang-tidy's, a list that only removes starts from all.
  GlobList FromCommand(StringRef(Checks).trim().starts_with("-") ||
                               Checks.empty()
                           ? "torch-*," + Checks
                           : Checks);
  std::string Names = "-*";
  for (const std::string &C : torchChecks())
    if (FromFiles.contains(C) && FromCommand.contains(C))
      Names += "," + C;
  return Names;
}

ClangTidyOptions TidyOptions::of(const std::string &File) {
  ClangTidyOptions O = Files->getOptions(File);
  O.Checks = effective(O.Checks.value_or(""));
  return O;
}
