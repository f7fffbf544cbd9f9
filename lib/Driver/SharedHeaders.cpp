//===- SharedHeaders.cpp - LibTorch's headers, parsed once ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/SharedHeaders.h"
#include "Driver/HeaderBuild.h"
#include "Report/AtomicFile.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/Signals.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

constexpr char Magic[] = "torchtidy shared header 1";

/// Other processes that want the same header wait; the kernel opens the lock
/// when its holder dies.
class FileLock {
public:
  explicit FileLock(const std::string &Path)
      : FD(open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (FD >= 0 && flock(FD, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (FD >= 0)
      close(FD);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int FD;
};

std::string hashed(StringRef Text) {
  SHA1 H;
  H.update(Text);
  return toHex(H.result(), /*LowerCase=*/true).substr(0, 24);
}

/// Takes the next line off \p Text.
StringRef line(StringRef &Text) {
  auto [First, Rest] = Text.split('\n');
  Text = Rest;
  return First;
}

bool count(StringRef &Text, StringRef Label, size_t &N) {
  StringRef L = line(Text);
  return L.consume_front(Label) && !L.trim().getAsInteger(10, N);
}

} // namespace

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

bool SharedHeader::mentions(StringRef Word) const {
  return std::binary_search(Words.begin(), Words.end(), Word);
}

SharedHeaders::SharedHeaders(bool UseCache) : UseCache(UseCache) {
  if (UseCache) {
    Folder = cacheFolder();
    return;
  }
  SmallString<128> P;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, P);
  Folder = std::string(P);
}

SharedHeaders::~SharedHeaders() {
  for (const std::string &File : Temporary) {
    sys::fs::remove(File);
    sys::DontRemoveFileOnSignal(File);
  }
}

/// Without a cache every file is one of this process alone.
std::string SharedHeaders::own(const std::string &File) {
  if (UseCache)
    return File;
  std::lock_guard<std::mutex> L(Lock);
  Temporary.push_back(File);
  sys::RemoveFileOnSignal(File);
  return File;
}

/// The manifest: magic, the precompiled header's name, the essential headers,
/// the state of every input, the words.
static std::string manifest(const std::string &Name, const HeaderFacts &F) {
  std::string Text = std::string(Magic) + "\n" + Name + "\n";
  Text += "essential " + std::to_string(F.Essential.size()) + "\n";
  for (const std::string &E : F.Essential)
    Text += E + "\n";
  Text += "inputs " + std::to_string(F.Inputs.size()) + "\n";
  for (const auto &[Path, State] : F.Inputs)
    Text += State + " " + Path + "\n";
  Text += "words " + std::to_string(F.Words.size()) + "\n";
  for (const std::string &W : F.Words)
    Text += W + "\n";
  return Text;
}

/// Null if there is none or an input has changed.
static std::shared_ptr<SharedHeader>
parseManifest(const std::string &Folder, const std::string &Path,
              std::unique_ptr<MemoryBuffer> &Text,
              std::vector<StringRef> &Words) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return nullptr;
  StringRef Rest = (*Buffer)->getBuffer();
  auto H = std::make_shared<SharedHeader>();
  if (line(Rest) != Magic)
    return nullptr;
  H->File = Folder + "/" + line(Rest).str();
  size_t N = 0;
  if (!sys::fs::exists(H->File) || !count(Rest, "essential ", N))
    return nullptr;
  for (; N; --N)
    H->Essential.push_back(line(Rest).str());
  if (!count(Rest, "inputs ", N) || N == 0)
    return nullptr;
  for (; N; --N) {
    StringRef L = line(Rest);
    auto [State, File] = L.split(' ');
    if (State != inputState(File.str()))
      return nullptr;
  }
  if (!count(Rest, "words ", N))
    return nullptr;
  Words.reserve(N);
  for (; N; --N)
    Words.push_back(line(Rest));
  // A cut file has lost its end.
  if (!Rest.empty() || Words.empty() || Words.back().empty())
    return nullptr;
  Text = std::move(*Buffer);
  return H;
}

std::shared_ptr<const SharedHeader>
SharedHeaders::get(const std::vector<std::string> &Names, const Invocation &I,
                   std::string &Why) {
  if (Folder.empty()) {
    Why = "no folder for the cache can be written";
    return nullptr;
  }
  std::string Identity = std::string(Magic) + "\n" TORCHTIDY_VERSION "\n" +
                         clang::getClangFullVersion() + "\n" + I.flagsKey();
  for (const std::string &N : Names)
    Identity += N + "\n";
  const std::string Key = hashed(Identity);

  std::shared_ptr<Entry> E;
  {
    std::lock_guard<std::mutex> L(Lock);
    std::shared_ptr<Entry> &Slot = Entries[Key];
    if (!Slot)
      Slot = std::make_shared<Entry>();
    E = Slot;
  }
  std::lock_guard<std::mutex> Once(E->Building);
  if (!E->Done) {
    E->Done = true;
    const std::string Base =
        Folder + "/" +
        (UseCache ? Key : "torchtidy-" + std::to_string(getpid()) + "-" + Key);
    std::optional<FileLock> Between;
    if (UseCache)
      Between.emplace(Base + ".lock");
    auto Load = [&] {
      std::unique_ptr<MemoryBuffer> Text;
      std::vector<StringRef> Words;
      auto H = parseManifest(Folder, Base + ".manifest", Text, Words);
      if (H) {
        H->Text = std::move(Text);
        H->Words = std::move(Words);
      }
      return H;
    };
    E->Header = Load();
    if (!E->Header) {
      // A name of its own: a process that has the old manifest must not meet
      // the new file.
      const std::string Pch = own(
          Base + "-" + std::to_string(getpid()) + "-" +
          hashed(std::to_string(sys::toTimeT(std::chrono::system_clock::now())))
              .substr(0, 6) +
          ".pch");
      if (UseCache)
        removeOthers(Folder, Key);
      HeaderFacts Facts;
      E->Why = buildHeader(Names, I, own(Base + ".h"), Pch, Facts);
      if (E->Why.empty())
        E->Why = report::writeFileAtomically(
            own(Base + ".manifest"),
            manifest(sys::path::filename(Pch).str(), Facts));
      if (E->Why.empty() && !(E->Header = Load()))
        E->Why = "a header changed while it was read";
      if (!E->Header)
        sys::fs::remove(Pch);
    }
  }
  Why = E->Why;
  return E->Header;
}
