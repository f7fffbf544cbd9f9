//===- Specializations.cpp - one specialization of many -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Specializations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ASTWriter.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitstream/BitstreamReader.h"
#include "llvm/Bitstream/BitstreamWriter.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <tuple>

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

/// Fewer are loaded as fast as they are looked up.
constexpr size_t WorthATable = 8;

constexpr char BlockName[] = "torchtidy.specializations";
constexpr unsigned Version = 1; ///< of the table and of the hash
constexpr unsigned TableRecord = serialization::FIRST_EXTENSION_RECORD_ID;

using Number = support::ulittle32_t;

/// The table: the number of templates; for each its declaration and where its
/// slots end, sorted; the slots of each, sorted by hash.
struct Template {
  Number Decl, End;
};
struct Slot {
  Number Hash, Decl;
};

/// Only what canonical types have in common: what is left out makes two
/// arguments share a hash, which costs time, not correctness.
class Hasher {
public:
  explicit Hasher(const ASTContext &Context) : Context(Context) {}

  void add(ArrayRef<TemplateArgument> Args) {
    for (const TemplateArgument &A : Args)
      add(A);
  }
  uint32_t result() const { return std::max<uint32_t>(State >> 32, 1); }

private:
  void add(uint64_t N) { State = (State ^ N) * 0x9E3779B97F4A7C15 + (N << 7); }
  void add(const NamedDecl *D) {
    if (const IdentifierInfo *Name = D ? D->getIdentifier() : nullptr)
      add(xxh3_64bits(Name->getName()));
  }

  void add(const TemplateArgument &A) {
    add(uint64_t(A.getKind()));
    switch (A.getKind()) {
    case TemplateArgument::Type:
      return add(A.getAsType());
    case TemplateArgument::Integral:
      return add(uint64_t(A.getAsIntegral().extOrTrunc(64).getZExtValue()));
    case TemplateArgument::Template:
      return add(A.getAsTemplate().getAsTemplateDecl());
    case TemplateArgument::Pack:
      add(A.pack_size());
      return add(A.pack_elements());
    default:
      return;
    }
  }

  void add(QualType Written) {
    if (Depth > 6)
      return;
    ++Depth;
    const QualType T = Context.getCanonicalType(Written);
    add(T.getLocalCVRQualifiers());
    add(uint64_t(T->getTypeClass()));
    if (const auto *B = dyn_cast<BuiltinType>(T))
      add(uint64_t(B->getKind()));
    else if (const auto *P = dyn_cast<PointerType>(T))
      add(P->getPointeeType());
    else if (const auto *R = dyn_cast<ReferenceType>(T))
      add(R->getPointeeType());
    else if (const auto *A = dyn_cast<ArrayType>(T))
      add(A->getElementType());
    else if (const auto *F = dyn_cast<FunctionProtoType>(T)) {
      add(F->getReturnType());
      for (QualType P : F->param_types())
        add(P);
    } else if (const auto *D = dyn_cast<TagType>(T)) {
      add(D->getDecl());
      if (const auto *S =
              dyn_cast<ClassTemplateSpecializationDecl>(D->getDecl()))
        add(S->getTemplateArgs().asArray());
    }
    --Depth;
  }

  const ASTContext &Context;
  uint64_t State = 0;
  unsigned Depth = 0;
};

/// What a precompiled header brought, on the thread that reads it.
class Table : public ModuleFileExtensionReader {
public:
  Table(ModuleFileExtension *Extension, const ASTContext &Context,
        unsigned File, ArrayRef<Template> Templates, const Slot *Slots)
      : ModuleFileExtensionReader(Extension), Context(Context), File(File),
        Templates(Templates), Slots(Slots) {
    Current = this;
  }
  ~Table() override {
    if (Current == this)
      Current = nullptr;
  }

  static const Table *of(const ASTContext &Context) {
    return Current && &Current->Context == &Context ? Current : nullptr;
  }

  ArrayRef<Slot> slots(GlobalDeclID ID) const {
    if (ID.getModuleFileIndex() != File)
      return {};
    const auto Decl = static_cast<uint32_t>(ID.getRawValue());
    const auto *T = partition_point(
        Templates, [&](const Template &T) { return T.Decl < Decl; });
    if (T == Templates.end() || T->Decl != Decl)
      return {};
    const uint32_t Begin = T == Templates.begin() ? 0 : uint32_t(T[-1].End);
    return ArrayRef(Slots + Begin, T->End - Begin);
  }

private:
  static thread_local const Table *Current;
  const ASTContext &Context;
  const unsigned File; ///< as declarations name it
  ArrayRef<Template> Templates;
  const Slot *Slots;
};

thread_local const Table *Table::Current = nullptr;

/// The number that a declaration has in its file: the reader counts without
/// those that every file has.
uint32_t inFile(LocalDeclID ID) {
  return static_cast<uint32_t>(ID.getRawValue() - NUM_PREDEF_DECL_IDS);
}

class TableWriter : public ModuleFileExtensionWriter {
public:
  TableWriter(ModuleFileExtension *Extension, ASTWriter &Writer)
      : ModuleFileExtensionWriter(Extension), Writer(Writer) {}

  void writeExtensionContents(Sema &S, BitstreamWriter &Stream) override {
    Context = &S.getASTContext();
    collect(Context->getTranslationUnitDecl());
    std::vector<Number> Text{Number(Found.size())};
    uint32_t End = 0;
    for (const auto &[Decl, Slots] : Found) {
      Text.push_back(Number(Decl));
      Text.push_back(Number(End += Slots.size()));
    }
    for (const auto &[Decl, Slots] : Found)
      for (const auto &[Hash, Order, Spec] : Slots) {
        Text.push_back(Number(Hash));
        Text.push_back(Number(Spec));
      }
    auto Abbrev = std::make_shared<BitCodeAbbrev>();
    Abbrev->Add(BitCodeAbbrevOp(TableRecord));
    Abbrev->Add(BitCodeAbbrevOp(BitCodeAbbrevOp::Blob));
    const unsigned Code = Stream.EmitAbbrev(std::move(Abbrev));
    const uint64_t Record[] = {TableRecord};
    Stream.EmitRecordWithBlob(
        Code, Record,
        StringRef(reinterpret_cast<const char *>(Text.data()),
                  Text.size() * sizeof(Number)));
  }

private:
  void collect(const DeclContext *Where) {
    for (const Decl *D : Where->decls()) {
      if (const auto *T = dyn_cast<RedeclarableTemplateDecl>(D))
        D = T->isCanonicalDecl() ? of(*T) : T->getTemplatedDecl();
      if (isa_and_nonnull<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(D))
        collect(cast<DeclContext>(D));
    }
  }

  /// Returns the pattern.
  const Decl *of(const RedeclarableTemplateDecl &T) {
    std::vector<Entry> Slots;
    if (const auto *Class = dyn_cast<ClassTemplateDecl>(&T)) {
      add(*Class, Slots);
      addPartial<ClassTemplatePartialSpecializationDecl>(*Class, Slots);
      for (const ClassTemplateSpecializationDecl *S : Class->specializations())
        collect(S);
    } else if (const auto *Variable = dyn_cast<VarTemplateDecl>(&T)) {
      add(*Variable, Slots);
      addPartial<VarTemplatePartialSpecializationDecl>(*Variable, Slots);
    } else if (const auto *Function = dyn_cast<FunctionTemplateDecl>(&T)) {
      add(*Function, Slots);
    }
    if (Slots.size() >= WorthATable) {
      sort(Slots);
      Found[idOf(T)] = std::move(Slots);
    }
    return T.getTemplatedDecl();
  }

  static const TemplateArgumentList &
  argumentsOf(const ClassTemplateSpecializationDecl &S) {
    return S.getTemplateArgs();
  }
  static const TemplateArgumentList &
  argumentsOf(const VarTemplateSpecializationDecl &S) {
    return S.getTemplateArgs();
  }
  static const TemplateArgumentList &argumentsOf(const FunctionDecl &S) {
    return *S.getTemplateSpecializationArgs();
  }

  /// Hash, number, declaration: between equals clang's order decides.
  using Entry = std::tuple<uint32_t, size_t, uint32_t>;

  template <typename T> void add(const T &Template, std::vector<Entry> &Slots) {
    for (const auto *S : Template.specializations())
      Slots.emplace_back(argumentsHash(argumentsOf(*S).asArray(), *Context),
                         Slots.size(), idOf(*S));
  }
  template <typename Partial, typename T>
  void addPartial(const T &Template, std::vector<Entry> &Slots) {
    SmallVector<Partial *> All;
    Template.getPartialSpecializations(All);
    for (const Partial *P : All)
      Slots.emplace_back(PartialSpecializations, Slots.size(), idOf(*P));
  }

  uint32_t idOf(const Decl &D) {
    return inFile(Writer.getDeclID(D.getCanonicalDecl()));
  }

  ASTWriter &Writer;
  const ASTContext *Context = nullptr;
  std::map<uint32_t, std::vector<Entry>> Found;
};

class TableExtension : public RTTIExtends<TableExtension, ModuleFileExtension> {
public:
  static char ID;

  ModuleFileExtensionMetadata getExtensionMetadata() const override {
    return {BlockName, Version, 0, {}};
  }
  std::unique_ptr<ModuleFileExtensionWriter>
  createExtensionWriter(ASTWriter &Writer) override {
    return std::make_unique<TableWriter>(this, Writer);
  }
  std::unique_ptr<ModuleFileExtensionReader>
  createExtensionReader(const ModuleFileExtensionMetadata &Metadata,
                        ASTReader &Reader, serialization::ModuleFile &File,
                        const BitstreamCursor &Block) override {
    if (Metadata.MajorVersion != Version)
      return nullptr;
    BitstreamCursor Stream = Block;
    SmallVector<uint64_t, 1> Record;
    StringRef Blob;
    while (true) {
      Expected<BitstreamEntry> Entry = Stream.advanceSkippingSubblocks();
      if (!Entry || Entry->Kind != BitstreamEntry::Record) {
        consumeError(Entry.takeError());
        return nullptr;
      }
      Record.clear();
      Expected<unsigned> Code = Stream.readRecord(Entry->ID, Record, &Blob);
      if (!Code) {
        consumeError(Code.takeError());
        return nullptr;
      }
      if (*Code == TableRecord)
        return table(Reader.getContext(), File.Index + 1, Blob);
    }
  }

private:
  /// Null unless the text is whole.
  std::unique_ptr<Table> table(const ASTContext &Context, unsigned File,
                               StringRef Text) {
    const auto *N = reinterpret_cast<const Number *>(Text.data());
    const size_t Numbers = Text.size() / sizeof(Number);
    if (Numbers == 0 || *N == 0 || *N > Numbers / 2)
      return nullptr;
    const ArrayRef Templates(reinterpret_cast<const Template *>(N + 1), *N);
    const auto NotAfter = [](const Template &A, const Template &B) {
      return A.Decl >= B.Decl || A.End >= B.End;
    };
    if (1 + 2 * (uint64_t(*N) + Templates.back().End) != Numbers ||
        std::adjacent_find(Templates.begin(), Templates.end(), NotAfter) !=
            Templates.end())
      return nullptr;
    return std::make_unique<Table>(
        this, Context, File, Templates,
        reinterpret_cast<const Slot *>(Templates.end()));
  }
};

char TableExtension::ID = 0;

} // namespace

std::shared_ptr<ModuleFileExtension> torchtidy::driver::specializationTable() {
  return std::make_shared<TableExtension>();
}

uint32_t torchtidy::driver::argumentsHash(ArrayRef<TemplateArgument> Args,
                                          const ASTContext &Context) {
  Hasher H(Context);
  H.add(Args);
  return H.result();
}

/// Those of the template; empty if the table does not know it.
static ArrayRef<Slot> slotsOf(const RedeclarableTemplateDecl &T,
                              const GlobalDeclID *Lazy) {
  const Table *Known = Table::of(T.getASTContext());
  const Decl *First = T.getCanonicalDecl();
  if (!Known || !First->isFromASTFile())
    return {};
  const ArrayRef<Slot> Slots = Known->slots(First->getGlobalID());
  // A list of another length is not the one that was written.
  return Slots.size() == Lazy->getRawValue() ? Slots : ArrayRef<Slot>();
}

bool torchtidy::driver::isInTable(const RedeclarableTemplateDecl &T,
                                  const GlobalDeclID *Lazy) {
  return !slotsOf(T, Lazy).empty();
}

bool torchtidy::driver::loadSpecializations(const RedeclarableTemplateDecl &T,
                                            const GlobalDeclID *Lazy,
                                            uint32_t Hash) {
  const ArrayRef<Slot> Slots = slotsOf(T, Lazy);
  if (Slots.empty())
    return false;
  ExternalASTSource &Source = *T.getASTContext().getExternalSource();
  const uint64_t File = Lazy[1].getRawValue() & ~uint64_t(0xFFFFFFFF);
  const auto *S =
      partition_point(Slots, [&](const Slot &S) { return S.Hash < Hash; });
  for (; S != Slots.end() && S->Hash == Hash; ++S)
    Source.GetExternalDecl(GlobalDeclID(File | S->Decl));
  return true;
}
