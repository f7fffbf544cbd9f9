//===- ResultCache.h - results of earlier runs ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// Results of files, kept between runs. One is used while the compiler's flags,
/// the checks and their options, the tool, and all that the parse depended on
/// are what they were; then the file is not parsed again.

#ifndef TORCHTIDY_DRIVER_RESULTCACHE_H
#define TORCHTIDY_DRIVER_RESULTCACHE_H

#include "Driver/Analyse.h"

namespace torchtidy::driver {

class ResultCache {
public:
  /// Both live longer. The results stand in the headers' folder.
  ResultCache(SharedHeaders &Headers, InputCheck &Check);

  /// Names the result of a file.
  std::string key(const Unit &U, const Invocation &I,
                  const clang::tidy::ClangTidyOptions &Options) const;

  std::optional<FileResult> find(const std::string &Key);
  /// Failures to write cost time in the next run, nothing else.
  void keep(const std::string &Key, FileResult &R);

  /// Of files that were judged with others. The key names all that such a
  /// result depends on: see linkKey.
  std::optional<FileResult> findLinked(const std::string &Key);
  void keepLinked(const std::string &Key, const FileResult &R);

private:
  std::string path(const std::string &Key) const;

  SharedHeaders &Headers;
  InputCheck &Check;
  std::string Tool; ///< this build of it
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_RESULTCACHE_H
