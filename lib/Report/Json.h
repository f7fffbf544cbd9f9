//===- Json.h - The findings document as JSON -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// docs/finding.schema.json describes the format.

#ifndef TORCHTIDY_REPORT_JSON_H
#define TORCHTIDY_REPORT_JSON_H

#include "Report/Document.h"

namespace torchtidy::report {

std::string toJson(const Document &D);

/// Members that this version does not know are passed over; a document of a
/// later version, a missing member or a wrong type is an error: the result is
/// empty and \p Error names the place.
std::optional<Document> fromJson(const std::string &Text, std::string &Error);

} // namespace torchtidy::report

#endif // TORCHTIDY_REPORT_JSON_H
