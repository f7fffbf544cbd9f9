// RUN: %check %s torch-unnamed-guard
//
// Guards that live, and what is no guard.

#include "../Inputs/net.h"
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

Tensor ok_named(Net &net, Tensor x) {
  torch::NoGradGuard guard;
  return net.forward(x);
}

Tensor ok_braces(Net &net, Tensor x) {
  torch::NoGradGuard guard{};
  torch::InferenceMode mode{true};
  torch::AutoGradMode grad(false);
  return net.forward(x);
}

Tensor ok_copy_initialised(Net &net, Tensor x) {
  auto guard = torch::NoGradGuard();
  torch::AutoGradMode mode = torch::AutoGradMode(false);
  return net.forward(x);
}

Tensor ok_bound_to_reference(Net &net, Tensor x) {
  const auto &guard = torch::NoGradGuard();
  torch::NoGradGuard &&other = torch::NoGradGuard{};
  (void)guard;
  (void)other;
  return net.forward(x);
}

torch::NoGradGuard make_guard();

Tensor ok_from_function(Net &net, Tensor x) {
  auto guard = make_guard();
  return net.forward(x);
}

Tensor ok_handles(Net &net, Tensor x, bool train) {
  auto first = std::make_unique<torch::NoGradGuard>();
  std::shared_ptr<torch::NoGradGuard> second;
  std::optional<torch::NoGradGuard> third;
  if (!train) {
    second = std::make_shared<torch::NoGradGuard>();
    third.emplace();
  }
  second.reset(new torch::NoGradGuard());
  return net.forward(x);
}

struct Session {
  std::unique_ptr<torch::NoGradGuard> guard;
  torch::NoGradGuard own = torch::NoGradGuard();
  Session() : guard(std::make_unique<torch::NoGradGuard>()) {
    guard = std::make_unique<torch::NoGradGuard>();
  }
};

std::unique_ptr<torch::NoGradGuard> ok_returned(bool train) {
  if (train)
    return nullptr;
  return std::make_unique<torch::NoGradGuard>();
}

torch::NoGradGuard ok_returned_by_value() { return torch::NoGradGuard(); }

template <typename Guard> void keep(Guard &&guard, Net &net, Tensor x) {
  net.forward(x);
}

void ok_argument(Net &net, Tensor x) {
  keep(torch::NoGradGuard(), net, x);
  std::vector<std::unique_ptr<torch::NoGradGuard>> guards;
  guards.push_back(std::make_unique<torch::NoGradGuard>());
}

// A temporary lives to the end of the whole expression.
Tensor ok_same_expression(Net &net, Tensor x) {
  Tensor y = (torch::NoGradGuard(), net.forward(x));
  torch::NoGradGuard(), y = net.forward(x);
  torch::NoGradGuard{}, net.train(false), net.forward(x);
  (void)(torch::NoGradGuard(), net.forward(y));
  return torch::NoGradGuard(), net.forward(y);
}

Tensor ok_condition(Net &net, Tensor x) {
  if (torch::NoGradGuard guard; x.defined())
    return net.forward(x);
  for (torch::NoGradGuard guard; x.defined();)
    x = net.forward(x);
  if (torch::NoGradGuard(), net.forward(x).max().item<float>() > 0)
    return x;
  return x;
}

#define SCOPED_NO_GRAD torch::NoGradGuard no_grad_in_this_scope
#define QUIETLY(expression) (torch::NoGradGuard(), expression)
#define CONSTRUCTS(expression)                                                 \
  do {                                                                         \
    expression;                                                                \
  } while (false)

Tensor ok_macros(Net &net, Tensor x) {
  SCOPED_NO_GRAD;
  CONSTRUCTS(torch::NoGradGuard()); // a test of its constructor, say
  return QUIETLY(net.forward(x));
}

template <typename Guard> Tensor ok_template(Net &net, Tensor x) {
  Guard guard;
  return net.forward(x);
}

void use(Net &net, Tensor x) { ok_template<torch::NoGradGuard>(net, x); }

// Parsed as declarations of variables: they have names.
Tensor ok_odd_declarations(Net &net, Tensor x) {
  torch::NoGradGuard(guard);
  return net.forward(x);
}

// Declares a function that is there.
Tensor ok_local_declaration(Net &net, Tensor x) {
  torch::NoGradGuard make_guard();
  auto guard = make_guard();
  return net.forward(x);
}

Tensor ok_extern_declaration(Net &net, Tensor x) {
  extern torch::NoGradGuard elsewhere();
  return net.forward(x);
}

// Works while it is made and does not only live.
class Evaluation {
  torch::NoGradGuard guard;
  Net &net;
  std::vector<Tensor> results;

public:
  Evaluation(Net &net, const Batches &data) : net(net) {
    for (auto &b : data)
      results.push_back(net.forward(b.x));
  }
  void print();
};

void ok_object_with_a_guard(Net &net, const Batches &data) {
  Evaluation(net, data).print();
  Evaluation{net, data};
}

// Guards of other kinds are other tools' business.
void ok_mutex(std::mutex &mutex) { std::lock_guard<std::mutex>{mutex}; }

void ok_unevaluated() {
  static_assert(sizeof(torch::NoGradGuard{}) > 0);
  static_assert(noexcept(torch::InferenceMode(true)) || true);
}

void ok_capture(Net &net, Tensor x) {
  auto run = [guard = std::make_shared<torch::NoGradGuard>(), &net, x] {
    return net.forward(x);
  };
  run();
}

struct Guard {
  explicit Guard(int);
  ~Guard();
};
struct PrivacyMode {
  ~PrivacyMode();
};

void ok_other_types() {
  Guard{1};
  PrivacyMode();
}

void ok_statement_expression(Net &net, Tensor x) {
  auto guard = ({ torch::NoGradGuard(); });
  net.forward(x);
}

// Lets go of a guard.
struct Stack {
  std::unique_ptr<torch::NoGradGuard> pop();
};

void ok_ends_a_guard(Stack &stack, std::unique_ptr<torch::NoGradGuard> guard) {
  stack.pop();
  std::exchange(guard, nullptr);
  std::exchange(guard, std::make_unique<torch::NoGradGuard>());
}

bool ok_words(const char *text) {
  // torch::NoGradGuard();
  return text == std::string("torch::NoGradGuard();");
}
