//===- FlowLinkTest.cpp - Several files as one program --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Model.h"
#include "Flow/Program.h"
#include "Snippet.h"
#include <deque>

using namespace clang;
using namespace torchtidy::flow;

namespace {

const char *Net =
    "struct Net : torch::nn::Module { torch::nn::Linear l{nullptr};"
    " torch::Tensor forward(torch::Tensor x) { return l->forward(x); } };\n"
    "struct Batch { torch::Tensor x, y; };\n";

/// A program of several files, each with the same declarations in front.
struct Linked {
  /// The declarations come by #include, as in a header: who calls them from
  /// elsewhere is unknown without links.
  Linked(const std::string &Declarations, std::vector<std::string> Files,
         bool Whole = true) {
    for (size_t I = 0; I < Files.size(); ++I) {
      Units.push_back(parse(Declarations, Files[I], I));
      Options Opts;
      Opts.Links = true;
      const Model M(Units.back()->getASTContext(), Opts);
      std::string Why;
      auto Read = portable::decode(M.summary(), Why);
      EXPECT_TRUE(Read) << Why;
      // To the byte: files of equal meaning are not judged again.
      if (Read) {
        EXPECT_EQ(portable::encode(*Read), M.summary());
      }
      Modules.push_back(std::make_shared<portable::Module>(
          Read ? std::move(*Read) : portable::Module()));
    }
    const Program P(Modules, Whole);
    for (size_t I = 0; I < Files.size(); ++I) {
      Needs.push_back(P.neededBy(*Modules[I]));
      LinkedFiles::install(&Needs.back());
      Models.push_back(
          std::make_unique<Model>(Units[I]->getASTContext(), Options()));
      LinkedFiles::install(nullptr);
      Alone.push_back(
          std::make_unique<Model>(Units[I]->getASTContext(), Options()));
    }
  }

  static std::unique_ptr<ASTUnit> parse(const std::string &Declarations,
                                        const std::string &Code, size_t I) {
    const std::string Mock = std::string(TORCHTIDY_TEST_INPUTS) + "/mock";
    auto Unit = clang::tooling::buildASTFromCodeWithArgs(
        "#include <torch/torch.h>\n#include <map>\n#include <string>\n#include "
        "<vector>\n#include \"shared.h\"\n"
        "#line 1\n" +
            Code,
        {"-std=c++17", "-isystem", Mock, "-w", "-resource-dir",
         TORCHTIDY_RESOURCE_DIR},
        "file" + std::to_string(I) + ".cpp", "clang-tool",
        std::make_shared<PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(),
        {{"shared.h", std::string(Net) + Declarations}});
    EXPECT_TRUE(Unit);
    if (Unit) {
      EXPECT_FALSE(Unit->getDiagnostics().hasErrorOccurred()) << Code;
    }
    return Unit;
  }

  /// `line` of each fact's statement, as the file sees it with the others.
  template <class Facts> std::vector<unsigned> lines(size_t I, Facts F) const {
    return linesOf(*Models[I], I, F);
  }
  template <class Facts> std::vector<unsigned> alone(size_t I, Facts F) const {
    return linesOf(*Alone[I], I, F);
  }

private:
  template <class Facts>
  std::vector<unsigned> linesOf(const Model &M, size_t I, Facts F) const {
    const SourceManager &SM = Units[I]->getSourceManager();
    std::vector<unsigned> R;
    for (const auto &Each : (M.*F)())
      R.push_back(SM.getPresumedLineNumber(Each.Statement->getBeginLoc()));
    return R;
  }

public:
  std::vector<std::unique_ptr<ASTUnit>> Units;
  std::vector<std::shared_ptr<const portable::Module>> Modules;
  std::deque<LinkedFiles> Needs;
  std::vector<std::unique_ptr<Model>> Models, Alone;
};

using Lines = std::vector<unsigned>;

const char *Score = "float score(Net &net, torch::Tensor x);\n";
const char *ScoreBody = "float score(Net &net, torch::Tensor x) {\n"
                        "  net.eval();\n"
                        "  return net.forward(x).max().item<float>();\n"
                        "}\n";

TEST(FlowLinkTest, CallersDecideTheMode) {
  const std::string Guarded =
      "int main() { Net net; torch::NoGradGuard guard;\n"
      " return score(net, torch::rand({1})); }\n";
  const std::string Bare = "int main() { Net net;\n"
                           " return score(net, torch::rand({1})); }\n";
  const Linked Silent(Score, {ScoreBody, Guarded});
  EXPECT_EQ(Silent.lines(0, &Model::unguarded), Lines{});
  EXPECT_EQ(Silent.alone(0, &Model::unguarded), Lines{});
  const Linked Found(Score, {ScoreBody, Bare});
  EXPECT_EQ(Found.lines(0, &Model::unguarded), Lines{3});
  EXPECT_EQ(Found.alone(0, &Model::unguarded), Lines{});
  // The call is shown: where it stands is known.
  const auto &U = Found.Models[0]->unguarded().front();
  ASSERT_EQ(U.Calls.size(), 1u);
  // One of several callers without a guard is enough.
  const Linked Both(Score, {ScoreBody, Guarded,
                            "void again(Net &net, torch::Tensor x) {\n"
                            " score(net, x); }\n"});
  EXPECT_EQ(Both.lines(0, &Model::unguarded), Lines{3});
}

TEST(FlowLinkTest, ParametersThatAreFrozenElsewhere) {
  const char *Declared =
      "struct Deep : torch::nn::Module { Deep();"
      " torch::Tensor forward(torch::Tensor x) { return l->forward(x); }"
      " torch::nn::Linear l{nullptr}; };\n"
      "float deep(Deep &net, torch::Tensor x); void freeze(Net &net);\n";
  const char *Body = "float deep(Deep &net, torch::Tensor x) {\n"
                     "  return net.forward(x).max().item<float>();\n"
                     "}\n";
  auto Constructor = [](const std::string &Does) {
    return "Deep::Deep() { for (auto &p : parameters()) " + Does + "; }\n";
  };
  const char *Main = "int main() { auto net = std::make_shared<Deep>();\n"
                     " return deep(*net, torch::rand({1})); }\n";
  const Linked Silent(Declared,
                      {Body, Constructor("p.set_requires_grad(false)"), Main});
  EXPECT_EQ(Silent.lines(0, &Model::unguarded), Lines{});
  const Linked Found(Declared, {Body, Constructor("p.numel()"), Main});
  EXPECT_EQ(Found.lines(0, &Model::unguarded), Lines{2});
  // By a helper, which its caller tells what to freeze.
  const std::string Helped = std::string(Score) + "void freeze(Net &net);\n";
  const std::string Helper =
      "void freeze(Net &net) { for (auto &p :"
      " net.parameters()) p.set_requires_grad(false); }\n";
  const Linked ByHelper(Helped, {ScoreBody, Helper,
                                 "int main() { Net net; freeze(net);\n"
                                 " return score(net, torch::rand({1})); }\n"});
  EXPECT_EQ(ByHelper.lines(0, &Model::unguarded), Lines{});
}

TEST(FlowLinkTest, CallersOverSeveralFiles) {
  const char *Middle = "float middle(Net &net, torch::Tensor x) {"
                       " return score(net, x); }\n";
  const std::string Declared =
      std::string(Score) + "float middle(Net &net, torch::Tensor x);\n";
  const Linked Silent(Declared,
                      {ScoreBody, Middle,
                       "int main() { Net net; torch::NoGradGuard guard;\n"
                       " return middle(net, torch::rand({1})); }\n"});
  EXPECT_EQ(Silent.lines(0, &Model::unguarded), Lines{});
  const Linked Found(Declared, {ScoreBody, Middle,
                                "int main() { Net net;\n"
                                " return middle(net, torch::rand({1})); }\n"});
  EXPECT_EQ(Found.lines(0, &Model::unguarded), Lines{3});
  ASSERT_EQ(Found.Models[0]->unguarded().size(), 1u);
  EXPECT_EQ(Found.Models[0]->unguarded().front().Calls.size(), 2u);
  // Nobody calls the middle: under what it would run is not known.
  const Linked Unknown(Declared, {ScoreBody, Middle});
  EXPECT_EQ(Unknown.lines(0, &Model::unguarded), Lines{});
}

TEST(FlowLinkTest, AResultThatCallersDifferentiate) {
  const char *Declared = "torch::Tensor run(Net &net, torch::Tensor x);\n";
  const char *Body = "torch::Tensor run(Net &net, torch::Tensor x) {\n"
                     "  return net.forward(x);\n"
                     "}\n";
  const Linked Trains(
      Declared, {Body, "int main() { Net net;\n"
                       " run(net, torch::rand({1})).sum().backward(); }\n"});
  EXPECT_EQ(Trains.lines(0, &Model::unguarded), Lines{});
  const Linked Prints(Declared, {Body, "int main() { Net net;\n"
                                       " return run(net, torch::rand({1}))"
                                       ".max().item<int>(); }\n"});
  EXPECT_EQ(Prints.lines(0, &Model::unguarded), Lines{2});
}

TEST(FlowLinkTest, AHelperThatStoresItsArgument) {
  const char *Declared =
      "struct Log { void add(torch::Tensor loss); void clear();"
      " std::vector<torch::Tensor> all; };\n";
  const char *Body = "void Log::add(torch::Tensor loss) {\n"
                     "  all.push_back(loss);\n"
                     "}\n"
                     "void Log::clear() { all.clear(); }\n";
  auto Train = [](const std::string &Kept, const std::string &After) {
    return "void train(Net &net, torch::optim::Optimizer &o,"
           " std::vector<Batch> data, Log &log) {\n"
           "  for (auto &b : data) {\n"
           "    o.zero_grad();\n"
           "    auto loss = torch::mse_loss(net.forward(b.x), b.y);\n"
           "    loss.backward();\n"
           "    o.step();\n"
           "    log.add(" +
           Kept + ");\n" + After +
           "  }\n"
           "}\n";
  };
  const Linked Found(Declared, {Body, Train("loss", "")});
  EXPECT_EQ(Found.lines(0, &Model::retained), Lines{2});
  EXPECT_EQ(Found.alone(0, &Model::retained), Lines{});
  ASSERT_EQ(Found.Models[0]->retained().size(), 1u);
  EXPECT_EQ(Found.Models[0]->retained().front().Calls.size(), 1u);
  EXPECT_TRUE(Found.Models[0]->retained().front().Loop);
  const Linked Detached(Declared, {Body, Train("loss.detach()", "")});
  EXPECT_EQ(Detached.lines(0, &Model::retained), Lines{});
  const Linked Cleared(Declared, {Body, Train("loss", "    log.clear();\n")});
  EXPECT_EQ(Cleared.lines(0, &Model::retained), Lines{});
  const Linked Open(Declared, {Body, Train("loss", "    log.all.clear();\n")});
  EXPECT_EQ(Open.lines(0, &Model::retained), Lines{});
}

TEST(FlowLinkTest, MembersThatOthersMayTouch) {
  const char *Declared =
      "struct Trainer { void epoch(std::vector<Batch> data); void reset();"
      " std::vector<torch::Tensor> all; Net net;"
      " torch::optim::SGD o{net.parameters(), 0.1}; };\n";
  const char *Body = "void Trainer::epoch(std::vector<Batch> data) {\n"
                     "  torch::Tensor loss;\n"
                     "  for (auto &b : data) {\n"
                     "    o.zero_grad();\n"
                     "    loss = torch::mse_loss(net.forward(b.x), b.y);\n"
                     "    loss.backward();\n"
                     "    o.step();\n"
                     "  }\n"
                     "  all.push_back(loss);\n"
                     "}\n";
  const std::string Idle = "void Trainer::reset() { net.eval(); }\n";
  const std::string Clears = "void Trainer::reset() { all.clear(); }\n";
  const Linked Kept(Declared, {Body, Idle});
  EXPECT_EQ(Kept.lines(0, &Model::retained), Lines{9});
  EXPECT_EQ(Kept.alone(0, &Model::retained), Lines{});
  const Linked Cleared(Declared, {Body, Clears});
  EXPECT_EQ(Cleared.lines(0, &Model::retained), Lines{});
  // Any file may, if not all are known.
  const Linked Some(Declared, {Body, Idle}, /*Whole=*/false);
  EXPECT_EQ(Some.lines(0, &Model::retained), Lines{});
  const Linked Undefined(Declared, {Body, "void f(Net &net) { net.eval(); }"});
  EXPECT_EQ(Undefined.lines(0, &Model::retained), Lines{});
  // What is not seen gets it by reference.
  const Linked Given(Declared,
                     {Body, Idle + "void shorten(std::vector<torch::Tensor> &);"
                                   " void g(Trainer &t) { shorten(t.all); }"});
  EXPECT_EQ(Given.lines(0, &Model::retained), Lines{});
}

TEST(FlowLinkTest, EntriesUnderConstantKeys) {
  const char *Declared =
      "struct Curves { std::map<std::string, std::vector<torch::Tensor>> of; };"
      "void trim(Curves &c); void rest(Curves &c);\n";
  auto Train = [](const std::string &Key) {
    return "void train(Net &net, std::vector<Batch> data, Curves &c) {\n"
           "  for (auto &b : data) {\n"
           "    auto loss = torch::mse_loss(net.forward(b.x), b.y);\n"
           "    loss.backward();\n"
           "    c.of[\"" +
           Key +
           "\"].push_back(loss);\n"
           "    trim(c);\n"
           "  }\n"
           "}\n"
           "int main() { Net net; Curves c; train(net, {}, c); }\n";
  };
  const char *Trim = "void trim(Curves &c) { c.of[\"loss\"].clear(); }\n";
  const Linked Cleared(Declared, {Train("loss"), Trim});
  EXPECT_EQ(Cleared.lines(0, &Model::retained), Lines{});
  const Linked Other(Declared, {Train("accuracy"), Trim});
  EXPECT_EQ(Other.lines(0, &Model::retained), Lines{5});
}

TEST(FlowLinkTest, AHelperThatStepsEverySoOften) {
  const char *Declared =
      "void learn(torch::optim::Optimizer &o, torch::Tensor loss);\n";
  auto Train = [](const std::string &Loss) {
    return "void train(Net &net, torch::optim::Optimizer &o,"
           " std::vector<Batch> data) {\n"
           "  int i = 0;\n"
           "  for (auto &b : data) {\n"
           "    learn(o, torch::mse_loss(net.forward(b.x), b.y)" +
           Loss +
           ");\n"
           "    if (++i % 4 == 0) { o.step(); o.zero_grad(); }\n"
           "  }\n"
           "}\n";
  };
  const char *Body =
      "void learn(torch::optim::Optimizer &o, torch::Tensor loss) {\n"
      "  loss.backward();\n"
      "}\n";
  const Linked Found(Declared, {Body, Train("")});
  EXPECT_EQ(Found.lines(0, &Model::accumulations), Lines{2});
  const Linked Scaled(Declared, {Body, Train(" / 4")});
  EXPECT_EQ(Scaled.lines(0, &Model::accumulations), Lines{});
}

TEST(FlowLinkTest, ACalleeThatTurnsGradModeOff) {
  const char *Body = "void off() { torch::GradMode::set_enabled(false); }\n"
                     "void on() { torch::GradMode::set_enabled(true); }\n";
  const Linked L("void off(); void on();\n",
                 {Body, "static float f(Net &net, torch::Tensor x) { off();\n"
                        "  float r = net.forward(x).max().item<float>();\n"
                        "  on();\n"
                        "  return r + net.forward(x).max().item<float>(); }\n"
                        "int main() { Net net;"
                        " return f(net, torch::rand({1})); }\n"});
  EXPECT_EQ(L.lines(1, &Model::unguarded), Lines{4});
}

TEST(FlowLinkTest, AModuleDefinedElsewhere) {
  const char *Declared = "struct Deep : torch::nn::Module {"
                         " torch::Tensor forward(torch::Tensor x);"
                         " torch::nn::Linear l{nullptr}; };\n";
  const char *Body = "torch::Tensor Deep::forward(torch::Tensor x) {\n"
                     "  return torch::relu(l->forward(x));\n"
                     "}\n";
  const Linked L(Declared, {Body, "int main() { Deep net;\n"
                                  " return net.forward(torch::rand({1}))"
                                  ".max().item<int>(); }\n"});
  // The outer forward is the one to guard.
  EXPECT_EQ(L.lines(0, &Model::unguarded), Lines{});
  EXPECT_EQ(L.lines(1, &Model::unguarded), Lines{2});
}

TEST(FlowLinkTest, SummariesThatAreNone) {
  std::string Why;
  EXPECT_FALSE(portable::decode("", Why));
  EXPECT_EQ(Why, "it is no summary of this version");
  const Linked L(Score, {ScoreBody});
  const std::string Good = portable::encode(*L.Modules[0]);
  for (size_t Length = 0; Length < Good.size(); ++Length) {
    EXPECT_FALSE(portable::decode(Good.substr(0, Length), Why));
    EXPECT_FALSE(Why.empty());
  }
  EXPECT_FALSE(portable::decode(Good + "x", Why));
  EXPECT_EQ(Why, "there is more than a summary in it");
}

/// Whatever the bytes say, nothing crashes.
TEST(FlowLinkTest, SpoiltSummaries) {
  const Linked L(Score,
                 {ScoreBody, "int main() { Net net; for (int i = 0; i <"
                             " 9; ++i) score(net, torch::rand({1})); }"});
  const std::string Good = portable::encode(*L.Modules[1]);
  unsigned Read = 0;
  for (size_t At = 21; At < Good.size(); ++At)
    for (char To : {char(0), char(1), char(0x7f), char(Good[At] + 1)}) {
      std::string Bad = Good;
      Bad[At] = To;
      std::string Why;
      auto M = portable::decode(Bad, Why);
      if (!M)
        continue;
      ++Read;
      LinkedFiles Files;
      Files.Slices.push_back(
          {std::make_shared<portable::Module>(std::move(*M)), {0}});
      LinkedFiles::install(&Files);
      const Model Judged(L.Units[0]->getASTContext(), Options());
      LinkedFiles::install(nullptr);
    }
  EXPECT_GT(Read, 100u);
}

} // namespace
