//===- ResultCache.cpp - results of earlier runs --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ResultCache.h"
#include "Driver/Cache.h"
#include "Driver/ResultText.h"
#include "Report/AtomicFile.h"
#include "clang/Basic/Version.h"

using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {
constexpr char Magic[] = "torchtidy result 2";
constexpr char LinkedMagic[] = "torchtidy linked result 1\n";
} // namespace

ResultCache::ResultCache(SharedHeaders &Headers, InputCheck &Check)
    : Headers(Headers), Check(Check),
      // Another build may judge otherwise.
      Tool(TORCHTIDY_VERSION " " + clang::getClangFullVersion() + " " +
           inputState("/proc/self/exe")) {}

std::string ResultCache::path(const std::string &Key) const {
  return Headers.folder() + "/" + Key + ".result";
}

std::string
ResultCache::key(const Unit &U, const Invocation &I,
                 const clang::tidy::ClangTidyOptions &Options) const {
  return hashed(std::string(Magic) + "\n" + Tool + "\n" + U.File + "\n" +
                U.Directory + "\n" + I.flagsKey() +
                clang::tidy::configurationAsText(Options));
}

std::optional<FileResult> ResultCache::find(const std::string &Key) {
  auto Buffer = MemoryBuffer::getFile(path(Key));
  if (!Buffer)
    return std::nullopt;
  StringRef Rest = (*Buffer)->getBuffer();
  const StringRef All = Rest;
  size_t N = 0;
  if (takeLine(Rest) != Magic || !takeCount(Rest, "headers ", N))
    return std::nullopt;
  for (; N; --N) {
    auto [Header, Digest] = takeLine(Rest).split(' ');
    if (!Headers.unchanged(Header, Digest))
      return std::nullopt;
  }
  if (!Check.unchanged(Rest))
    return std::nullopt;
  const StringRef Basis = All.drop_back(Rest.size());
  auto R = readResult(Rest);
  if (!R)
    return std::nullopt;
  R->Basis = hashed(Basis);
  R->Parsed = ParseLevel::Unchanged;
  touchCached(path(Key));
  return R;
}

void ResultCache::keep(const std::string &Key, FileResult &R) {
  if (R.Crashed || !R.Used.Doubt.empty() || R.Used.Found.empty() ||
      R.Failure.find('\n') != std::string::npos)
    return;
  const std::string Result = resultText(R);
  if (Result.empty())
    return;
  std::string Text =
      std::string(Magic) + "\nheaders " + std::to_string(R.Headers.size());
  for (const auto &H : R.Headers)
    Text += "\n" + H->Key + " " + H->Digest;
  Text += "\n" + R.Used.text();
  R.Basis = hashed(Text);
  (void)report::writeFileAtomically(path(Key), Text + Result);
}

std::optional<FileResult> ResultCache::findLinked(const std::string &Key) {
  auto Buffer = MemoryBuffer::getFile(path(Key));
  if (!Buffer)
    return std::nullopt;
  StringRef Text = (*Buffer)->getBuffer();
  if (!Text.consume_front(LinkedMagic))
    return std::nullopt;
  auto R = readResult(Text);
  if (R)
    touchCached(path(Key));
  return R;
}

void ResultCache::keepLinked(const std::string &Key, const FileResult &R) {
  if (R.Crashed || R.Failure.find('\n') != std::string::npos)
    return;
  if (const std::string Result = resultText(R); !Result.empty())
    (void)report::writeFileAtomically(path(Key), LinkedMagic + Result);
}
