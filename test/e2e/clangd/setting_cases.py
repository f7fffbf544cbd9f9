"""What decides which findings show: the files of clang-tidy and of clangd, comments, arguments."""

from lsprotocol import types as lsp
from project import BAD, FOUND, LEAK, MOCK, expect, found

STOCK_FINDING = "\nint half(int i) { return i; }\nfloat integers(int a, int b) { return half(a) / b; }\n"
TIDY, CLANGD = ".clang-tidy", ".clangd"

# Folder: files in it, what is found, and codes of the stock checks.
SETTINGS = {
    "nothing": ({}, FOUND, ["bugprone-integer-division"]),
    "other checks": ({TIDY: "Checks: '-*,readability-identifier-length'\n"}, FOUND, ["readability-identifier-length"]),
    "all removed": ({TIDY: "Checks: '-*'\n"}, FOUND, []),
    "named": ({TIDY: "Checks: '-*,torch-retained-graph'\n"}, FOUND, []),
    "removed": ({TIDY: "Checks: 'bugprone-*,-torch-*'\n"}, [], ["bugprone-integer-division"]),
    "removed by name": ({TIDY: "Checks: '-torch-retained-graph'\n"}, [], []),
    "another removed": ({TIDY: "Checks: |\n  -torch-missing-no-grad\n  -torch-zero-grad\n"}, FOUND, []),
    "profiles": ({TIDY: "CheckOptions: {TorchProfiles: strict}\n"}, [], ["bugprone-integer-division"]),
    "removed in clangd": ({CLANGD: "Diagnostics: {ClangTidy: {Remove: ['torch-retained-*']}}\n"}, [], []),
    "clangd over tidy": ({TIDY: "Checks: '-torch-*'\n", CLANGD: "Diagnostics: {ClangTidy: {Add: ['torch-*']}}\n"},
                         FOUND, []),
    "clangd's options": ({CLANGD: "Diagnostics: {ClangTidy: {CheckOptions: {TorchProfiles: perf}}}\n"},
                         [], ["bugprone-integer-division"]),
    "suppressed": ({CLANGD: "Diagnostics: {Suppress: ['torch-retained-graph']}\n"}, [], ["bugprone-integer-division"]),
    "no filter": ({CLANGD: "Diagnostics: {ClangTidy: {FastCheckFilter: None}}\n"}, FOUND,
                  ["bugprone-integer-division"]),
    "malformed": ({TIDY: "Checks: '-torch-*\nNonsense: [\n"}, FOUND, ["bugprone-integer-division"]),
    "malformed in clangd": ({CLANGD: "Diagnostics: {ClangTidy: {Remove: ['torch-*'\n"}, FOUND,
                            ["bugprone-integer-division"]),
}


async def configuration(p):
    """Files of the user win over ours; nothing has to be written for the checks to run."""
    for folder, (files, _, _) in SETTINGS.items():
        for name, text in files.items():
            p.put(f"{folder}/{name}", text)
        p.source(f"{folder}/a.cpp", BAD + STOCK_FINDING)
    before = {f: f.read_text() for f in p.path.rglob(".clang*")}
    async with p.editor() as e:
        # A few at a time: each holds its headers in memory.
        names = list(SETTINGS)
        for at in range(0, len(names), 5):
            paths = [p.path / name / "a.cpp" for name in names[at:at + 5]]
            for path in paths:
                e.open(path)
            for path in paths:
                diagnostics = await e.diagnostics(path)
                _, ours, theirs = SETTINGS[path.parent.name]
                expect(found(diagnostics), ours, path.parent.name)
                codes = {d.code for d in diagnostics}
                assert codes >= set(theirs), f"{path.parent.name}: {codes}"
                if path.parent.name in ("all removed", "named"):
                    assert not [c for c in codes if not c.startswith("torch-")], f"{path.parent.name}: {codes}"
                e.close(path)
        log = "".join(e.log)
        assert "malformed/.clang-tidy" in log, log
    expect({f: f.read_text() for f in p.path.rglob(".clang*")}, before, "files of the user")


async def comments_and_levels(p):
    nolint = p.source("nolint/a.cpp", LEAK % ("", " // NOLINT"))
    named = p.source("named/a.cpp", LEAK % ("", " // NOLINT(torch-retained-graph)"))
    other = p.source("other/a.cpp", LEAK % ("", " // NOLINT(torch-missing-no-grad)"))
    errors = p.source("errors/a.cpp")
    p.put("errors/.clang-tidy", "WarningsAsErrors: 'torch-*'\n")
    async with p.editor() as e:
        for path in (nolint, named, other, errors):
            e.open(path)
        expect(found(await e.diagnostics(nolint)), [])
        expect(found(await e.diagnostics(named)), [])
        expect(found(await e.diagnostics(other)), FOUND)
        [error] = await e.diagnostics(errors)
        expect((found([error]), error.severity), (FOUND, lsp.DiagnosticSeverity.Error))


async def arguments_and_own_settings(p):
    """--clang-tidy=0, --enable-config=0, and the user's own config.yaml."""
    a = p.source("a.cpp")
    async with p.editor("--clang-tidy=0") as e:
        e.open(a)
        expect(await e.diagnostics(a), [])
    p.put("config/clangd/config.yaml", "Diagnostics: {ClangTidy: {Remove: ['torch-*']}}\n")
    async with p.editor() as e, p.editor("--enable-config=0") as deaf:
        e.open(a)
        deaf.open(a)
        expect(found(await e.diagnostics(a)), [])
        expect(found(await deaf.diagnostics(a)), FOUND)


async def no_database(p):
    """LibTorch's headers are not found, as in the stock clangd; `.clangd` can say where they are."""
    a = p.put("a.cpp", BAD)
    async with p.editor() as e, p.editor(stock=True) as stock:
        for editor in (e, stock):
            editor.open(a)
        diagnostics = await e.diagnostics(a)
        expect(diagnostics, await stock.diagnostics(a))
        assert "pp_file_not_found" in [d.code for d in diagnostics], diagnostics
    p.put(".clangd", f"CompileFlags: {{Add: [-std=c++17, -isystem, '{MOCK}']}}\n")
    async with p.editor() as e:
        e.open(a)
        expect(found(await e.diagnostics(a)), FOUND)


CASES = [configuration, comments_and_levels, arguments_and_own_settings, no_database]
