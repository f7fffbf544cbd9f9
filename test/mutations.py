"""Programs changed at random, for mutated.py.

Statements and tokens lost, doubled and swapped, other names and types, statements put into
loops, lambdas and gotos, functions of other programs, lost braces. The same seed gives the
same mutants.
"""

import random
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>R"\((?:.*?)\)"|(?:u8|[LuU])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eE][+-]|[\w.'])*)
  | (?P<sign><<=|>>=|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||[-+*/%&|^!=<>]=|<<|[^\s])
""", re.VERBOSE | re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*$")
NUMBER = re.compile(r"\.?\d")
KEYWORDS = set("""alignas auto bool break case catch char class const constexpr continue decltype default delete do
    double else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept
    nullptr operator override private protected public return short signed sizeof static struct switch template this
    throw true try typedef typename union unsigned using virtual void volatile while""".split())
CLOSES = {"(": ")", "[": "]", "{": "}"}


def tokens_of(text):
    """Without comments; a directive is one token."""
    return [m[0].strip() if m.lastgroup == "directive" else m[0]
            for m in TOKEN.finditer(text) if m.lastgroup != "space"]


def text_of(tokens):
    parts = []
    for token in tokens:
        if token.startswith("#"):
            parts.append(f"\n{token}\n")
        else:
            parts.append(token + ("\n" if token in (";", "{", "}") else " "))
    return "".join(parts) + "\n"


class Source:
    """A program: its tokens without what it includes, which the prelude has."""

    def __init__(self, path):
        self.path = path
        self.tokens = tokens_of(self.flat(path))
        self.functions = [self.tokens[b:e] for b, e in Code(self.tokens).functions]

    @staticmethod
    def flat(path):
        """With the tests' own headers written out."""
        def include(line):
            name = line[1]
            return Source.flat(path.parent / name) if name else ""
        text = re.sub(r'^[ \t]*#[ \t]*(?:include[ \t]*(?:<[^>\n]*>|"([^"\n]*)")|pragma once)[^\n]*$', include,
                      path.read_text(), flags=re.MULTILINE)
        return text


class Code:
    """What mutations need to know of a program's tokens."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.match = {}
        stack = []
        for i, t in enumerate(tokens):
            if t in CLOSES:
                stack.append(i)
            elif t in CLOSES.values():
                if stack and CLOSES[tokens[stack[-1]]] == t:
                    self.match[stack[-1]] = i
                    self.match[i] = stack.pop()
        self.statements, self.functions, self.bodies = [], [], []
        # Braces that hold statements, by what stands before them.
        self.code = set()
        for i, t in enumerate(tokens):
            if t == "{" and i in self.match and i and self.is_code(i):
                self.code.add(i)
        for i in sorted(self.code):
            self.bodies.append((i, self.match[i]))
            self.split(i + 1, self.match[i])
            begin = self.head(i)
            if begin is not None:
                self.functions.append((begin, self.match[i] + 1))

    def is_code(self, i):
        before = self.tokens[i - 1]
        if before in (")", "else", "do", "try", "const", "override", "noexcept", "mutable"):
            return True
        if before == "]":  # of a lambda, not of an array
            open_ = self.match.get(i - 1)
            return open_ is not None and (not open_ or not (WORD.match(self.tokens[open_ - 1])
                                                             or self.tokens[open_ - 1] in (")", "]")))
        return before in (";", "{", "}") and any(o in self.code and o < i < self.match[o] for o in self.code)

    def head(self, i):
        """The first token of the function whose body begins at i, if it is outside of all others."""
        if any(o < i < self.match[o] for o in self.code if o != i):
            return None
        j = i - 1
        while j > 0 and self.tokens[j - 1] not in (";", "}", "{", ":") and not self.tokens[j - 1].startswith("#"):
            if self.tokens[j] in CLOSES.values() and j in self.match:
                j = self.match[j]
            j -= 1
            if self.tokens[j] in (")", "]", "}") and j in self.match:
                j = self.match[j]
        return j if ")" in self.tokens[j:i] else None

    def split(self, begin, end):
        i = start = begin
        while i < end:
            t = self.tokens[i]
            if t in CLOSES and i in self.match:
                i = self.match[i]
                follows = self.tokens[i + 1] if i + 1 < len(self.tokens) else ""
                if t == "{" and self.match[i] in self.code and follows not in (
                        "else", "while", "catch", ")", ";", ",", "(", "."):
                    self.statements.append((start, i + 1))
                    start = i + 1
            elif t == ";":
                self.statements.append((start, i + 1))
                start = i + 1
            i += 1

    def words(self):
        return [i for i, t in enumerate(self.tokens) if WORD.match(t) and t not in KEYWORDS]

    def declares(self, begin, end):
        """Something that later statements may name."""
        head = self.tokens[begin:min(end, begin + 14)]
        return len(head) > 1 and (head[0] in KEYWORDS - {"if", "for", "while", "do", "return", "try", "this", "switch",
                                                         "break", "continue", "throw", "goto", "delete"}
                                  or bool(re.match(r"[\w: ]+(<.*>)?[ &*]*\b\w+ [=;({]", " ".join(head))
                                          and WORD.match(head[0]) and not re.match(
                                              r"(?:\w+ (?:::|\.|->) )*\w+ (?:[-+*/]?=|\(|\[|\.|->)", " ".join(head))))


class Mutator:
    def __init__(self, sources, seed, index):
        self.random = random.Random(f"{seed}:{index}")
        self.index = index
        self.sources = sources
        # What needs more than the mock has is less use.
        good = [s for s in sources if s.compiles] or sources
        self.source = self.random.choice(good if self.random.random() < 0.95 else sources)
        self.tokens = list(self.source.tokens)
        self.labels = 0

    def mutant(self, kinds):
        count = 1 + min(int(self.random.expovariate(0.9)), 5)
        names = [name for name, _ in kinds]
        weights = [weight for _, weight in kinds]
        self.done = []
        for _ in range(count):
            name = self.random.choices(names, weights)[0]
            self.code = Code(self.tokens)
            before = len(self.tokens)
            try:
                getattr(self, name)()
            except (IndexError, ValueError):  # nothing of that kind in it
                continue
            self.done.append(name)
            if len(self.tokens) > 60000:
                self.tokens = self.tokens[:before]
        return self.tokens

    # -- Places -----------------------------------------------------------

    def statement(self, plain=True):
        """One that nothing later needs, where there is such a choice."""
        all_ = [s for s in self.code.statements if s[1] - s[0] > 1]
        if plain and self.random.random() < 0.9:
            all_ = [s for s in all_ if not self.code.declares(*s)
                    and self.tokens[s[0]] not in ("return", "break", "continue", "case", "default", "else")] or all_
        return self.random.choice(all_)

    def label(self):
        self.labels += 1
        return f"l{self.index}_{self.labels}"

    def put(self, begin, end, text):
        self.tokens[begin:end] = text if isinstance(text, list) else tokens_of(text)

    def condition(self):
        r = self.random
        return r.choice(["true", "false", "std::rand()", "std::rand() % 3 == 0", "!std::rand()",
                         "torch::GradMode::is_enabled()", "std::rand() && std::rand()",
                         "int q = std::rand(); q > 2", "std::rand() ? std::rand() : 0",
                         self.tokens[r.choice(self.code.words())] if r.random() < 0.3 else "std::rand() > 7"])

    # -- Changes that mostly compile ----------------------------------------

    def lose_statement(self):
        b, e = self.statement()
        self.put(b, e, ";")

    def double_statement(self):
        b, e = self.statement()
        self.put(e, e, self.tokens[b:e])

    def swap_statements(self):
        pairs = [(a, b) for a, b in zip(self.code.statements, self.code.statements[1:]) if a[1] == b[0]]
        (b, m), (_, e) = self.random.choice(pairs)
        self.put(b, e, self.tokens[m:e] + self.tokens[b:m])

    def move_statement(self):
        b, e = self.statement()
        part = self.tokens[b:e]
        to, _ = self.random.choice([s for s in self.code.statements if not b < s[0] < e])
        if to > b:
            self.put(to, to, part)
            self.put(b, e, ";")
        else:
            self.put(b, e, ";")
            self.put(to, to, part)

    def wrap(self):
        r = self.random
        b, e = self.statement()
        s = text_of(self.tokens[b:e])
        l, c = self.label(), self.condition()
        plain = c if not c.startswith("int") else "std::rand()"
        self.put(b, e, r.choice([
            f"if ({c}) {{ {s} }}", f"if ({c}) {{ }} else {{ {s} }}", f"if ({c}) {{ {s} }} else {{ {s} }}",
            f"while ({c}) {{ {s} }}", f"do {{ {s} }} while ({plain});", f"for (;;) {{ {s} if ({c}) break; }}",
            f"for (int k = 0; k < 3; ++k) {{ {s} }}", f"for (int k : {{1, 2, 3}}) {{ {s} }}", f"{{ {s} }}",
            f"{{ torch::NoGradGuard guard; {s} }}", f"{{ torch::AutoGradMode mode({plain}); {s} }}",
            f"{{ c10::InferenceMode mode; {s} }}", f"torch::NoGradGuard{{}}; {s}",
            f"torch::GradMode::set_enabled({plain}); {s}",
            f"try {{ {s} }} catch (...) {{ }}", f"try {{ {s} }} catch (const std::exception &) {{ {s} throw; }}",
            f"try {{ throw 1; }} catch (int) {{ {s} }}", f"[&] {{ {s} }}();", f"[=]() mutable {{ {s} }}();",
            f"auto {l} = [&](auto &&) {{ {s} }}; {l}(1); {l}(2.0);", f"std::function<void()> {l} = [&] {{ {s} }}; {l}();",
            f"std::thread {l}([&] {{ {s} }}); {l}.join();", f"(void)std::async([&] {{ {s} }});",
            f"switch (std::rand()) {{ case 0: {s} case 1: {s} break; default: {s} }}",
            f"switch (std::rand()) {{ case 0: do {{ {s} case 1: {s} }} while ({plain}); }}",
            f"{l}: {{ {s} }} if ({c}) goto {l};", f"goto {l}; {{ {s} }} {l}: {{ {s} }}",
            f"if ({c}) goto {l}; {{ {s} }} {l}:;", f"void *{l}p = &&{l}; goto *{l}p; {l}: {{ {s} }}",
            f"if constexpr (sizeof(int) > 2) {{ {s} }} else {{ {s} }}", f"(void)({{ {s} 1; }});",
            f"{{ struct L {{ ~L() {{ std::rand(); }} }} guard; {s} }}", f"{s} if ({c}) throw 1;",
            f"{s} if ({c}) std::abort();", f"if ({c}) __builtin_unreachable(); {s}",
        ]))

    def run_into(self):
        """A jump out, from somewhere."""
        b, _ = self.statement(plain=False)
        c = self.condition()
        what = self.random.choice(["return;", "return {};", "break;", "continue;", "throw 1;", "throw;", ";",
                                   "return {};", "std::terminate();"])
        self.put(b, b, f"if ({c}) {{ {what} }}")

    def other_type(self):
        names = [i for i, t in enumerate(self.tokens) if t in ("Tensor", "auto", "Batch", "float", "double", "int")]
        i = self.random.choice(names)
        begin = i
        while begin >= 2 and self.tokens[begin - 1] == "::":
            begin -= 2
        word = self.tokens[self.random.choice(self.code.words())]
        self.put(begin, i + 1, self.random.choice([
            "auto", "auto", "const auto &", "auto &&", f"decltype({word})", "torch::Tensor", "torch::Tensor",
            "const torch::Tensor", "static torch::Tensor", "static thread_local torch::Tensor", "torch::Tensor &",
            "const torch::Tensor &", "torch::Tensor &&", "std::vector<torch::Tensor>", "std::shared_ptr<torch::Tensor>",
            "std::optional<torch::Tensor>", "torch::Tensor *", "double", "volatile double", "decltype(auto)",
            "std::tuple<torch::Tensor, torch::Tensor>", "at::Tensor", "struct Unknown", "std::function<torch::Tensor()>",
        ]))

    def other_name(self):
        r = self.random
        i = r.choice(self.code.words())
        # Mostly a variable for a variable: what stands before and after is alike.
        alike = [j for j in self.code.words()
                 if self.tokens[j] != self.tokens[i] and self.beside(j) == self.beside(i)]
        self.tokens[i] = self.tokens[r.choice(alike if alike and r.random() < 0.85 else self.code.words())]

    def beside(self, i):
        def kind(j):
            t = self.tokens[j] if 0 <= j < len(self.tokens) else ""
            return "word" if WORD.match(t) else t
        return kind(i - 1), kind(i + 1)

    def around_name(self):
        i = self.random.choice(self.code.words())
        if self.tokens[i - 1] in (".", "->", "::") or self.tokens[i + 1] in ("::", "<", "(", "{") or \
                WORD.match(self.tokens[i + 1]) or WORD.match(self.tokens[i - 1]) or self.tokens[i + 1] in ("&", "*"):
            raise ValueError
        x = self.tokens[i]
        self.put(i, i + 1, self.random.choice([
            f"({x})", f"(((({x}))))", f"(*&{x})", f"(std::rand() ? {x} : {x})", f"({x}, {x})", f"std::move({x})",
            f"[&]() -> decltype(auto) {{ return ({x}); }}()", f"static_cast<decltype({x}) &&>({x})",
            f"std::ref({x}).get()", f"decltype({x})({x})", f"std::as_const({x})", f"({{ {x}; }})", f"*std::addressof({x})",
            f"std::forward<decltype({x}) &>({x})", f"(({x} = {x}))", f"const_cast<decltype({x}) &>({x})",
        ]))

    def other_sign(self):
        r = self.random
        groups = [["+=", "-=", "*=", "="], ["+", "-", "*", "/"], ["<", "<=", ">", ">=", "==", "!="], ["&&", "||"],
                  ["++", "--"], [".", "->"], ["true", "false"], ["break", "continue"], ["push_back", "emplace_back"],
                  ["detach", "clone", "sum", "mean"], ["train", "eval"], ["backward", "zero_grad", "step"],
                  ["NoGradGuard", "InferenceMode", "AutoGradMode"], ["class", "struct"]]
        at = [(i, g) for i, t in enumerate(self.tokens) for g in groups if t in g and t != "->"]
        i, g = r.choice(at)
        self.tokens[i] = r.choice([t for t in g if t != self.tokens[i]])

    def other_number(self):
        i = self.random.choice([i for i, t in enumerate(self.tokens) if NUMBER.match(t)])
        self.put(i, i + 1, self.random.choice([
            "0", "1", "-1", "9223372036854775807", "(-9223372036854775807 - 1)", "1e308", "0.0", "0x7fffffff", "'a'",
            "sizeof(int)", "1 / 0", "true", "2147483648", "18446744073709551615ull", "std::rand()"]))

    def arguments(self):
        """Arguments swapped, lost, or those of another call."""
        r = self.random
        calls = [i for i, t in enumerate(self.tokens) if t == "(" and i in self.code.match and i
                 and WORD.match(self.tokens[i - 1]) and self.tokens[i - 1] not in KEYWORDS]
        b = r.choice(calls)
        e = self.code.match[b]
        cuts, depth = [b + 1], 0
        for i in range(b + 1, e):
            depth += (self.tokens[i] in "([{<") - (self.tokens[i] in ")]}>")
            if self.tokens[i] == "," and not depth:
                cuts.append(i + 1)
        parts = [self.tokens[x:y - 1] for x, y in zip(cuts, cuts[1:] + [e + 1])]
        how = r.randrange(3)
        if how == 0 and len(parts) > 1:
            r.shuffle(parts)
        elif how == 1 and parts:
            parts.pop()
        else:
            o = r.choice(calls)
            parts = [self.tokens[o + 1:self.code.match[o]]]
        self.put(b + 1, e, [t for i, p in enumerate(parts) for t in ([","] if i else []) + p])

    def as_template(self):
        b, e = self.random.choice(self.code.functions)
        if "template" in self.tokens[max(0, b - 12):b + 1]:
            raise ValueError
        self.put(b, b, self.random.choice(["template <typename T = int>", "template <int N = 3>",
                                           "template <typename... Ts>", "template <class T = void, class U = T>",
                                           "static", "inline", "[[noreturn]]", "constexpr", "extern"]))

    def own_call(self):
        """A function that calls itself or another with its own parameters."""
        calls = [(i, self.code.match[i]) for i, t in enumerate(self.tokens) if t == "(" and i in self.code.match
                 and i and WORD.match(self.tokens[i - 1]) and self.tokens[i - 1] not in KEYWORDS]
        b, e = self.random.choice(calls)
        names = sorted({self.tokens[f[0] + k] for f in self.code.functions for k in range(f[1] - f[0])
                        if self.tokens[f[0] + k + 1] == "(" and WORD.match(self.tokens[f[0] + k])} - KEYWORDS)
        self.tokens[b - 1] = self.random.choice(names)

    def foreign_program(self):
        """All of another program, in a namespace of its own; its functions may be called."""
        other = self.random.choice([s for s in self.sources if s.compiles] or self.sources)
        name = self.label()
        self.put(0, 0, ["namespace", name, "{", *other.tokens, "}"])
        if self.random.random() < 0.5:
            self.put(len(self.tokens), len(self.tokens), f"using namespace {name};")

    def foreign_function(self):
        other = self.random.choice(self.sources)
        at = self.random.choice([b for b, _ in self.code.functions])
        self.put(at, at, self.random.choice(other.functions))

    def foreign_statements(self):
        other = self.random.choice(self.sources)
        parts = Code(other.tokens).statements
        b = self.random.randrange(len(parts))
        at, _ = self.statement(plain=False)
        self.put(at, at, [t for x, y in parts[b:b + self.random.randint(1, 3)] for t in other.tokens[x:y]])

    def foreign_body(self):
        other = self.random.choice([self.source, self.random.choice(self.sources)])
        code = Code(other.tokens)
        x, y = self.random.choice(code.bodies)
        b, e = self.random.choice(self.code.bodies)
        self.put(b, e + 1, other.tokens[x:y + 1])

    def lose_body(self):
        b, e = self.random.choice(self.code.bodies)
        self.put(b, e + 1, self.random.choice(["{ }", ";", "{ throw; }", "{ for (;;) ; }", "{ return {}; }",
                                               "= delete;", "= 0;"]))

    def many(self):
        """Much of the same, for whatever is not linear."""
        r = self.random
        b, e = self.statement()
        s = self.tokens[b:e]
        n = r.choice([20, 60, 150])
        how = r.randrange(5)
        if how == 0:
            self.put(b, e, s * n)
        elif how == 1:
            self.put(b, e, ["if", "(", "std", "::", "rand", "(", ")", ")", "{"] * n + s + ["}"] * n)
        elif how == 2:
            self.put(b, e, ["while", "(", "std", "::", "rand", "(", ")", ")", "{"] * min(n, 60) + s
                     + ["}"] * min(n, 60))
        elif how == 3:
            self.put(b, e, (["if", "(", "std", "::", "rand", "(", ")", ")", "{", *s, "}", "else"] * n) + [";"])
        else:
            i = r.choice([i for i in self.code.words() if b <= i < e])
            x = self.tokens[i]
            self.put(i, i + 1, ["("] * n + [x] + ["+", x, ")"] * n)

    # -- Changes that mostly do not -----------------------------------------

    def lose_tokens(self):
        i = self.random.randrange(len(self.tokens))
        i, j = i, i + self.random.randint(1, 4)
        if not any(t in "{}" for t in self.tokens[i:j]):
            self.put(i, j, [])

    def double_tokens(self):
        i = self.random.randrange(len(self.tokens))
        part = self.tokens[i:i + self.random.randint(1, 6)]
        if not any(t in "{}" for t in part):
            self.put(i, i, part)

    def swap_tokens(self):
        flat = [i for i, t in enumerate(self.tokens) if t not in "{}" and not t.startswith("#")]
        i = self.random.randrange(len(flat))
        j = flat[min(len(flat) - 1, i + self.random.randint(1, 8))]
        self.tokens[flat[i]], self.tokens[j] = self.tokens[j], self.tokens[flat[i]]

    def strange_token(self):
        i = self.random.randrange(len(self.tokens))
        self.put(i, i, [self.random.choice(sorted(KEYWORDS) + [":", "?", "<", ">", "&&", "...", "~", "[", "(", ")", "]",
                                                                "=", ",", ";", "::", "'x'", '"text"', "co_await x"])])

    # -- The end of a file ----------------------------------------------------

    def end(self):
        """Braces that do not fit, or half of the program."""
        r = self.random
        how = r.randrange(4)
        if how == 0:
            del self.tokens[r.randrange(len(self.tokens)):]
        else:
            signs = [i for i, t in enumerate(self.tokens) if t in "{}()[]"]
            for _ in range(how):
                i = r.choice(signs)
                if r.random() < 0.5:
                    self.tokens[i] = ""
                else:
                    self.tokens[i] += " " + r.choice("{}()[]")


KIND = [("lose_statement", 8), ("double_statement", 8), ("swap_statements", 5), ("move_statement", 4), ("wrap", 26),
        ("run_into", 6), ("other_type", 5), ("other_name", 6), ("around_name", 12), ("other_sign", 6),
        ("other_number", 5), ("arguments", 3), ("as_template", 3), ("own_call", 2), ("foreign_program", 4),
        ("foreign_function", 2), ("foreign_statements", 2), ("foreign_body", 2), ("lose_body", 4), ("many", 0.7),
        ("lose_tokens", 1.5), ("double_tokens", 1), ("swap_tokens", 1.5), ("strange_token", 1)]


class Unchanged:
    def __init__(self, source, index):
        self.source, self.index, self.done = source, index, ["unchanged"]
        self.text = text_of(source.tokens)


class Mutant:
    def __init__(self, sources, seed, index, last=False):
        self.index = index
        m = Mutator(sources, seed, index)
        m.mutant(KIND)
        if last:
            m.code = Code(m.tokens)
            m.end()
            m.done.append("end")
        self.source, self.done = m.source, m.done
        self.text = text_of(m.tokens)
