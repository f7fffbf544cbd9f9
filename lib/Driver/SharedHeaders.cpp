//===- SharedHeaders.cpp - LibTorch's headers, parsed once ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/SharedHeaders.h"
#include "Driver/Cache.h"
#include "Driver/HeaderBuild.h"
#include "Driver/Processes.h"
#include "Report/AtomicFile.h"
#include "clang/Basic/Version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <random>
#include <unistd.h>

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

constexpr char Magic[] = "torchtidy shared header 2";

/// The manifest: magic, the precompiled header's name, what it depends on, the
/// essential headers, the words.
std::string manifest(const std::string &Name, const HeaderFacts &F) {
  std::string Text = std::string(Magic) + "\n" + Name + "\n" + F.Used.text();
  Text += "essential " + std::to_string(F.Essential.size()) + "\n";
  for (const std::string &E : F.Essential)
    Text += E + "\n";
  Text += "words " + std::to_string(F.Words.size()) + "\n";
  for (const std::string &W : F.Words)
    Text += W + "\n";
  return Text;
}

/// The part of a manifest that speaks of what may change. Takes it off \p Rest;
/// empty if something did.
StringRef unchangedInputs(StringRef &Rest, InputCheck &Check) {
  const char *Begin = Rest.data();
  return Check.unchanged(Rest)
             ? StringRef(Begin, static_cast<size_t>(Rest.data() - Begin))
             : StringRef();
}

/// A name of its own: a process that has the old manifest must not meet the new
/// file.
std::string newBuild(const std::string &Base) {
  return Base + "-" + std::to_string(getpid()) + "-" +
         hashed(std::to_string(sys::toTimeT(std::chrono::system_clock::now())))
             .substr(0, 6) +
         ".pch";
}

/// Names a header in the cache.
std::string keyOf(const std::vector<std::string> &Names, const Invocation &I,
                  HeaderLevel Level) {
  std::string Identity = std::string(Magic) + "\n" TORCHTIDY_VERSION "\n" +
                         clang::getClangFullVersion() + "\n" + I.flagsKey();
  Identity += Level == HeaderLevel::Bodies ? "bodies\n" : "declarations\n";
  for (const std::string &N : Names)
    Identity += N + "\n";
  return hashed(Identity);
}

} // namespace

bool SharedHeader::mentions(StringRef Word) const {
  return std::binary_search(Words.begin(), Words.end(), Word);
}

SharedHeaders::SharedHeaders(bool UseCache, InputCheck &Check)
    : UseCache(UseCache), Check(Check) {
  if (UseCache) {
    Folder = cacheFolder();
    return;
  }
  SmallString<128> P;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, P);
  Folder = std::string(P);
  // In a folder that others write to as well: a name that they cannot know.
  Own = "torchtidy-" + hashed(std::to_string(sys::Process::GetRandomNumber()) +
                              std::to_string(getpid()) +
                              std::to_string(std::random_device()()));
}

SharedHeaders::~SharedHeaders() {
  for (const std::string &File : Temporary) {
    sys::fs::remove(File);
    sys::DontRemoveFileOnSignal(File);
  }
}

std::shared_ptr<const SharedHeader> SharedHeader::of(const HeaderFacts &Facts) {
  auto H = std::make_shared<SharedHeader>();
  H->Digest = hashed(Facts.Used.text());
  H->Essential = Facts.Essential;
  std::string All;
  for (const std::string &W : Facts.Words)
    All += W + "\n";
  H->Text = MemoryBuffer::getMemBufferCopy(All);
  for (StringRef Rest = H->Text->getBuffer(); !Rest.empty();)
    H->Words.push_back(takeLine(Rest));
  return H;
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

/// Null if there is none or an input has changed.
std::shared_ptr<SharedHeader> SharedHeaders::load(const std::string &Base) {
  auto Buffer = MemoryBuffer::getFile(Base + ".manifest");
  if (!Buffer)
    return nullptr;
  StringRef Rest = (*Buffer)->getBuffer();
  auto H = std::make_shared<SharedHeader>();
  if (takeLine(Rest) != Magic)
    return nullptr;
  H->File = Folder + "/" + takeLine(Rest).str();
  StringRef Inputs = unchangedInputs(Rest, Check);
  size_t N = 0;
  const std::string Prefix = Base + ".h";
  if (Inputs.empty() || !sys::fs::exists(H->File) || !sys::fs::exists(Prefix) ||
      !takeCount(Rest, "essential ", N))
    return nullptr;
  H->Digest = hashed(Inputs);
  for (; N; --N)
    H->Essential.push_back(takeLine(Rest).str());
  if (!takeCount(Rest, "words ", N))
    return nullptr;
  H->Words.reserve(N);
  for (; N; --N)
    H->Words.push_back(takeLine(Rest));
  // A cut file has lost its end.
  if (!Rest.empty() || H->Words.empty() || H->Words.back().empty())
    return nullptr;
  H->Text = std::move(*Buffer);
  for (const std::string &File : {Base + ".manifest", H->File, Prefix})
    touchCached(File);
  return H;
}

std::shared_ptr<SharedHeader>
SharedHeaders::build(const std::vector<std::string> &Names, const Invocation &I,
                     HeaderLevel Level, const std::string &Base,
                     std::string &Why) {
  const std::string Pch = own(newBuild(Base));
  if (UseCache)
    removeOthers(Folder, sys::path::filename(Base).str());
  HeaderFacts Facts;
  Why = buildHeader(Names, I, Level, own(Base + ".h"), Pch, Facts);
  if (Why.empty())
    Why = report::writeFileAtomically(
        own(Base + ".manifest"),
        manifest(sys::path::filename(Pch).str(), Facts));
  std::shared_ptr<SharedHeader> H;
  if (Why.empty() && !(H = load(Base)))
    Why = "a header changed while it was read";
  if (!H)
    sys::fs::remove(Pch);
  return H;
}

std::shared_ptr<const SharedHeader>
SharedHeaders::get(const std::vector<std::string> &Names, const Invocation &I,
                   HeaderLevel Level, std::string &Why) {
  if (Folder.empty()) {
    Why = "no folder for the cache can be written";
    return nullptr;
  }
  const std::string Key = keyOf(Names, I, Level);

  std::shared_ptr<Entry> E;
  {
    std::lock_guard<std::mutex> L(Lock);
    std::shared_ptr<Entry> &Slot = Entries[Key];
    if (!Slot)
      Slot = std::make_shared<Entry>();
    E = Slot;
  }
  std::lock_guard<std::mutex> Once(E->Building);
  // Another run may have removed it meanwhile.
  if (!E->Done || (E->Header && !sys::fs::exists(E->Header->File))) {
    E->Done = true;
    const std::string Base = baseOf(Key);
    std::optional<FileLock> Between;
    if (UseCache)
      Between.emplace(Base + ".lock");
    std::shared_ptr<SharedHeader> H = load(Base);
    if (!H)
      H = build(Names, I, Level, Base, E->Why);
    if (H) {
      H->Level = Level;
      H->Key = Key;
    }
    E->Header = std::move(H);
  }
  Why = E->Why;
  return E->Header;
}

std::string SharedHeaders::baseOf(const std::string &Key) const {
  return Folder + "/" + (UseCache ? Key : Own + "-" + Key);
}

std::optional<HeaderClaim>
SharedHeaders::claim(const std::vector<std::string> &Names,
                     const Invocation &I) {
  if (Folder.empty())
    return std::nullopt;
  HeaderClaim C;
  C.Key = keyOf(Names, I, HeaderLevel::Declarations);
  C.Base = baseOf(C.Key);
  if (!UseCache)
    return C;
  C.Lock = std::make_unique<FileLock>(C.Base + ".lock");
  if (load(C.Base))
    return std::nullopt;
  C.Pch = newBuild(C.Base);
  // A process that was to write it was killed: so might the next be.
  C.MayOutlive = !removeOthers(Folder, C.Key) && !endsAlone();
  return C;
}

std::string HeaderClaim::publish(const HeaderFacts &Facts) const {
  return report::writeFileAtomically(
      Base + ".manifest", manifest(sys::path::filename(Pch).str(), Facts));
}

bool SharedHeaders::unchanged(StringRef Key, StringRef Digest) {
  std::lock_guard<std::mutex> L(Lock);
  auto [It, New] = Digests.try_emplace(Key);
  if (New) {
    It->second = digest(Key);
    const std::string Between = Folder + "/" + Key.str() + ".lock";
    // Another process may be writing it.
    if (It->second.empty() && sys::fs::exists(Between)) {
      FileLock Wait(Between);
      It->second = digest(Key);
    }
  }
  return It->second == Digest;
}

/// Of the manifest of that key; empty if it is not there, or not up to date.
std::string SharedHeaders::digest(StringRef Key) {
  const std::string File = Folder + "/" + Key.str() + ".manifest";
  auto Buffer = MemoryBuffer::getFile(File);
  StringRef Rest = Buffer ? (*Buffer)->getBuffer() : StringRef();
  if (takeLine(Rest) != Magic)
    return {};
  takeLine(Rest);
  const StringRef Inputs = unchangedInputs(Rest, Check);
  if (Inputs.empty())
    return {};
  touchCached(File);
  return hashed(Inputs);
}
