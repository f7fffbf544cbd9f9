//===- ForkedParse.cpp - a parse that forks for each file -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/ForkedParse.h"
#include "Driver/ClangVersions.h"
#include "Driver/Crew.h"
#include "Driver/FileChecks.h"
#include "Driver/HeaderBuild.h"
#include "Driver/ResultText.h"
#include "Driver/TypeTables.h"
#include "Report/AtomicFile.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/SemaConsumer.h"
#include <unistd.h>

using namespace clang;
using namespace llvm;
using namespace torchtidy;
using namespace torchtidy::driver;

namespace {

constexpr char PragmaName[] = "torchtidy_fork";

/// In place of a file's number: writes the precompiled header.
constexpr size_t WriterJob = ~size_t(0);
/// Processes that wait with their parsed file until linking asks for it.
constexpr unsigned MaxWaiting = 32;

/// The headers' declarations go into the precompiled header, those of the file
/// to the checks.
class SwitchConsumer : public SemaConsumer {
public:
  explicit SwitchConsumer(std::unique_ptr<ASTConsumer> Headers)
      : Headers(std::move(Headers)) {}

  std::unique_ptr<ASTConsumer> Headers; ///< null: they are not kept
  std::unique_ptr<ASTConsumer> File;    ///< null before the fork
  std::function<void()> Finish;         ///< after the file

  void Initialize(ASTContext &Context) override {
    if (Headers)
      Headers->Initialize(Context);
  }
  void InitializeSema(Sema &S) override {
    if (auto *C = dyn_cast_or_null<SemaConsumer>(Headers.get()))
      C->InitializeSema(S);
  }
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    return current() ? current()->HandleTopLevelDecl(Group) : true;
  }
  void HandleTranslationUnit(ASTContext &Context) override {
    if (!File)
      return;
    File->HandleTranslationUnit(Context);
    Finish();
  }
  bool shouldSkipFunctionBody(Decl *) override { return !File; }
  ASTMutationListener *GetASTMutationListener() override {
    return Headers ? Headers->GetASTMutationListener() : nullptr;
  }
  ASTDeserializationListener *GetASTDeserializationListener() override {
    return Headers ? Headers->GetASTDeserializationListener() : nullptr;
  }

private:
  ASTConsumer *current() { return File ? File.get() : Headers.get(); }
};

class Server;

/// Stands at the end of the headers.
class ForkPragma : public PragmaHandler {
public:
  explicit ForkPragma(Server &S) : PragmaHandler(PragmaName), S(S) {}
  void HandlePragma(Preprocessor &PP, PragmaIntroducer, Token &) override;

private:
  Server &S;
};

/// A complete translation unit whose prefix could be a precompiled header.
class ServerAction : public HeaderAction {
public:
  ServerAction(HeaderFacts &Facts, Server &S, bool Keep)
      : HeaderAction(Facts), S(S), Keep(Keep) {}

  TranslationUnitKind getTranslationUnitKind() override { return TU_Complete; }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef InFile) override;

private:
  Server &S;
  const bool Keep;
};

/// The process that parses the headers, and its forks.
class Server {
public:
  Server(ArrayRef<ForkJob> Jobs, const std::vector<std::string> &Names,
         HeaderClaim &Claim, unsigned Parallel, bool Again, Channel &Out,
         Channel &Orders)
      : Jobs(Jobs), Names(Names), Claim(Claim), Parallel(Parallel), Out(Out),
        Orders(Orders), Action(Facts, *this, !Claim.Pch.empty()),
        Processes(Parallel, Again ? MaxWaiting : 0, [&](size_t N) {
          if (N < Jobs.size())
            Out.send(N, {});
        }) {}

  void run() {
    const Invocation &I = *Jobs.front().I;
    Recorder = makeIntrusiveRefCnt<InputRecorder>(I.FS);
    // In memory: without a cache it stays there.
    const std::string Prefix = Claim.Base + ".h";
    auto Files = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
    auto Overlay = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Recorder);
    // The empty declaration lets the parser finish the one before.
    Files->addFile(Prefix, 0, MemoryBuffer::getMemBufferCopy(prefixText()));
    Overlay->pushOverlay(Files);
    CI = makeInstance(
        headerInvocation(I, HeaderLevel::Declarations, Prefix, Claim.Pch),
        Errors, Overlay);
    CI->ExecuteAction(Action);
  }

  /// At the end of the headers. Returns only in a process that has a file.
  void fork(Preprocessor &PP) {
    Facts.Used = Recorder->inputs();
    if (Errors.count() || !Action.Foreign.empty() || !Facts.Used.Doubt.empty())
      fail();
    Facts.Words = HeaderAction::words(PP);
    Header = SharedHeader::of(Facts);
    // What a file's process need not touch, it need not copy.
    Recorder->startOver();
    if (Parallel > 1)
      startWriter();
    growTypeTables(CI->getASTContext());
    for (size_t N = 0; N < Jobs.size(); ++N)
      if (Processes.start(N))
        return enter(PP, N, nullptr);
    if (Parallel == 1)
      startWriter();
    // Who waits for what is written waits for the writer alone.
    Claim.Lock.reset();
    while (Processes.isWorking())
      Processes.reap();
    if (again(PP))
      return;
    while (Processes.process(WriterJob) && !Claim.MayOutlive)
      Processes.reap();
    if (const pid_t Writer = Processes.process(WriterJob))
      Hand->complete(Writer);
    _exit(0);
  }

  SwitchConsumer *Consumer = nullptr; ///< owned by CI

private:
  std::string prefixText() const {
    return headerText(Names) + ";\n#pragma " + PragmaName + "\n";
  }

  /// Files once more, as the parent asks for. True in a process that has one.
  bool again(Preprocessor &PP) {
    Channel::Message Modules = {}, Order;
    while (Orders.receive(Order) && Order.Job != LinkOrder::End) {
      if (Order.Job == LinkOrder::Modules)
        Modules = Order;
      else if (Order.Job < Jobs.size() &&
               !Processes.ask(Order.Job, {Modules, Order}) &&
               Processes.start(Order.Job)) {
        Links = ordered({Modules, Order});
        enter(PP, Order.Job, &Links);
        return true;
      }
    }
    Processes.dismiss();
    while (Processes.isWorking())
      Processes.reap();
    return false;
  }

  flow::LinkedFiles ordered(const Crew::Question &Q) const {
    return LinkOrder::read(Orders.text(Q.back()),
                           LinkOrder::readModules(Orders.text(Q.front())));
  }

  void startWriter() {
    if (Claim.Pch.empty())
      return;
    Hand.emplace();
    if (Processes.startBeside(WriterJob, Parallel > 1))
      keep();
    Hand->started();
  }

  /// The precompiled header has been begun.
  [[noreturn]] void fail() {
    CI->clearOutputFiles(/*EraseFiles=*/true);
    _exit(1);
  }

  /// Writes the precompiled header and its manifest.
  [[noreturn]] void keep() {
    Hand->accept();
    Out.close();
    Orders.close();
    Consumer->Headers->HandleTranslationUnit(CI->getASTContext());
    Consumer->Headers.reset();
    CI->clearOutputFiles(/*EraseFiles=*/false);
    uint64_t Bytes = 0;
    // The precompiled header's reader may ask for the file that it was made of.
    if (!sys::fs::file_size(Claim.Pch, Bytes) && Bytes &&
        report::writeFileAtomically(Claim.Base + ".h", prefixText()).empty() &&
        Claim.publish(Facts).empty()) {
      if (Claim.Published)
        Claim.Published();
      _exit(0);
    }
    fail();
  }

  /// From here on the lexer reads the file.
  void enter(Preprocessor &PP, size_t N, const flow::LinkedFiles *Others) {
    // This process may outlive what is written.
    Claim.Lock.reset();
    Job = N;
    IsAgain = Others;
    const ForkJob &J = Jobs[N];
    SourceManager &SM = CI->getSourceManager();
    auto File = CI->getFileManager().getFileRef(J.U->File);
    if (!File) {
      consumeError(File.takeError());
      _exit(1);
    }
    const FileID Id = SM.createFileID(*File, SourceLocation(), SrcMgr::C_User);
    SM.setMainFileID(Id);
    // HeaderSearch looks up who includes.
    PP.getHeaderSearchInfo().getFileInfo(*File);
    Guard.emplace(*Header, SM.getLocForStartOfFile(Id));
    Checks.emplace(*J.U, *J.I, *J.Options, &*Guard, Others);
    CI->getDiagnostics().setClient(&Checks->errors(),
                                   /*ShouldOwnClient=*/false);
    Consumer->File = Checks->consumer(*CI);
    Consumer->File->Initialize(CI->getASTContext());
    cast<SemaConsumer>(Consumer->File.get())->InitializeSema(CI->getSema());
    Consumer->Finish = [this] { finish(); };
    PP.EnterSourceFile(Id, nullptr, SourceLocation());
  }

  [[noreturn]] void finish() {
    sendResult();
    if (IsAgain)
      _exit(0);
    Links = ordered(Processes.waitForQuestion());
    Consumer->File.reset();
    Checks.emplace(*Jobs[Job].U, *Jobs[Job].I, *Jobs[Job].Options, nullptr,
                   &Links);
    CI->getDiagnostics().setClient(&Checks->errors(),
                                   /*ShouldOwnClient=*/false);
    Checks->judgeParsed(*CI);
    sendResult();
    _exit(0);
  }

  void sendResult() {
    FileResult R;
    Checks->finish(R);
    const std::string Text = resultText(R);
    const Inputs &Used = Recorder->inputs();
    if (!R.Failure.empty() || !Guard->reason().empty() || Text.empty() ||
        !Out.send(Job, Header->Digest + "\n" + Used.Doubt + "\n" + Used.text() +
                           Text))
      _exit(1);
  }

  ArrayRef<ForkJob> Jobs;
  const std::vector<std::string> &Names;
  HeaderClaim &Claim;
  const unsigned Parallel;
  Channel &Out, &Orders;
  HeaderFacts Facts;
  ErrorKeeper Errors;
  std::unique_ptr<CompilerInstance> CI;
  ServerAction Action;
  IntrusiveRefCntPtr<InputRecorder> Recorder;
  std::shared_ptr<const SharedHeader> Header;
  Crew Processes;
  flow::LinkedFiles Links; ///< of a file that is judged again
  std::optional<HandOver> Hand;
  size_t Job = 0;
  bool IsAgain = false;
  std::optional<HoistGuard> Guard;
  std::optional<FileChecks> Checks;
};

std::unique_ptr<ASTConsumer>
ServerAction::CreateASTConsumer(CompilerInstance &CI, StringRef InFile) {
  CI.getPreprocessor().AddPragmaHandler(new ForkPragma(S));
  auto C = std::make_unique<SwitchConsumer>(
      Keep ? HeaderAction::CreateASTConsumer(CI, InFile) : nullptr);
  S.Consumer = C.get();
  return C;
}

void ForkPragma::HandlePragma(Preprocessor &PP, PragmaIntroducer, Token &) {
  Token T;
  do
    PP.LexUnexpandedToken(T);
  while (T.isNot(tok::eod));
  S.fork(PP);
}

} // namespace

void torchtidy::driver::serveForks(ArrayRef<ForkJob> Jobs,
                                   const std::vector<std::string> &Names,
                                   HeaderClaim &Claim, unsigned Parallel,
                                   bool Again, Channel &Out, Channel &Orders) {
  Server(Jobs, Names, Claim, Parallel, Again, Out, Orders).run();
  _exit(1); // the headers did not parse to their end
}
