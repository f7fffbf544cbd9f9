//===- Summaries.cpp - What all files of a project do, in a file ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Summaries.h"
#include "Flow/Program.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;
using namespace torchtidy::flow;

static constexpr StringLiteral Magic("torchtidy summaries 1\n");
static constexpr size_t Word = sizeof(uint64_t);

std::string Summaries::text(ArrayRef<StringRef> Each, bool Whole) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  OS << Magic << (Whole ? "whole\n" : "some \n");
  for (StringRef Text : Each) {
    char Size[Word];
    support::endian::write64le(Size, Text.size());
    OS << StringRef(Size, Word) << Text;
  }
  return Bytes;
}

std::shared_ptr<const Summaries> Summaries::parse(StringRef Bytes,
                                                  std::string &Why) {
  auto R = std::make_shared<Summaries>();
  if (!Bytes.consume_front(Magic)) {
    Why = "this is no file that this version's `torchtidy check --summaries` "
          "wrote";
    return nullptr;
  }
  R->Whole = Bytes.consume_front("whole\n");
  if (!R->Whole && !Bytes.consume_front("some \n"))
    Bytes = "?";
  while (!Bytes.empty()) {
    const uint64_t Size = Bytes.size() < Word
                              ? ~uint64_t(0)
                              : support::endian::read64le(Bytes.data());
    if (Size > Bytes.size() - std::min(Bytes.size(), Word)) {
      Why = "the file is cut off";
      return nullptr;
    }
    auto M = portable::decode(Bytes.substr(Word, Size), Why);
    if (!M)
      return nullptr;
    R->Files.push_back(std::make_shared<portable::Module>(std::move(*M)));
    Bytes = Bytes.drop_front(Word + Size);
  }
  return R;
}

/// The path of a summary file that is named in a configuration.
static std::string found(StringRef Path, StringRef MainFile) {
  if (sys::path::is_absolute(Path))
    return Path.str();
  SmallString<256> Folder(MainFile);
  sys::fs::make_absolute(Folder);
  for (sys::path::remove_filename(Folder); !Folder.empty();) {
    SmallString<256> Here(Folder);
    sys::path::append(Here, Path);
    if (sys::fs::exists(Here))
      return std::string(Here);
    const StringRef Parent = sys::path::parent_path(Folder);
    if (Parent.size() >= Folder.size())
      break;
    Folder.resize(Parent.size());
  }
  return {};
}

std::shared_ptr<const Summaries>
Summaries::load(StringRef Path, StringRef MainFile, std::string &Why) {
  struct Known {
    uint64_t Size = 0;
    sys::TimePoint<> Changed;
    std::shared_ptr<const Summaries> Contents;
    std::string Why;
  };
  static std::mutex Reading;
  static std::map<std::string, Known> Files;

  const std::string File = found(Path, MainFile);
  sys::fs::file_status Status;
  if (File.empty() || sys::fs::status(File, Status)) {
    Why = "there is no such file";
    return nullptr;
  }
  std::lock_guard<std::mutex> Lock(Reading);
  auto [It, New] = Files.try_emplace(File);
  Known &K = It->second;
  if (New || K.Size != Status.getSize() ||
      K.Changed != Status.getLastModificationTime()) {
    K = {Status.getSize(), Status.getLastModificationTime(), nullptr, ""};
    if (auto Buffer = MemoryBuffer::getFile(File))
      K.Contents = parse((*Buffer)->getBuffer(), K.Why);
    else
      K.Why = Buffer.getError().message();
  }
  Why = K.Why;
  return K.Contents;
}

LinkedFiles Summaries::neededBy(StringRef Own) const {
  std::string Why;
  auto M = portable::decode(Own, Why);
  if (!M || M->Files.empty())
    return {};
  // The first that defines a function is the one that is judged.
  std::vector<std::shared_ptr<const portable::Module>> All{
      std::make_shared<portable::Module>(std::move(*M))};
  for (const auto &File : Files)
    if (File->Files.empty() ||
        File->Files.front() != All.front()->Files.front())
      All.push_back(File);
  const std::shared_ptr<const portable::Module> First = All.front();
  return Program(std::move(All), Whole).neededBy(*First);
}
