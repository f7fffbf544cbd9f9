"""Programs whose findings stand where only a header's code would lead a compiler.

Each shape is code of a user that LibTorch's or the standard library's headers
instantiate, or that reads differently if headers come first. A shape is a
function of a number that makes its names unique; `//!` marks a line that must
be reported whichever way the file is parsed.
"""

import random

PROLOGUES = [
    "#include <torch/torch.h>\n",
    "#pragma once\n#include <vector>\n#include <torch/torch.h>\n",
    "#define OWN_SWITCH 1\n#include <torch/torch.h>\n",
    "#define size count_of_everything\n#undef size\n#include <torch/torch.h>\n",
    "#ifndef SOME_GUARD\n#define SOME_GUARD\n#include <torch/torch.h>\n#endif\n",
    "#if __has_include(<torch/torch.h>)\n#include <torch/torch.h>\n#endif\n",
    "struct BeforeEverything {};\n#include <torch/torch.h>\n",
    "#ifdef TORCH_CHECK\n#error read late\n#endif\n#include <torch/torch.h>\n",
    "#include \"project.h\"\n",
]
STANDARD = "".join(f"#include <{h}>\n" for h in (
    "algorithm", "functional", "map", "memory", "mutex", "numeric", "optional", "thread", "tuple", "unordered_map",
    "variant", "vector"))

SHAPES = [
    # A generic lambda that only a header calls.
    """void generic@(std::vector<torch::Tensor> &in, std::vector<torch::Tensor> &kept, torch::nn::Linear &m) {
  std::for_each(in.begin(), in.end(), [&](auto &x) {
    auto loss = m->forward(x).mean();
    loss.backward();
    kept.push_back(loss); //!
  });
}
""",
    # A class template as functor.
    """template <class T> struct Sink@ {
  std::vector<T> &kept;
  torch::nn::Linear &m;
  void operator()(const T &x) {
    auto loss = m->forward(x).mean();
    loss.backward();
    kept.push_back(loss); //!
  }
};
void functor@(std::vector<torch::Tensor> &in, std::vector<torch::Tensor> &kept, torch::nn::Linear &m) {
  std::for_each(in.begin(), in.end(), Sink@<torch::Tensor>{kept, m});
}
""",
    # Through std::apply and a pack.
    """void applied@(std::tuple<torch::Tensor, torch::Tensor> pair, std::vector<torch::Tensor> &kept,
               torch::nn::Linear &m) {
  for (int i = 0; i < 9; ++i)
    std::apply([&](auto... x) { (kept.push_back(m->forward(x).mean()), ...); }, pair);
}
""",
    # Through std::function.
    """std::function<void(torch::Tensor)> stored@(std::vector<torch::Tensor> &kept, torch::nn::Linear &m) {
  return [&](auto x) {
    for (int i = 0; i < 9; ++i) {
      auto loss = m->forward(x).mean();
      loss.backward();
      kept.push_back(loss);
    }
  };
}
""",
    # A visitor.
    """struct Visitor@ {
  std::vector<torch::Tensor> &kept;
  torch::nn::Linear &m;
  template <class T> void operator()(const T &x) const {
    for (int i = 0; i < 9; ++i) {
      auto loss = m->forward(torch::Tensor(x)).mean();
      loss.backward();
      kept.push_back(loss);
    }
  }
};
void visited@(std::variant<torch::Tensor> v, std::vector<torch::Tensor> &kept, torch::nn::Linear &m) {
  std::visit(Visitor@{kept, m}, v);
}
""",
    # A module template, made by a header.
    """template <int N> struct Block@Impl : torch::nn::Module {
  torch::nn::Linear in{nullptr};
  std::vector<torch::Tensor> seen;
  Block@Impl() { in = register_module("in", torch::nn::Linear(N, N)); }
  torch::Tensor forward(torch::Tensor x) {
    auto y = in->forward(x);
    seen.push_back(y);
    return y;
  }
};
torch::Tensor made@(torch::Tensor x) {
  auto block = std::make_shared<Block@Impl<3>>();
  return block->forward(x);
}
""",
    # Members that only an owner's destructor or emplace needs.
    """template <class T> struct Guarded@ {
  torch::NoGradGuard guard;
  T value;
  explicit Guarded@(T v) : value(v) {}
  ~Guarded@() { value.reset(); }
};
void owned@(torch::nn::Linear &m, torch::Tensor x) {
  std::optional<Guarded@<torch::Tensor>> held;
  held.emplace(x);
  auto pointer = std::make_unique<Guarded@<torch::Tensor>>(x);
  auto y = m->forward(x);
  (void)y;
}
""",
    # A specialisation for an own template, found by a header.
    """template <class T> struct Key@ {
  T id;
  bool operator==(const Key@ &o) const { return id == o.id; }
};
namespace std {
template <class T> struct hash<Key@<T>> {
  size_t operator()(const Key@<T> &k) const { return static_cast<size_t>(k.id); }
};
}
void hashed@(std::unordered_map<Key@<int>, torch::Tensor> &kept, torch::nn::Linear &m, torch::Tensor x) {
  for (int i = 0; i < 9; ++i) {
    auto loss = m->forward(x).mean();
    loss.backward();
    kept[Key@<int>{i}] = loss;
  }
}
""",
    # Found by the namespace of an argument.
    """namespace own@ {
template <class T> struct Item {
  T x;
  std::vector<T> *kept;
  torch::nn::Linear *m;
};
template <class T> bool operator<(const Item<T> &a, const Item<T> &b) {
  for (int i = 0; i < 9; ++i) {
    auto loss = (*a.m)->forward(a.x).mean();
    loss.backward();
    a.kept->push_back(loss);
  }
  return a.x.dim() < b.x.dim();
}
template <class T> void swap(Item<T> &a, Item<T> &b) {
  Item<T> c = a;
  a = b;
  b = c;
}
}
void sorted@(std::vector<own@::Item<torch::Tensor>> &items) { std::sort(items.begin(), items.end()); }
""",
    # In another thread, which no guard reaches.
    """void threads@(torch::nn::Linear &m, torch::Tensor x, std::vector<torch::Tensor> &kept) {
  std::thread worker([&](auto y) {
    for (int i = 0; i < 9; ++i) {
      auto loss = m->forward(y).mean();
      loss.backward();
      kept.push_back(loss); //!
    }
  }, x);
  worker.join();
}
""",
    # A deduced result from a generic lambda.
    """auto curried@(torch::nn::Linear &m) {
  return [&m](auto x) { return [&m, x](auto y) { return m->forward(x + y).mean(); }; };
}
void curry@(torch::nn::Linear &m, torch::Tensor x, std::vector<torch::Tensor> &kept) {
  for (int i = 0; i < 9; ++i) {
    auto loss = curried@(m)(x)(x);
    loss.backward();
    kept.push_back(loss); //!
  }
}
""",
    # A class that only a container makes complete.
    """template <class T> struct Entry@ {
  torch::Tensor value;
  Entry@(torch::nn::Linear &m, torch::Tensor x, std::vector<torch::Tensor> &kept) : value(x) {
    for (int i = 0; i < 9; ++i) {
      auto loss = m->forward(x).mean();
      loss.backward();
      kept.push_back(loss);
    }
  }
};
void entries@(std::vector<Entry@<float>> &all, torch::nn::Linear &m, torch::Tensor x,
               std::vector<torch::Tensor> &kept) {
  all.emplace_back(m, x, kept);
}
""",
    # A class in a class template, made by a header.
    """template <class T> struct Trainer@ {
  struct Step {
    T &m;
    void run(torch::Tensor x, std::vector<torch::Tensor> &kept) {
      for (int i = 0; i < 9; ++i) {
        auto loss = m->forward(x).mean();
        loss.backward();
        kept.push_back(loss);
      }
    }
  };
};
void steps@(std::vector<std::shared_ptr<Trainer@<torch::nn::Linear>::Step>> &all, torch::Tensor x,
            std::vector<torch::Tensor> &kept) {
  for (auto &step : all)
    step->run(x, kept);
}
""",
    # An initialiser that only the constructor called by a header needs.
    """template <int N> struct Late@ {
  std::vector<torch::Tensor> seen;
  torch::nn::Linear m{N, N};
  std::function<void(torch::Tensor)> step = [this](torch::Tensor x) {
    for (int i = 0; i < 9; ++i) {
      auto loss = m->forward(x).mean();
      loss.backward();
      seen.push_back(loss);
    }
  };
};
void late@(torch::Tensor x) {
  auto made = std::make_shared<Late@<3>>();
  made->step(x);
}
""",
    # Nothing unusual.
    """void plain@(torch::nn::Linear &m, torch::Tensor x, std::vector<torch::Tensor> &kept) {
  for (int i = 0; i < 9; ++i) {
    auto loss = m->forward(x).mean();
    loss.backward();
    kept.push_back(loss); //!
  }
}
""",
]


def program(prologue, shapes, seed=0):
    """Source of one file; shapes are indices into SHAPES."""
    text = PROLOGUES[prologue] + STANDARD
    return text + "".join(SHAPES[s].replace("@", f"{seed}_{n}") for n, s in enumerate(shapes))


def project(count, seed=1):
    """`count` files: name -> source, the same ones for the same seed."""
    dice = random.Random(seed)
    files = {}
    for n in range(count):
        # Every third file has nothing that headers instantiate.
        shapes = dice.sample(range(len(SHAPES)), dice.randint(1, 3)) if n % 3 else [len(SHAPES) - 1]
        files[f"file{n:02}.cpp"] = program(dice.randrange(len(PROLOGUES)), shapes, n)
    return files


def marked(text):
    return {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("//!")}


def linked(count):
    """Name -> text: `count` files and a header, where each finding needs another file."""
    header = ["#pragma once", "#include <torch/torch.h>", "#include <vector>", "struct Batch { torch::Tensor x, y; };",
              "struct Net : torch::nn::Module {", "  torch::Tensor forward(torch::Tensor x) { return l->forward(x); }",
              "  torch::nn::Linear l{nullptr};", "};"]
    files = {}
    for n in range(count):
        header += [f"float score_{n}(Net &net, const std::vector<Batch> &data);",
                   f"void keep_{n}(std::vector<torch::Tensor> &kept, torch::Tensor loss);"]
        other = (n + 1) % count
        files[f"linked_{n}.cpp"] = f"""#include "linked.h"
float score_{n}(Net &net, const std::vector<Batch> &data) {{
  float best = 0;
  for (const auto &b : data)
    best += net.forward(b.x).max().item<float>(); //!
  return best;
}}
void keep_{n}(std::vector<torch::Tensor> &kept, torch::Tensor loss) {{
  kept.push_back(loss); //!
}}
static std::vector<torch::Tensor> train(Net &net, torch::optim::Optimizer &optimizer, const std::vector<Batch> &data) {{
  std::vector<torch::Tensor> kept;
  for (const auto &b : data) {{
    optimizer.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    optimizer.step();
    keep_{other}(kept, loss);
  }}
  return kept;
}}
float run_{n}(const std::vector<Batch> &data) {{
  Net net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  return float(train(net, optimizer, data).size()) + score_{other}(net, data);
}}
"""
    return {"linked.h": "\n".join(header) + "\n", **files}
