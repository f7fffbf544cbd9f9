//===- Nvcc.cpp - What only nvcc understands ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Command.h"
#include "Semantics/StringSwitch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace torchtidy;

namespace {

enum class Kind {
  Other,      ///< the host compiler's
  Flag,       ///< without a value, dropped
  Valued,     ///< with a value, dropped
  HostFlags,  ///< the value is flags for the host compiler
  OptionFile, ///< the value is a response file
};

Kind classify(StringRef Name) {
  return semantics::StringSwitch<Kind>(Name)
      .Cases({"-Xcompiler", "--compiler-options"}, Kind::HostFlags)
      .Cases({"-optf", "--options-file"}, Kind::OptionFile)
      .Cases({"-gencode", "--generate-code", "-arch", "--gpu-architecture"},
             Kind::Valued)
      .Cases({"-code", "--gpu-code", "-ccbin", "--compiler-bindir"},
             Kind::Valued)
      .Cases({"-Xptxas", "--ptxas-options", "-Xcudafe", "-Xnvlink", "-Xfatbin"},
             Kind::Valued)
      .Cases({"-Xlinker", "-Xarchive", "-maxrregcount", "--maxrregcount"},
             Kind::Valued)
      .Cases({"-t", "--threads", "-rdc", "--relocatable-device-code"},
             Kind::Valued)
      .Cases({"-cudart", "--cudart", "-diag-suppress", "--diag-suppress"},
             Kind::Valued)
      .Cases({"-diag-warn", "--diag-warn", "-diag-error", "--diag-error"},
             Kind::Valued)
      .Cases({"-dlink-time-opt", "-split-compile", "--split-compile",
              "-default-stream", "--default-stream"},
             Kind::Valued)
      .Cases({"-dc", "-dw", "--device-c", "--device-w", "-lineinfo",
              "--generate-line-info"},
             Kind::Flag)
      .Cases({"-forward-unknown-to-host-compiler",
              "--forward-unknown-to-host-compiler",
              "-forward-unknown-to-host-linker",
              "--forward-unknown-to-host-linker"},
             Kind::Flag)
      .Cases({"-use_fast_math", "--use_fast_math", "-extended-lambda",
              "--extended-lambda", "-expt-extended-lambda",
              "--expt-extended-lambda"},
             Kind::Flag)
      .Cases({"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", "-G",
              "--device-debug", "-restrict", "--restrict"},
             Kind::Flag)
      .Cases({"-keep", "--keep", "-res-usage", "--resource-usage",
              "-Wno-deprecated-gpu-targets", "-MP"},
             Kind::Flag)
      .Cases({"-ewp", "-dlto", "-lto", "--extra-device-vectorization",
              "-compress-all"},
             Kind::Flag)
      .Default(Kind::Other);
}

/// Long spellings of what the host compiler has under another name.
StringRef hostName(StringRef Name) {
  return semantics::StringSwitch<StringRef>(Name)
      .Case("--define-macro", "-D")
      .Case("--undefine-macro", "-U")
      .Case("--include-path", "-I")
      .Case("--system-include", "-isystem")
      .Case("--pre-include", "-include")
      .Case("--optimize", "-O")
      .Case("--compile", "-c")
      .Case("--output-file", "-o")
      .Case("--std", "-std")
      .Default("");
}

} // namespace

bool driver::translateNvcc(std::vector<std::string> &Args) {
  if (!sys::path::stem(Args[0]).starts_with("nvcc"))
    return false;
  std::vector<std::string> Out{"clang++"};
  for (size_t I = 1; I < Args.size(); ++I) {
    const StringRef Name = StringRef(Args[I]).split("=").first;
    const StringRef Joined = StringRef(Args[I]).split("=").second;
    const bool HasJoined = StringRef(Args[I]).contains('=');
    auto Value = [&]() -> std::string {
      if (HasJoined)
        return Joined.str();
      return I + 1 < Args.size() ? Args[++I] : std::string();
    };
    switch (classify(Name)) {
    case Kind::Flag:
      continue;
    case Kind::Valued:
      Value();
      continue;
    case Kind::OptionFile:
      Out.push_back("@" + Value());
      continue;
    case Kind::HostFlags: {
      const std::string Text = Value();
      SmallVector<StringRef, 4> Flags;
      StringRef(Text).split(Flags, ',', -1, /*KeepEmpty=*/false);
      for (StringRef F : Flags)
        Out.push_back(F.trim("\"'").str());
      continue;
    }
    case Kind::Other:
      break;
    }
    if (StringRef Host = hostName(Name); !Host.empty()) {
      if (Host == "-std" || Host == "-O" || Host == "-D" || Host == "-U") {
        Out.push_back((Host + (Host == "-std" ? "=" : "")).str() + Value());
      } else {
        Out.push_back(Host.str());
        if (Host != "-c")
          Out.push_back(Value());
      }
      continue;
    }
    // `-isystem=DIR`, `-I=DIR`: nvcc takes the value joined as well.
    if (HasJoined &&
        (Name == "-isystem" || Name == "-I" || Name == "-include")) {
      Out.push_back(Name.str());
      Out.push_back(Joined.str());
      continue;
    }
    // The language follows from the file.
    if (Name == "-x") {
      Value();
      continue;
    }
    Out.push_back(Args[I]);
  }
  Args = std::move(Out);
  return true;
}
