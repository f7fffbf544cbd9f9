//===- Cache.cpp - what is kept between runs ------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Cache.h"
#include "Driver/Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA1.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace torchtidy::driver;

std::string torchtidy::driver::cacheFolder() {
  SmallString<128> P;
  if (auto Xdg = sys::Process::GetEnv("XDG_CACHE_HOME");
      Xdg && sys::path::is_absolute(*Xdg))
    P = *Xdg;
  else if (sys::path::home_directory(P))
    sys::path::append(P, ".cache");
  else
    return {};
  sys::path::append(P, "torchtidy");
  if (sys::fs::create_directories(P) || access(P.c_str(), W_OK | X_OK) != 0)
    return {};
  return std::string(P);
}

std::string torchtidy::driver::hashed(StringRef Text) {
  SHA1 H;
  H.update(Text);
  return toHex(H.result(), /*LowerCase=*/true).substr(0, 24);
}

void torchtidy::driver::touchCached(const std::string &File) {
  utimensat(AT_FDCWD, File.c_str(), nullptr, 0);
}

FileLock::FileLock(const std::string &Path)
    : FD(open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  while (FD >= 0 && flock(FD, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FileLock::~FileLock() {
  if (FD >= 0)
    close(FD);
}

namespace {

constexpr int64_t AnHour = 3'600'000'000'000; // in nanoseconds

struct Entry {
  std::string Path;
  uint64_t Bytes;
  int64_t Used; ///< nanoseconds
};

/// What torchtidy left here; what else a user keeps in the folder stays.
bool isOurs(StringRef Name) {
  // Locks stay: whoever waits for one must not meet another of its name.
  for (StringRef End : {".pch", ".manifest", ".result", ".tmp", ".h"})
    if (Name.ends_with(End))
      return true;
  return false;
}

std::vector<Entry> entries(const std::string &Folder) {
  std::vector<Entry> All;
  std::error_code EC;
  for (sys::fs::directory_iterator It(Folder, EC), End; !EC && It != End;
       It.increment(EC)) {
    struct stat S;
    if (isOurs(sys::path::filename(It->path())) &&
        lstat(It->path().c_str(), &S) == 0 && S_ISREG(S.st_mode))
      All.push_back({It->path(), static_cast<uint64_t>(S.st_blocks) * 512,
                     static_cast<int64_t>(S.st_mtim.tv_sec) * 1'000'000'000 +
                         S.st_mtim.tv_nsec});
  }
  return All;
}

} // namespace

void torchtidy::driver::trimCache(const std::string &Folder, uint64_t Limit) {
  std::vector<Entry> All = entries(Folder);
  uint64_t Bytes = 0;
  for (const Entry &E : All)
    Bytes += E.Bytes;
  llvm::sort(All,
             [](const Entry &A, const Entry &B) { return A.Used < B.Used; });
  for (const Entry &E : All) {
    if (Bytes <= Limit)
      return;
    // It is being written, or was until its process was killed.
    if (StringRef(E.Path).ends_with(".tmp") && E.Used > now() - AnHour)
      continue;
    // A run that still wants it makes it anew.
    if (unlink(E.Path.c_str()) == 0)
      Bytes -= E.Bytes;
  }
}

uint64_t torchtidy::driver::clearCache(const std::string &Folder,
                                       std::string &Error) {
  uint64_t Freed = 0;
  // Who is writing a header has it finished: it would appear afterwards.
  std::vector<std::unique_ptr<FileLock>> Locks;
  std::error_code EC;
  for (sys::fs::directory_iterator It(Folder, EC), End; !EC && It != End;
       It.increment(EC))
    if (StringRef(It->path()).ends_with(".lock"))
      Locks.push_back(std::make_unique<FileLock>(It->path()));
  for (const Entry &E : entries(Folder))
    if (unlink(E.Path.c_str()) == 0)
      Freed += E.Bytes;
    else if (Error.empty() && errno != ENOENT)
      Error = "cannot remove '" + E.Path + "': " + std::strerror(errno);
  return Freed;
}
