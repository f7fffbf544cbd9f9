//===- TorchTidyModule.cpp - Registers the checks -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/InferenceTensorEscapeCheck.h"
#include "checks/MissingNoGradCheck.h"
#include "checks/ModuleRegistry.h"
#include "checks/NoGradInTrainingCheck.h"
#include "checks/RetainGraphCheck.h"
#include "checks/RetainedGraphCheck.h"
#include "checks/SavedDataCheck.h"
#include "checks/StaleOutputCheck.h"
#include "checks/UndetachedStateCheck.h"
#include "checks/UnnamedGuardCheck.h"
#include "checks/UnownedGradientsCheck.h"
#include "checks/UnscaledAccumulationCheck.h"
#include "checks/ZeroGradCheck.h"
#include "clang/Basic/Version.h"

using namespace torchtidy::checks;

namespace {

class TorchTidyModule : public clang::tidy::ClangTidyModule {
public:
  void
  addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    refuseOtherHosts();
#define TORCHTIDY_CHECK(Class, Name, Profile, Severity, Summary)               \
  Factories.registerCheck<Class##Check>(Name);
#include "checks/Registry.inc"
#undef TORCHTIDY_CHECK
  }

private:
  /// LLVM's C++ interface changes with each major version; a plugin in another
  /// host would crash somewhere far from here.
  static void refuseOtherHosts() {
    const std::string Host = clang::getClangFullVersion();
    if (Host.find("clang version " CLANG_VERSION_STRING) == std::string::npos)
      llvm::report_fatal_error(
          llvm::Twine("torchtidy was built for clang-tidy " CLANG_VERSION_STRING
                      " and cannot run in this host (") +
              Host + "); use clang-tidy-" + llvm::Twine(CLANG_VERSION_MAJOR) +
              " or torchtidy-clang-tidy",
          /*gen_crash_diag=*/false);
  }
};

} // namespace

static clang::tidy::ClangTidyModuleRegistry::Add<TorchTidyModule>
    X("torchtidy-module", "Checks for programs that use LibTorch.");
