//===- ClangdLinks.cpp - Links from findings to their pages ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// clangd links the name of every check to clang-tidy's site, which has no
/// page of ours. On the way out the links of the torch checks are set to the
/// pages that were installed with them, or taken away if there are none.
///
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <memory>

using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// The folder of the pages: beside the installed program, or of the sources.
std::string pagesFolder() {
  llvm::SmallString<128> Installed(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr)));
  llvm::sys::path::append(Installed, "..", TORCHTIDY_INSTALLED_PAGES);
  llvm::sys::path::remove_dots(Installed, /*remove_dot_dot=*/true);
  for (StringRef Folder : {Installed.str(), StringRef(TORCHTIDY_SOURCE_PAGES)})
    if (llvm::sys::fs::is_directory(Folder))
      return Folder.str();
  return {};
}

/// As a URI; empty if there is no page.
std::string pageOf(StringRef Check) {
  static const std::string Folder = pagesFolder();
  const std::string Path =
      Folder + "/" + Check.drop_front(StringRef("torch-").size()).str() + ".md";
  if (Folder.empty() || !llvm::sys::fs::exists(Path))
    return {};
  std::string URI = "file://";
  for (const char C : Path)
    if (llvm::isAlnum(C) || StringRef("-._~/").contains(C))
      URI += C;
    else
      URI += "%" + llvm::toHex(StringRef(&C, 1));
  return URI;
}

void setLinks(json::Value &Published) {
  json::Object *Params = Published.getAsObject();
  json::Array *All = Params ? Params->getArray("diagnostics") : nullptr;
  if (!All)
    return;
  for (json::Value &Entry : *All) {
    json::Object *D = Entry.getAsObject();
    json::Object *Link = D ? D->getObject("codeDescription") : nullptr;
    const auto Code = D ? D->getString("code") : std::nullopt;
    if (!Link || !Code || !Code->starts_with("torch-"))
      continue;
    if (std::string Page = pageOf(*Code); !Page.empty())
      (*Link)["href"] = std::move(Page);
    else
      D->erase("codeDescription");
  }
}

} // namespace

namespace torchtidy::clangd {

/// clangd's Transport: the same functions in the same order.
class Transport {
public:
  virtual ~Transport() = default;
  virtual void notify(StringRef Method, json::Value Params) = 0;
  virtual void call(StringRef Method, json::Value Params, json::Value ID) = 0;
  virtual void reply(json::Value ID, llvm::Expected<json::Value> Result) = 0;
  virtual llvm::Error loop(void *Handler) = 0;
};

class LinkedTransport : public Transport {
public:
  explicit LinkedTransport(std::unique_ptr<Transport> Clangd)
      : Clangd(std::move(Clangd)) {}

  void notify(StringRef Method, json::Value Params) override {
    if (Method == "textDocument/publishDiagnostics")
      setLinks(Params);
    Clangd->notify(Method, std::move(Params));
  }
  void call(StringRef Method, json::Value Params, json::Value ID) override {
    Clangd->call(Method, std::move(Params), std::move(ID));
  }
  void reply(json::Value ID, llvm::Expected<json::Value> Result) override {
    Clangd->reply(std::move(ID), std::move(Result));
  }
  llvm::Error loop(void *Handler) override { return Clangd->loop(Handler); }

private:
  std::unique_ptr<Transport> Clangd;
};

} // namespace torchtidy::clangd

using torchtidy::clangd::Transport;

#define TORCHTIDY_NEW_TRANSPORT(Name, Prefix)                                  \
  std::unique_ptr<Transport> Name(                                             \
      std::FILE *In, llvm::raw_ostream &Out, llvm::raw_ostream *Mirror,        \
      bool Pretty,                                                             \
      unsigned Style) asm(Prefix "_ZN5clang6clangd16newJSONTransportEP8_IO_"   \
                                 "FILERN4llvm11raw_"                           \
                                 "ostreamEPS4_bNS0_15JSONStreamStyleE");
TORCHTIDY_NEW_TRANSPORT(realNewTransport, "__real_")
TORCHTIDY_NEW_TRANSPORT(wrappedNewTransport, "__wrap_")
#undef TORCHTIDY_NEW_TRANSPORT

std::unique_ptr<Transport> wrappedNewTransport(std::FILE *In,
                                               llvm::raw_ostream &Out,
                                               llvm::raw_ostream *Mirror,
                                               bool Pretty, unsigned Style) {
  return std::make_unique<torchtidy::clangd::LinkedTransport>(
      realNewTransport(In, Out, Mirror, Pretty, Style));
}
