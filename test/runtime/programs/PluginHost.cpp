//===- PluginHost.cpp - Loads LibTorch late and keeps it local ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

/// PLUGIN WHAT N: as Python extensions are loaded.
int main(int Argc, char **Argv) {
  if (Argc < 4)
    return 2;
  void *Plugin = dlopen(Argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!Plugin) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto *Main =
      reinterpret_cast<int (*)(const char *, int)>(dlsym(Plugin, "pluginMain"));
  return Main ? Main(Argv[2], std::atoi(Argv[3])) : 2;
}
