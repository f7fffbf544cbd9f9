//===- ClangdHooks.cpp - Where clangd meets the checks --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// clangd has the checks of whatever registers itself, but runs only those
/// that it has timed and that a configuration switches on. The linker's
/// `--wrap` puts the functions below between clangd's files; all types in them
/// are from public headers. The signatures are those of LLVM 19.1, which CMake
/// ensures: return types are not part of a symbol.
///
//===----------------------------------------------------------------------===//

#include "checks/CheckGlobs.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

using clang::tidy::ClangTidyOptions;
using llvm::StringRef;

// What clangd defines and what it calls in its place.
#define TORCHTIDY_WRAP(Result, Name, Symbol, ...)                              \
  Result real##Name(__VA_ARGS__) asm("__real_" Symbol);                        \
  Result wrapped##Name(__VA_ARGS__) asm("__wrap_" Symbol);

using OptionsProvider = llvm::function_ref<void(ClangTidyOptions &, StringRef)>;
TORCHTIDY_WRAP(OptionsProvider, DefaultChecks,
               "_ZN5clang6clangd20provideDefaultChecksEv")
TORCHTIDY_WRAP(std::optional<bool>, IsFast,
               "_ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE", StringRef)
TORCHTIDY_WRAP(std::string, Version, "_ZN5clang6clangd13versionStringB5cxx11Ev")
TORCHTIDY_WRAP(std::string, Features,
               "_ZN5clang6clangd13featureStringB5cxx11Ev")
#undef TORCHTIDY_WRAP

/// The last provider before clangd removes what it cannot run: `.clang-tidy`
/// and `.clangd` have spoken, and clangd's own checks go on if they had not.
OptionsProvider wrappedDefaultChecks() {
  return [](ClangTidyOptions &Options, StringRef File) {
    realDefaultChecks()(Options, File);
    std::string &Checks = *Options.Checks;
    Checks += "," + torchtidy::checks::torchGlobs(Checks);
  };
}

/// By default clangd runs only checks that cost less than a few per cent of
/// parsing; `tools/bench clangd` holds ours to that.
std::optional<bool> wrappedIsFast(StringRef Check) {
  return Check.starts_with("torch-") ? true : realIsFast(Check);
}

std::string wrappedVersion() {
  return realVersion() + " with torchtidy " TORCHTIDY_VERSION;
}

std::string wrappedFeatures() {
  std::string Features = realFeatures();
  if (const size_t At = Features.find("+grpc"); At != std::string::npos)
    Features.erase(At, StringRef("+grpc").size());
  return Features;
}

// The client of remote indexes would bring gRPC; clangd does without one.
namespace clang::clangd {
class SymbolIndex {
public:
  virtual ~SymbolIndex();
};
namespace remote {
std::unique_ptr<SymbolIndex> getClient(StringRef, StringRef) {
  llvm::errs() << "torchtidy-clangd: built without remote indexes\n";
  return nullptr;
}
} // namespace remote
} // namespace clang::clangd
