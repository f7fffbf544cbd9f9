//===- DriverSpecializationsTest.cpp - One specialization of many ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Specializations.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace clang;
using namespace torchtidy::driver;

namespace {

/// The table must find a type however it is spelt.
TEST(DriverSpecializations, HashesAreOfCanonicalTypes) {
  auto Unit = tooling::buildASTFromCode(R"(
    template <class... T> struct Pack {};
    template <class T, int N = 3> struct Array { struct Inner {}; };
    template <template <class...> class T> struct Holds {};
    enum class Color { Red };
    using Int = int; using Pointer = const Int *;
    namespace a { struct S {}; using T = S; }
    template <class T> using Same = T;
    Pack<Int, Pointer, a::T, Array<Int>, Int (*)(Same<double>)> p;
    Pack<Array<Int>::Inner, Array<a::T>, Same<Color> &, Int[3]> q;
    Pack<> e; Pack<Int> i; Pack<unsigned> u; Pack<const Int> c; Pack<Int *> s;
    Pack<a::T> t; Pack<a::S *> f; Array<Int, 4> four; Array<Int, 5> five;
    Holds<Pack> h;)");
  std::set<uint32_t> Hashes;
  unsigned Seen = 0;
  for (Decl *D : Unit->getASTContext().getTranslationUnitDecl()->decls())
    if (const auto *V = dyn_cast<VarDecl>(D)) {
      const auto *Written = V->getType()->getAs<TemplateSpecializationType>();
      const auto *Spec = cast<ClassTemplateSpecializationDecl>(
          V->getType()->getAsCXXRecordDecl());
      const uint32_t Hash =
          argumentsHash(Spec->getTemplateArgs().asArray(), V->getASTContext());
      // A pack is one argument in the one, several in the other.
      const auto First = Spec->getTemplateArgs().asArray().front();
      if (First.getKind() == TemplateArgument::Pack)
        EXPECT_EQ(
            argumentsHash(Written->template_arguments(), V->getASTContext()),
            argumentsHash(First.pack_elements(), V->getASTContext()))
            << V->getNameAsString();
      EXPECT_NE(Hash, PartialSpecializations);
      Hashes.insert(Hash);
      ++Seen;
    }
  EXPECT_EQ(Seen, 12U);
  EXPECT_EQ(Hashes.size(), Seen) << "different ones are told apart";
}

template <typename Template> class Opened : public Template {
public:
  using typename Template::Common;
  static Common &of(const Template *T) {
    return *(T->*(&Opened::getCommonPtr))();
  }
};

/// Runs on the file behind the precompiled header.
class Behind : public ASTFrontendAction {
public:
  explicit Behind(std::function<void(ASTContext &)> Then)
      : Then(std::move(Then)) {}

private:
  struct Consumer : ASTConsumer {
    explicit Consumer(Behind &B) : B(B) {}
    void HandleTranslationUnit(ASTContext &C) override { B.Then(C); }
    Behind &B;
  };
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 StringRef) override {
    return std::make_unique<Consumer>(*this);
  }
  std::function<void(ASTContext &)> Then;
};

class Precompiled : public testing::Test {
protected:
  void SetUp() override {
    Dir = std::filesystem::temp_directory_path() /
          ("torchtidy-specializations-" + std::to_string(getpid()));
    std::filesystem::create_directories(Dir);
  }
  void TearDown() override { std::filesystem::remove_all(Dir); }

  bool run(FrontendAction &Action, const std::string &File,
           const std::string &Text, const std::string &Pch, bool Write) {
    std::ofstream(Dir / File) << Text;
    CompilerInstance CI;
    CI.createDiagnostics(new IgnoringDiagConsumer);
    auto Invocation = std::make_shared<CompilerInvocation>();
    const std::string Path = (Dir / File).string();
    CompilerInvocation::CreateFromArgs(
        *Invocation, {"-triple", "x86_64-linux-gnu", "-x", "c++", Path.c_str()},
        CI.getDiagnostics());
    FrontendOptions &FO = Invocation->getFrontendOpts();
    FO.ModuleFileExtensions.push_back(specializationTable());
    if (Write)
      FO.OutputFile = Pch;
    else
      Invocation->getPreprocessorOpts().ImplicitPCHInclude = Pch;
    CI.setInvocation(std::move(Invocation));
    return CI.ExecuteAction(Action) && !CI.getDiagnostics().hasErrorOccurred();
  }

  void behind(const std::string &Header,
              std::function<void(ASTContext &)> Then) {
    const std::string Pch = (Dir / "h.pch").string();
    GeneratePCHAction Build;
    ASSERT_TRUE(run(Build, "h.h", Header, Pch, true));
    bool Ran = false;
    Behind Use([&](ASTContext &C) {
      Ran = true;
      Then(C);
    });
    ASSERT_TRUE(run(Use, "f.cpp", "int file;\n", Pch, false));
    ASSERT_TRUE(Ran);
  }

  template <typename T> static T *named(ASTContext &C, StringRef Name) {
    for (NamedDecl *D : C.getTranslationUnitDecl()->lookup(&C.Idents.get(Name)))
      if (auto *Found = dyn_cast<T>(D))
        return Found;
    return nullptr;
  }

  std::filesystem::path Dir;
};

/// One template of each kind with 20 specializations, some with few.
constexpr char Header[] = R"(
  template <int> struct Tag {};
  template <class T> struct Box {};
  template <class T> struct Box<T *> {};
  template <> struct Box<char> {};
  template <class T> constexpr int size = sizeof(T);
  template <class T> constexpr int size<T *> = 1;
  template <class T> void call(T) {}
  template <class T> struct Rare {};
  template <int N> struct Uses {
    Box<Tag<N>> box;
    static constexpr int number = size<Tag<N>>;
    void method() { call(Tag<N>()); }
  };
#define FIVE(M, N) M(N) M(N + 1) M(N + 2) M(N + 3) M(N + 4)
#define USE(N) template struct Uses<N>;
  FIVE(USE, 0) FIVE(USE, 5) FIVE(USE, 10) FIVE(USE, 15)
  Rare<int> rare;
)";

TEST_F(Precompiled, OnlyWhatIsLookedForIsLoaded) {
  behind(Header, [](ASTContext &C) {
    auto *Box = named<ClassTemplateDecl>(C, "Box");
    ASSERT_NE(Box, nullptr);
    auto &Known = Opened<ClassTemplateDecl>::of(Box);
    ASSERT_TRUE(isInTable(*Box, Known.LazySpecializations));
    const size_t Before = Known.Specializations.size();
    const TemplateArgument Char(C.CharTy);
    EXPECT_TRUE(loadSpecializations(*Box, Known.LazySpecializations,
                                    argumentsHash(Char, C)));
    EXPECT_EQ(Known.Specializations.size(), Before + 1);
    EXPECT_EQ(Known.PartialSpecializations.size(), 0U);
    EXPECT_TRUE(loadSpecializations(*Box, Known.LazySpecializations,
                                    PartialSpecializations));
    EXPECT_EQ(Known.PartialSpecializations.size(), 1U);
    // What nobody has used is not there, and nothing is loaded for it.
    const TemplateArgument Float(C.FloatTy);
    EXPECT_TRUE(loadSpecializations(*Box, Known.LazySpecializations,
                                    argumentsHash(Float, C)));
    EXPECT_EQ(Known.Specializations.size(), Before + 1);
    void *Where = nullptr;
    EXPECT_NE(Box->findSpecialization(Char, Where), nullptr);
    EXPECT_EQ(Box->findSpecialization(Float, Where), nullptr);
    EXPECT_EQ(Known.Specializations.size(), 21U);
  });
}

template <typename T> bool tabled(const T *Template) {
  const GlobalDeclID *Lazy = Opened<T>::of(Template).LazySpecializations;
  EXPECT_NE(Lazy, nullptr) << Template->getNameAsString();
  return Lazy && isInTable(*Template, Lazy);
}

TEST_F(Precompiled, EveryKindOfTemplateHasATable) {
  behind(Header, [](ASTContext &C) {
    auto *Variable = named<VarTemplateDecl>(C, "size");
    auto *Function = named<FunctionTemplateDecl>(C, "call");
    auto *Rare = named<ClassTemplateDecl>(C, "Rare");
    ASSERT_TRUE(Variable && Function && Rare);
    EXPECT_TRUE(tabled(Variable));
    // Without the wrapped functions these are loaded with the template.
    const GlobalDeclID Twenty(20), Few(7);
    EXPECT_TRUE(isInTable(*Function, &Twenty));
    EXPECT_FALSE(isInTable(*Function, &Few));
    EXPECT_FALSE(tabled(Rare));
  });
}

/// A list that is not the one that was written is loaded whole.
TEST_F(Precompiled, AnotherListIsNotTrusted) {
  behind(Header, [](ASTContext &C) {
    auto *Box = named<ClassTemplateDecl>(C, "Box");
    ASSERT_NE(Box, nullptr);
    const GlobalDeclID *Lazy =
        Opened<ClassTemplateDecl>::of(Box).LazySpecializations;
    std::vector<GlobalDeclID> Other(Lazy, Lazy + 1 + Lazy->getRawValue());
    EXPECT_TRUE(isInTable(*Box, Other.data()));
    Other[0] = GlobalDeclID(Lazy->getRawValue() - 1);
    EXPECT_FALSE(isInTable(*Box, Other.data()));
    const TemplateArgument Char(C.CharTy);
    EXPECT_FALSE(
        loadSpecializations(*Box, Other.data(), argumentsHash(Char, C)));
  });
}

} // namespace
