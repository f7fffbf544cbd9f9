"""torchtidy-clangd stands in for clangd-19: the rest of it is the same."""

import re

from lsprotocol import types as lsp
from project import BAD, FOUND, STOCK, expect, found

PLAIN = """#include <map>
#include <string>
#include "part.h"
#define TWICE(x) ((x) + (x))
struct Shape {
  virtual ~Shape() = default;
  /// How much it covers.
  virtual double area() const { return 0; }
};
double total(const std::map<std::string, Shape> &shapes) {
  double sum = 0;
  for (const auto &[name, shape] : shapes)
    sum += shape.area() + TWICE(name.size() / 2);
  return sum
}
"""


async def the_same_server(p):
    """What it can do, and its answers about code that knows no LibTorch: also that in headers."""
    p.put("part.h", "#pragma once\ninline int broken() { return undeclared; }\n")
    a = p.source("plain.cpp", PLAIN)
    async with p.editor() as e, p.editor(stock=True) as stock:
        expect(e.answer.capabilities, stock.answer.capabilities)
        answers = []
        for editor in (e, stock):
            editor.open(a)
            diagnostics = await editor.diagnostics(a)
            answers.append([diagnostics,
                            [await editor.quick_fixes(a, d) for d in diagnostics],
                            await editor.hover(a, "area() + TWICE"), await editor.hover(a, "shapes)\n"),
                            await editor.complete(a, "sum += shape."),
                            await editor.definition(a, "area() + TWICE")])
        ours, theirs = answers
        expect(ours, theirs)
        diagnostics, fixes, hover, _, completions, definition = ours
        assert "expected_semi_after_stmt" in [d.code for d in diagnostics], diagnostics
        assert "How much it covers." in hover and "area() const" in " ".join(completions), (hover, completions)
        assert definition and any(fixes), (definition, fixes)


async def with_libtorch(p):
    """Hover, completion and the way to a definition in a file with findings."""
    p.put("model.h", "#pragma once\n#include <torch/torch.h>\n/// Of the project.\n"
          "inline torch::Tensor twice(torch::Tensor t) { return t + t; }\n")
    a = p.source("a.cpp", BAD.replace("#include <vector>", "#include \"model.h\"\n#include <vector>").replace(
        "loss.backward();", "loss = twice(loss); loss.backward();"))
    async with p.editor() as e, p.editor(stock=True) as stock:
        answers = []
        for editor in (e, stock):
            editor.open(a)
            diagnostics = await editor.diagnostics(a)
            answers.append([await editor.hover(a, "twice(loss)"), await editor.hover(a, "backward"),
                            await editor.complete(a, "losses."), await editor.complete(a, "loss."),
                            await editor.definition(a, "twice(loss)"), await editor.definition(a, "Linear")])
            expect(found(diagnostics), [] if editor is stock else [(8, FOUND[0][1])])
        expect(answers[0], answers[1])
        assert "model.h" in answers[0][0] and any("push_back" in c for c in answers[0][2]), answers[0]


async def errors_in_headers(p):
    """The bodies that clangd would not have parsed bring no errors, however many."""
    p.put("model.h", "#pragma once\n#include <torch/torch.h>\n" + "".join(f"""
inline int free{i}() {{ return undeclared{i}; }}
template <class T> int generic{i}(T t) {{ return t.nothing(); }}
struct S{i} {{
  S{i}() : a(undeclared) {{ undeclared(); }}
  int f() {{ auto l = [] {{ return undeclared; }}; return generic{i}(3); }}
  int a;
}};
""" for i in range(10)) + "struct T { nowhere n; };\n")
    a = p.source("a.cpp", BAD.replace("#include <vector>", "#include \"model.h\"\n#include <vector>") +
                 "int half(S0 s) { return s.a / wrong; }\n")
    async with p.editor() as e, p.editor(stock=True) as stock:
        e.open(a)
        stock.open(a)
        ours, theirs = await e.diagnostics(a), await stock.diagnostics(a)
        expect(found(ours), [(8, FOUND[0][1])])
        expect([d for d in ours if not d.code.startswith("torch-")], theirs)
        assert {"unknown_typename", "undeclared_var_use"} <= {d.code for d in theirs}, theirs


async def command_line(p):
    ours = p.build / "bin/torchtidy-clangd"
    version, stock = p.run(ours, "--version"), p.run(STOCK, "--version")
    assert re.search(r"clangd version 19\.1\.\d.* with torchtidy \d+\.\d+\.\d+$", version.stdout, re.M), version.stdout
    expect(version.stdout.splitlines()[0].split(" with ")[0], stock.stdout.splitlines()[0])
    assert "grpc" not in version.stdout, version.stdout
    through = p.run(p.build / "bin/torchtidy", "clangd", "--version")
    expect((through.stdout, through.returncode), (version.stdout, 0))
    expect(p.run(ours, "--help").stdout.replace("torchtidy-clangd", "clangd"),
           p.run(STOCK, "--help").stdout.replace(STOCK, "clangd"))
    wrong = p.run(ours, "--nonsense")
    expect(wrong.returncode, p.run(STOCK, "--nonsense").returncode)
    assert "--nonsense" in wrong.stderr, wrong.stderr


async def check_mode(p):
    """--check=FILE, and where clang's headers are said by somebody else."""
    ours = p.build / "bin/torchtidy-clangd"
    a = p.source("a.cpp")
    broken = p.source("broken.cpp", "int i = undeclared;\n")
    done = p.run(ours, "--check=a.cpp")
    expect(done.returncode, 0, done.stderr)
    assert "All checks completed, 0 errors" in done.stderr, done.stderr
    broke = p.run(ours, "--check=broken.cpp").returncode
    assert broke and broke == p.run(STOCK, "--check=broken.cpp").returncode, broke
    timed = p.run(ours, "--check=a.cpp", "--check-tidy-time=torch-*")
    assert "torch-retained-graph" in timed.stderr, timed.stderr
    resources = re.search(r"-resource-dir[= ](\S+)", done.stderr)[1]
    assert p.run(ours, "--check=a.cpp", f"--resource-dir={resources}").returncode == 0
    p.environment["CLANGD_FLAGS"] = f"--resource-dir={resources} --log=verbose"
    done = p.run(ours, "--check=a.cpp")
    expect(done.returncode, 0, done.stderr)
    assert a.read_text() == BAD and broken.exists()


CASES = [the_same_server, with_libtorch, errors_in_headers, command_line, check_mode]
