//===- Inputs.h - what the result of a parse depends on ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// What the result of a parse depends on, to know later whether it still holds:
/// the files that were read or looked at, and the names that were looked for in
/// vain. A header that newly shadows another one is such a name.

#ifndef TORCHTIDY_DRIVER_INPUTS_H
#define TORCHTIDY_DRIVER_INPUTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace torchtidy::driver {

/// Nanoseconds since the epoch, as time stamps of files count.
int64_t now();

/// Size and times of a file in one word; `-` if it is not there.
std::string inputState(const std::string &File);

struct Inputs {
  std::map<std::string, std::string> Found; ///< absolute path -> state
  std::set<std::string> Missing;            ///< absolute paths
  /// Empty, or why the result cannot be kept.
  std::string Doubt;

  /// Lines for a file of the cache.
  std::string text() const;
  /// Takes them off \p Text; false if they are cut.
  bool read(llvm::StringRef &Text);
};

/// A file system that notes what is asked of it. The state of a file is taken
/// before its content is read, and not before its time stamp is old enough to
/// be told from the next one, so that a later change always shows.
class InputRecorder : public llvm::vfs::ProxyFileSystem {
public:
  explicit InputRecorder(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS)
      : ProxyFileSystem(std::move(FS)) {}

  /// A file of the cache, on which nothing depends.
  void ignore(llvm::StringRef Path) { Known.insert(Path); }
  /// What was noted so far belongs to somebody else.
  void startOver() { All = Inputs(); }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override;

  const Inputs &inputs() const { return All; }

private:
  void note(const llvm::Twine &Path);

  Inputs All;
  llvm::StringSet<> Known; ///< as spelled
};

/// Compares Inputs::text() with what is there now. Looks at each file once:
/// results of one run speak of one state. For several threads.
class InputCheck {
public:
  /// Takes the lines off \p Text; false if something changed or they are cut.
  bool unchanged(llvm::StringRef &Text);

private:
  std::string state(llvm::StringRef File);

  std::mutex Lock;
  llvm::StringMap<std::string> States;
};

/// Takes the next line off \p Text.
llvm::StringRef takeLine(llvm::StringRef &Text);
/// Takes a line `LABEL N` off \p Text; false if it is another.
bool takeCount(llvm::StringRef &Text, llvm::StringRef Label, size_t &N);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_INPUTS_H
