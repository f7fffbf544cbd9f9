"""An editor for tests and measurements: pygls' language client and the few
things that an editor does with its answers.

`tools/lsp-client` says where pygls is; put that folder on the path first.
"""

import asyncio
import os
import pathlib

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.workspace import TextDocument

CAPABILITIES = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
            related_information=True, version_support=True, code_description_support=True),
        code_action=lsp.CodeActionClientCapabilities(
            code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                code_action_kind=lsp.ClientCodeActionKindOptions(value_set=[lsp.CodeActionKind.QuickFix])))))


class ServerEnded(Exception):
    pass


class Editor:
    """A running server and the documents open in it; an asynchronous context."""

    def __init__(self, command, root, environment=None, patience=240):
        self.command = [str(part) for part in command]
        self.root = pathlib.Path(root)
        self.environment = {**os.environ, **(environment or {})}
        self.patience = patience
        self.documents = {}  # by URI: pygls' TextDocument
        self.published = {}  # by URI: the last PublishDiagnosticsParams
        self.settled = set()  # URIs that were idle after the last publication
        self.log = []  # what the server wrote to standard error
        self.answer = None  # of initialize

    async def __aenter__(self):
        self.news = asyncio.Condition()
        self.client = LanguageClient("torchtidy-test", "1")
        self.client.server_exit = self._on_exit
        self._listen()
        self.ended = None
        await self.client.start_io(*self.command, env=self.environment, cwd=self.root)
        self.process = self.client._server
        self.drain = asyncio.create_task(self._read_log())
        self.answer = await self._timed(self.client.initialize_async(lsp.InitializeParams(
            process_id=os.getpid(), root_uri=self.root.as_uri(), capabilities=CAPABILITIES,
            initialization_options={"clangdFileStatus": True})))
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *error):
        try:
            if self.ended is None:
                await self._timed(self.client.shutdown_async(None))
                self.client.exit(None)
                await self._timed(self.process.wait())
        finally:
            if self.process.returncode is None:
                self.process.kill()
        await self._timed(self.client.stop())
        await self.drain

    def _timed(self, awaitable):
        return asyncio.wait_for(awaitable, self.patience)

    async def _read_log(self):
        while line := await self.process.stderr.readline():
            self.log.append(line.decode(errors="replace"))

    async def _on_exit(self, process):
        self.ended = process.returncode
        async with self.news:
            self.news.notify_all()

    def _listen(self):
        # Functions: pygls cannot mark bound methods.
        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def on_diagnostics(params):
            self.published[params.uri] = params
            self.settled.discard(params.uri)
            async with self.news:
                self.news.notify_all()

        @self.client.feature("textDocument/clangd.fileStatus")
        async def on_status(status):
            if status.state == "idle":
                self.settled.add(status.uri)
                async with self.news:
                    self.news.notify_all()

    async def until(self, happened):
        async with self.news:
            await self._timed(self.news.wait_for(lambda: self.ended is not None or happened()))
        if not happened():
            raise ServerEnded(f"the server ended with {self.ended}:\n" + "".join(self.log[-40:]))

    # --- documents ------------------------------------------------------------

    def open(self, path, text=None):
        path = pathlib.Path(path)
        document = TextDocument(path.as_uri(), path.read_text() if text is None else text, 1, "cpp")
        self.documents[document.uri] = document
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(
            document.uri, "cpp", document.version, document.source)))

    def close(self, path):
        document = self.documents.pop(pathlib.Path(path).as_uri())
        self.published.pop(document.uri, None)
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(
            lsp.TextDocumentIdentifier(document.uri)))

    def text(self, path):
        return self.documents[pathlib.Path(path).as_uri()].source

    def change(self, path, *changes):
        """Ranges replaced by text, applied here and sent; the order counts."""
        document = self.documents[pathlib.Path(path).as_uri()]
        document.version += 1
        for change in changes:
            document.apply_change(change)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(document.version, document.uri), list(changes)))

    def rewrite(self, path, text):
        self.change(path, lsp.TextDocumentContentChangeWholeDocument(text))

    def type(self, path, old, new):
        """Replaces the one occurrence of a text, as typing would."""
        source = self.text(path)
        assert source.count(old) == 1, f"{source.count(old)} times '{old}'"
        begin = source.index(old)
        self.change(path, lsp.TextDocumentContentChangePartial(
            lsp.Range(position(source, begin), position(source, begin + len(old))), new))

    # --- answers --------------------------------------------------------------

    async def diagnostics(self, path):
        """What the server finally says of the present text."""
        uri = pathlib.Path(path).as_uri()
        version = self.documents[uri].version
        await self.until(lambda: uri in self.settled and uri in self.published
                         and self.published[uri].version == version)
        return list(self.published[uri].diagnostics)

    async def eventually(self, path, holds):
        """Waits until the last answer is as wished."""
        uri = pathlib.Path(path).as_uri()
        await self.until(lambda: uri in self.published and holds(self.published[uri].diagnostics))

    async def first_diagnostics(self, path):
        """The first answer to the present text, as fast as it comes."""
        uri = pathlib.Path(path).as_uri()
        version = self.documents[uri].version
        await self.until(lambda: uri in self.published and self.published[uri].version == version)
        return list(self.published[uri].diagnostics)

    async def quick_fixes(self, path, diagnostic):
        actions = await self._timed(self.client.text_document_code_action_async(lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(pathlib.Path(path).as_uri()), diagnostic.range,
            lsp.CodeActionContext([diagnostic]))))
        return [a for a in actions or [] if a.kind == lsp.CodeActionKind.QuickFix]

    def apply(self, action):
        """Edits of one action; later places first, so that ranges stay valid."""
        for uri, edits in action.edit.changes.items():
            edits = sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True)
            self.change(pathlib.Path(uri.removeprefix("file://")), *(
                lsp.TextDocumentContentChangePartial(e.range, e.new_text) for e in edits))

    async def hover(self, path, text):
        answer = await self._timed(self.client.text_document_hover_async(lsp.HoverParams(
            lsp.TextDocumentIdentifier(pathlib.Path(path).as_uri()),
            position(self.text(path), self.text(path).index(text)))))
        return answer.contents.value if answer else ""

    async def complete(self, path, behind):
        source = self.text(path)
        answer = await self._timed(self.client.text_document_completion_async(lsp.CompletionParams(
            lsp.TextDocumentIdentifier(pathlib.Path(path).as_uri()),
            position(source, source.index(behind) + len(behind)))))
        items = answer.items if isinstance(answer, lsp.CompletionList) else answer
        # What scores the same comes in any order.
        return sorted(item.label.strip(" •") for item in items or [])

    async def definition(self, path, text):
        answer = await self._timed(self.client.text_document_definition_async(lsp.DefinitionParams(
            lsp.TextDocumentIdentifier(pathlib.Path(path).as_uri()),
            position(self.text(path), self.text(path).index(text)))))
        return answer or []

    # --- the process ------------------------------------------------------------

    def resident(self):
        """MB of memory in use now."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0


def position(text, offset):
    """Of a text without characters outside ASCII before it on its line."""
    before = text[:offset]
    return lsp.Position(before.count("\n"), offset - (before.rfind("\n") + 1))
