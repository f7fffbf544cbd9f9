//===- Names.cpp - Types and scope names, numbered ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "Pages.h"
#include "Writer.h"
#include <atomic>
#include <cstring>

using namespace torchtidy::record;
using torchtidy::trace::Encoder;
using torchtidy::trace::RareKind;

namespace {

/// A table that is read without a lock and written under the writer's.
class NameTable {
public:
  constexpr NameTable(RareKind K) : K(K) {}

  /// \p Key is the address of a type's vtable, or a hash of a scope's name.
  uint32_t find(uintptr_t Key) const {
    for (uintptr_t I = mixBits(Key), Tries = 0; Tries < Size; ++I, ++Tries) {
      uintptr_t Other = Keys[I % Size].load(std::memory_order_acquire);
      if (Other == Key)
        return Ids[I % Size];
      if (!Other)
        return 0;
    }
    return 0;
  }
  uint32_t add(uintptr_t Key, const char *Name) {
    WriterLock Access;
    if (uint32_t Id = find(Key))
      return Id;
    if (Count + 1 >= Size / 2)
      return 0;
    const char *Copy = keep(Name);
    if (!Copy || !Access.ready())
      return 0;
    Names[++Count] = Copy;
    write(Count);
    for (uintptr_t I = mixBits(Key);; ++I)
      if (!Keys[I % Size].load(std::memory_order_relaxed)) {
        Ids[I % Size] = Count;
        Keys[I % Size].store(Key, std::memory_order_release);
        return Count;
      }
  }
  void rewrite() const {
    for (uint32_t I = 1; I <= Count; ++I)
      write(I);
  }

private:
  void write(uint32_t Id) const {
    size_t Length = std::strlen(Names[Id]);
    Encoder &E = openRecord(Length + 16);
    E.rare(K);
    putText(E, Names[Id], Length);
  }
  /// Modules and scopes go, their names are needed again.
  const char *keep(const char *Name) {
    size_t Length = std::strlen(Name) + 1;
    if (Length > 4000)
      Length = 4000;
    if (!Text || Used + Length > TextRoom) {
      Text = static_cast<char *>(mapPages(TextRoom));
      Used = 0;
    }
    if (!Text)
      return nullptr;
    char *To = Text + Used;
    std::memcpy(To, Name, Length - 1);
    Used += Length;
    return To;
  }

  static constexpr unsigned Size = 4096;
  static constexpr size_t TextRoom = 64 * 1024;
  const RareKind K;
  std::atomic<uintptr_t> Keys[Size] = {};
  uint32_t Ids[Size] = {};
  const char *Names[Size / 2] = {};
  uint32_t Count = 0;
  char *Text = nullptr;
  size_t Used = 0;
};

NameTable Types(RareKind::Type), Scopes(RareKind::Name);

} // namespace

uint32_t torchtidy::record::typeOf(const void *Object) {
  // Itanium ABI: before the vtable's entries lies the type_info, whose second
  // word is the mangled name.
  auto *Vtable = *static_cast<const char *const *const *>(Object);
  if (!Vtable)
    return 0;
  auto Key = reinterpret_cast<uintptr_t>(Vtable);
  if (uint32_t Id = Types.find(Key))
    return Id;
  auto *Info = reinterpret_cast<const char *const *>(Vtable[-1]);
  return Info ? Types.add(Key, Info[1]) : 0;
}

uint32_t torchtidy::record::nameId(const char *Name) {
  uint64_t Hash = 14695981039346656037u;
  for (const char *P = Name; *P; ++P)
    Hash = (Hash ^ static_cast<unsigned char>(*P)) * 1099511628211u;
  Hash |= 1; // never the mark of a free place
  if (uint32_t Id = Scopes.find(Hash))
    return Id;
  return Scopes.add(Hash, Name);
}

void torchtidy::record::rewriteNames() {
  Types.rewrite();
  Scopes.rewrite();
}
