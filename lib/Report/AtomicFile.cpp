//===- AtomicFile.cpp - Files that are whole or not there -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/AtomicFile.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchtidy;

namespace {

/// Ctrl-C between the creation and the renaming would leave the temporary.
class HoldSignals {
public:
  HoldSignals() {
    sigset_t Mask;
    sigemptyset(&Mask);
    for (int S : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
      sigaddset(&Mask, S);
    pthread_sigmask(SIG_BLOCK, &Mask, &Before);
  }
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  HoldSignals(const HoldSignals &) = delete;
  HoldSignals &operator=(const HoldSignals &) = delete;

private:
  sigset_t Before;
};

bool writeAll(int FD, const std::string &Text) {
  size_t Done = 0;
  while (Done < Text.size()) {
    ssize_t N = write(FD, Text.data() + Done, Text.size() - Done);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return false;
    Done += static_cast<size_t>(N);
  }
  return true;
}

std::string failure(const std::string &Path) {
  return "cannot write '" + Path + "': " + std::strerror(errno);
}

} // namespace

std::string report::writeFileAtomically(const std::string &Path,
                                        const std::string &Text) {
  // A symbolic link keeps pointing where it does.
  std::error_code EC;
  const std::filesystem::path Resolved =
      std::filesystem::weakly_canonical(Path, EC);
  const std::string Target = EC ? Path : Resolved.string();
  struct stat Old;
  const bool Exists = stat(Target.c_str(), &Old) == 0;
  if (Exists && !S_ISREG(Old.st_mode)) {
    int FD = open(Target.c_str(), O_WRONLY | O_CLOEXEC);
    if (FD < 0)
      return failure(Path);
    bool Ok = writeAll(FD, Text);
    Ok = close(FD) == 0 && Ok;
    return Ok ? std::string() : failure(Path);
  }

  static std::atomic<unsigned> Counter{0};
  const std::string Temporary = Target + "." + std::to_string(getpid()) + "." +
                                std::to_string(Counter++) + ".tmp";
  HoldSignals Held;
  int FD =
      open(Temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (FD < 0)
    return failure(Path);
  bool Ok = writeAll(FD, Text);
  if (Ok && Exists)
    Ok = fchmod(FD, Old.st_mode & 07777) == 0;
  // Full disks of some file systems are only noticed here.
  Ok = close(FD) == 0 && Ok;
  Ok = Ok && rename(Temporary.c_str(), Target.c_str()) == 0;
  if (Ok)
    return {};
  std::string Reason = failure(Path);
  unlink(Temporary.c_str());
  return Reason;
}
