"""What happens while somebody edits."""

import asyncio
import pathlib
from urllib.request import url2pathname

from lsprotocol import types as lsp
from project import BAD, FOUND, GOOD, LEAK, ROOT, expect, found


async def open_edit_fix(p):
    a = p.source("a.cpp")
    async with p.editor("--background-index-priority=normal", index=True) as e:
        e.open(a)
        [finding] = await e.diagnostics(a)
        expect(found([finding]), FOUND)
        expect((finding.severity, finding.source), (lsp.DiagnosticSeverity.Warning, "clang-tidy"))
        assert finding.message.startswith("Tensor stored in 'losses' keeps its autograd history"), finding.message
        notes = [n.message for n in finding.related_information]
        assert "The history comes from here" in notes and "'losses' is declared here" in notes, notes
        page = pathlib.Path(url2pathname(finding.code_description.href.removeprefix("file://")))
        assert page.read_text().startswith("# torch-retained-graph\n"), page
        [fix] = await e.quick_fixes(a, finding)
        e.apply(fix)
        expect(e.text(a), GOOD)
        expect(await e.diagnostics(a), [])
        e.type(a, ".detach()", "")
        expect(found(await e.diagnostics(a)), FOUND)
    expect(e.ended, 0)
    expect(a.read_text(), BAD, "the file on disk changed")


async def a_header(p):
    """By itself, and as a part of others."""
    header = p.put("model.h", """#pragma once
#include <torch/torch.h>
#include <vector>
inline float evaluate(torch::nn::Linear &m, torch::Tensor x) {
  m->eval();
  return m->forward(x).mean().item<float>(); // under the caller's guard, perhaps
}
inline void train(torch::nn::Linear &m, std::vector<torch::Tensor> &losses) {
  for (int i = 0; i < 10; ++i) {
    torch::AutoGradMode on(true);
    auto loss = m->forward(torch::randn({2, 3})).mean();
    loss.backward();
    losses.push_back(loss);
  }
}
""")
    a = p.source("a.cpp", "#include \"model.h\"\nvoid f(torch::nn::Linear &m) {\n"
                 "  torch::NoGradGuard guard;\n  evaluate(m, torch::randn({3}));\n}\n")
    async with p.editor() as e:
        e.open(header)
        diagnostics = await e.diagnostics(header)
        expect(found(diagnostics), [(13, "torch-retained-graph")])
        expect(p.checked(header), [(13, "torch-retained-graph")], "torchtidy check")
        [fix] = await e.quick_fixes(header, diagnostics[0])
        e.apply(fix)
        expect(await e.diagnostics(header), [])
        e.open(a)
        expect(await e.diagnostics(a), [])


METER = """#pragma once
#include <torch/torch.h>
#include <vector>
struct Meter {
  std::vector<torch::Tensor> history;
  void add(torch::Tensor t);
  void flush() { %s }
};
struct Trainer {
  torch::nn::Linear net{nullptr}, teacher{nullptr};
  Meter meter;
  Trainer() : net(3, 3), teacher(3, 3) { %s }
  void finish() { meter.flush(); }
  void run();
  float eval(torch::Tensor x);
};
"""
METER_USER = """#include "meter.h"
void Meter::add(torch::Tensor t) { history.push_back(t); }
void Trainer::run() {
  for (int i = 0; i < 10; ++i) {
    auto loss = net->forward(torch::randn({2, 3})).mean();
    loss.backward();
    meter.add(loss);
    finish();
  }
}
float Trainer::eval(torch::Tensor x) { return teacher->forward(x).mean().item<float>(); }
int main() {
  Trainer t;
  t.run();
  t.eval(torch::randn({3}));
}
"""
FREEZE = "for (auto &p : teacher->parameters()) p.set_requires_grad(false);"


async def bodies_in_headers(p):
    """What functions of the project's headers do counts, and counts anew when they change."""
    header = p.put("meter.h", METER % ("history.clear();", FREEZE))
    a = p.source("a.cpp", METER_USER)
    both = [(2, "torch-retained-graph"), (11, "torch-missing-no-grad")]
    async with p.editor() as e:
        e.open(a)
        expect(found(await e.diagnostics(a)), [], "cleared and frozen in the header")
        expect(p.checked(a), [], "torchtidy check")
        for text, wanted in ((METER % ("", FREEZE), both[:1]), (METER % ("history.clear();", ""), both[1:]),
                             (METER % ("", ""), both), (METER % ("history.clear();", FREEZE), [])):
            header.write_text(text)
            expect(p.checked(a), wanted, "torchtidy check")
            # The first answer may still be that of the old header.
            e.type(a, "int main() {", "int main() { ")
            await e.eventually(a, lambda diagnostics: found(diagnostics) == wanted)
            e.type(a, "int main() { ", "int main() {")
            expect(found(await e.diagnostics(a)), wanted, text)


async def back_and_forth(p):
    """Facts of an older text never come back, and no edit leaves its memory behind.

    The stock clangd's heap grows by some MB per round as well, now more, now less; an AST that stayed with each edit
    would be far more."""
    a, b = p.source("a.cpp"), p.source("b.cpp", GOOD)

    async def alternate(e, bad):
        """What the later rounds added, in MB."""
        e.open(a)
        e.open(b)
        sizes = []
        for _ in range(10):
            expect(found(await e.diagnostics(a)), bad)
            expect(found(await e.diagnostics(b)), [])
            e.type(a, "push_back(loss)", "push_back(loss.detach())")
            e.type(b, "push_back(loss.detach())", "push_back(loss)")
            expect(found(await e.diagnostics(a)), [])
            expect(found(await e.diagnostics(b)), bad)
            e.type(a, "loss.detach()", "loss")
            e.type(b, "push_back(loss)", "push_back(loss.detach())")
            sizes.append(e.resident())
        # Lines move: another place, the same finding.
        e.type(a, "void train(", "\nvoid train(")
        expect(found(await e.diagnostics(a)), [(line + 1, check) for line, check in bad])
        return sizes[-1] - sizes[2]

    async with p.editor() as e, p.editor(stock=True) as stock:
        growth, other = await asyncio.gather(alternate(e, FOUND), alternate(stock, []))
        assert growth < 2 * other + 40, f"40 edits cost {growth:.0f} MB, with {other:.0f} MB in the stock clangd"


async def as_it_is_typed(p):
    """Nothing that stands there on the way brings the server down."""
    a = p.source("a.cpp", "")
    example = BAD + METER_USER.partition("\n")[2].join(METER % ("", "")).replace("#pragma once\n", "")
    async with p.editor() as e:
        e.open(a)
        end = BAD.index("<vector>")
        while end < len(BAD):
            end = min(len(BAD), end + 19)
            e.rewrite(a, BAD[:end])
            await e.diagnostics(a)
        expect(found(await e.diagnostics(a)), FOUND)
        # Faster than anybody can look: the last text counts.
        for end in range(0, len(example), 40):
            e.rewrite(a, example[:end])
        e.rewrite(a, GOOD)
        expect(found(await e.diagnostics(a)), [])
        e.rewrite(a, BAD)
        expect(found(await e.diagnostics(a)), FOUND)
        e.close(a)
        e.open(a, GOOD)
        expect(found(await e.diagnostics(a)), [])


async def the_example(p):
    """docs/examples with Debian's LibTorch says what `torchtidy check` says; all fixes applied, less is left."""
    a = p.source("train.cpp", (ROOT / "docs/examples/train.cpp").read_text(),
                 ["-isystem", "/usr/include/torch/csrc/api/include"])
    wanted = p.checked(a)
    assert len(wanted) >= 3, wanted
    async with p.editor() as e:
        e.open(a)
        diagnostics = await e.diagnostics(a)
        expect(found(diagnostics), wanted)
        fixed = 0
        while True:
            fixes = [f for d in diagnostics for f in await e.quick_fixes(a, d)]
            if not fixes:
                break
            e.apply(fixes[0])
            fixed += 1
            assert fixed <= len(wanted), "fixes that do not end"
            diagnostics = await e.diagnostics(a)
        assert fixed >= 2, fixed
        assert all(str(d.code).startswith("torch-") for d in diagnostics), diagnostics


CASES = [open_edit_fix, a_header, bodies_in_headers, back_and_forth, as_it_is_typed, the_example]
