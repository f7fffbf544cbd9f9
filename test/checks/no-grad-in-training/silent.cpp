// RUN: %check %s torch-no-grad-in-training
//
// Grad mode is off, and rightly so.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

void ok_enabled_inside(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  torch::AutoGradMode enable(true);
  torch::mse_loss(net.forward(x), y).backward();
}

void ok_set_enabled_inside(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  torch::GradMode::set_enabled(true);
  torch::mse_loss(net.forward(x), y).backward();
}

void ok_inference_mode_ended(Net &net, Tensor x, Tensor y) {
  c10::InferenceMode mode;
  c10::InferenceMode off(false);
  torch::mse_loss(net.forward(x), y).backward();
}

// The graph was made before; backward itself needs no grad mode.
void ok_backward_under_guard(Net &net, Tensor x, Tensor y) {
  auto loss = torch::mse_loss(net.forward(x), y);
  torch::NoGradGuard guard;
  loss.backward();
}

void ok_update_by_hand(Net &net, const Batches &data, double rate) {
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    torch::NoGradGuard guard;
    for (auto &p : net.parameters()) {
      p -= rate * p.grad();
      p.grad().zero_();
    }
  }
}

void ok_weight_by_hand(Tensor x, Tensor y) {
  auto w = torch::randn({3}, torch::requires_grad());
  for (int i = 0; i < 10; ++i) {
    auto loss = ((x * w) - y).pow(2).mean();
    loss.backward();
    torch::GradMode::set_enabled(false);
    w -= 0.1 * w.grad();
    w.grad().zero_();
    torch::GradMode::set_enabled(true);
  }
}

void ok_targets(Net &net, Net &target, const Batches &data) {
  for (auto &b : data) {
    Tensor expected;
    {
      torch::NoGradGuard guard;
      expected = b.y + 0.9 * target.forward(b.x);
    }
    auto loss = torch::mse_loss(net.forward(b.x), expected);
    loss.backward();
  }
}

void ok_targets_by_mode(Net &net, Net &target, const Batches &data) {
  for (auto &b : data) {
    torch::GradMode::set_enabled(false);
    auto expected = target.forward(b.x);
    torch::GradMode::set_enabled(true);
    torch::mse_loss(net.forward(b.x), expected).backward();
  }
}

void ok_saved(Net &net, Tensor x, Tensor y) {
  const bool before = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  auto score = net.forward(x).max().item<float>();
  torch::GradMode::set_enabled(before);
  auto loss = torch::mse_loss(net.forward(x), y) * score;
  loss.backward();
}

double ok_restored_if_it_was_on(Net &net, Tensor x) {
  const bool before = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  auto score = net.forward(x).max().item<double>();
  if (before)
    torch::GradMode::set_enabled(true);
  return score;
}

void ok_uses_it(Net &net, const Batches &data) {
  for (auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    ok_restored_if_it_was_on(net, b.x);
  }
}

// One function for both: what it does depends on a flag.
static double epoch(Net &net, const Batches &data, bool train) {
  double sum = 0;
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (train)
      loss.backward();
    sum += loss.item<double>();
  }
  return sum;
}

void ok_phase_by_flag(Net &net, const Batches &data) {
  epoch(net, data, true);
  torch::NoGradGuard guard;
  epoch(net, data, false);
}

static double epoch_by_mode(Net &net, const Batches &data) {
  double sum = 0;
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (!net.is_training()) {
      sum += loss.item<double>();
      continue;
    }
    loss.backward();
  }
  return sum;
}

void ok_phase_by_mode(Net &net, const Batches &data) {
  epoch_by_mode(net, data);
  net.eval();
  torch::NoGradGuard guard;
  epoch_by_mode(net, data);
}

void ok_flags_exclude(Net &net, const Batches &data, bool train) {
  for (auto &b : data) {
    if (!train)
      torch::GradMode::set_enabled(false);
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (train)
      loss.backward();
    if (!train)
      torch::GradMode::set_enabled(true);
  }
}

void ok_mode_of_flag(Net &net, const Batches &data, bool train) {
  torch::AutoGradMode mode(train);
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (train)
      loss.backward();
  }
}

void ok_optional_guard(Net &net, Tensor x, Tensor y, bool train) {
  std::optional<torch::NoGradGuard> guard;
  if (!train)
    guard.emplace();
  auto loss = torch::mse_loss(net.forward(x), y);
  if (train)
    loss.backward();
}

void ok_asks(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  auto loss = torch::mse_loss(net.forward(x), y);
  if (loss.requires_grad())
    loss.backward();
}

static void step_if_possible(Net &net, const Batch &b) {
  auto loss = torch::mse_loss(net.forward(b.x), b.y);
  if (torch::GradMode::is_enabled())
    loss.backward();
}

void ok_asks_in_callee(Net &net, const Batch &b) {
  torch::NoGradGuard guard;
  step_if_possible(net, b);
}

bool ok_expects_the_exception(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  auto loss = torch::mse_loss(net.forward(x), y);
  try {
    loss.backward();
  } catch (const std::exception &) {
    return true;
  }
  return false;
}

void ok_leaf_made_of_it(Net &net, Net &head, Tensor x, Tensor y) {
  Tensor features;
  {
    torch::NoGradGuard guard;
    features = net.forward(x);
  }
  features.requires_grad_();
  torch::mse_loss(features, y).backward();
}

void ok_head_on_frozen_features(Net &net, Net &head, Tensor x, Tensor y) {
  Tensor features;
  {
    torch::NoGradGuard guard;
    features = net.forward(x);
  }
  torch::mse_loss(head.forward(features), y).backward();
}

void prepare(Tensor &t); // elsewhere

void ok_unknown_callee(Net &net, Tensor x) {
  torch::NoGradGuard guard;
  auto features = net.forward(x);
  prepare(features);
  features.sum().backward();
}

void restore(bool before); // elsewhere

void ok_restored_elsewhere(Net &net, const Batches &data) {
  for (auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    const bool before = torch::GradMode::is_enabled();
    torch::GradMode::set_enabled(false);
    net.forward(b.x);
    restore(before);
  }
}

void ok_threads_do_not_inherit(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  std::thread worker([&] { torch::mse_loss(net.forward(x), y).backward(); });
  worker.join();
}

// The optimizer turns grad mode on for its closure.
void ok_closure(Net &net, torch::optim::LBFGS &opt, Tensor x, Tensor y) {
  torch::NoGradGuard guard;
  opt.step([&] {
    auto loss = torch::mse_loss(net.forward(x), y);
    loss.backward();
    return loss;
  });
}

// Forces: the module turns grad mode on itself.
struct Energy : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Tensor forward(Tensor x) {
    torch::AutoGradMode enable(true);
    return l->forward(x).sum();
  }
};

void ok_module_enables(Energy &energy, Tensor x) {
  torch::NoGradGuard guard;
  energy.forward(x).backward();
}

static Tensor energy_of(Net &net, Tensor x) {
  torch::AutoGradMode enable(true);
  return net.forward(x).sum();
}

Tensor ok_function_enables(Net &net, Tensor x) {
  torch::NoGradGuard guard;
  auto energy = energy_of(net, x);
  return torch::autograd::grad({energy}, {x})[0];
}

void ok_double_backward(Net &net, Tensor x, Tensor y) {
  auto loss = torch::mse_loss(net.forward(x), y);
  auto grads = torch::autograd::grad({loss}, {x}, {}, true, true);
  (loss + grads[0].norm()).backward();
  torch::NoGradGuard guard;
  auto norm = grads[0].norm().item<float>();
  (void)norm;
}

// Each iteration's guard ends before the next one.
void ok_guard_at_the_end(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data) {
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    torch::NoGradGuard guard;
    net.forward(b.x);
  }
}

class GradOff {
  bool before = torch::GradMode::is_enabled();

public:
  GradOff() { torch::GradMode::set_enabled(false); }
  ~GradOff() { torch::GradMode::set_enabled(before); }
};

void ok_guard_by_hand(Net &net, const Batches &data) {
  for (auto &b : data) {
    {
      GradOff off;
      net.forward(b.x);
    }
    torch::mse_loss(net.forward(b.x), b.y).backward();
  }
}

// Turned on and off as phases come and go.
class Phases {
  std::optional<torch::NoGradGuard> guard;
  Net &net;

public:
  explicit Phases(Net &net) : net(net) {}
  void evaluate() { guard.emplace(); }
  void train() { guard.reset(); }
  void step(const Batch &b) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
  }
};

void ok_phases(Net &net, const Batches &data) {
  Phases phases(net);
  phases.train();
  for (auto &b : data)
    phases.step(b);
}

class Switch {
  bool before = true;

public:
  void off() {
    before = torch::GradMode::is_enabled();
    torch::GradMode::set_enabled(false);
  }
  void back() { torch::GradMode::set_enabled(before); }
};

void ok_pair_of_methods(Net &net, const Batches &data) {
  Switch grad;
  for (auto &b : data) {
    grad.off();
    net.forward(b.x);
    grad.back();
    torch::mse_loss(net.forward(b.x), b.y).backward();
  }
}

// Training is over when it is turned off.
int ok_for_good(Net &net, const Batches &data) {
  for (auto &b : data)
    torch::mse_loss(net.forward(b.x), b.y).backward();
  torch::GradMode::set_enabled(false);
  int right = 0;
  for (auto &b : data)
    right += net.forward(b.x).argmax().item<int>();
  return right;
}

void ok_turned_on_at_the_head(Net &net, const Batches &data) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    torch::GradMode::set_enabled(true);
    for (auto &b : data)
      torch::mse_loss(net.forward(b.x), b.y).backward();
    torch::GradMode::set_enabled(false);
    for (auto &b : data)
      net.forward(b.x);
  }
}

struct Finally {
  std::function<void()> run;
  ~Finally() { run(); }
};

double ok_restored_at_scope_end(Net &net, Tensor x) {
  torch::GradMode::set_enabled(false);
  Finally restore{[] { torch::GradMode::set_enabled(true); }};
  if (!x.defined())
    return 0;
  return net.forward(x).max().item<double>();
}

void ok_uses_scope_end(Net &net, const Batches &data) {
  for (auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    ok_restored_at_scope_end(net, b.x);
  }
}

double ok_every_way_restores(Net &net, Tensor x) {
  torch::GradMode::set_enabled(false);
  if (!x.defined()) {
    torch::GradMode::set_enabled(true);
    return 0;
  }
  double best = net.forward(x).max().item<double>();
  torch::GradMode::set_enabled(true);
  return best;
}

void ok_switch(Net &net, const Batches &data, int phase) {
  for (auto &b : data) {
    switch (phase) {
    case 1:
      torch::GradMode::set_enabled(false);
      break;
    default:
      torch::GradMode::set_enabled(true);
    }
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    switch (phase) {
    case 0:
      loss.backward();
      break;
    default:
      break;
    }
  }
}

double ok_one_or_the_other(Net &net, Tensor x, bool train) {
  if (!train)
    torch::GradMode::set_enabled(false);
  else
    torch::GradMode::set_enabled(true);
  if (!x.defined())
    return 0;
  return net.forward(x).max().item<double>();
}

void evaluate(Net &net, Tensor x);

void ok_exception(Net &net, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    try {
      torch::NoGradGuard guard; // gone before the handler
      evaluate(net, b.x);
    } catch (const std::exception &) {
    }
    try {
      torch::GradMode::set_enabled(false);
      evaluate(net, b.x);
      torch::GradMode::set_enabled(true);
    } catch (const std::exception &) {
      torch::GradMode::set_enabled(true);
    }
  }
}

// What runs under the guard is another callback, another overrider.
static void each(const std::function<void(const Batch &)> &run,
                 const Batches &data) {
  for (auto &b : data)
    run(b);
}

void ok_other_callback(Net &net, const Batches &data) {
  each(
      [&](const Batch &b) {
        torch::mse_loss(net.forward(b.x), b.y).backward();
      },
      data);
  torch::NoGradGuard guard;
  each([&](const Batch &b) { net.forward(b.x); }, data);
}

struct Task {
  virtual ~Task() = default;
  virtual void step(Net &net, const Batch &b) = 0;
};
struct TrainTask : Task {
  void step(Net &net, const Batch &b) override {
    torch::mse_loss(net.forward(b.x), b.y).backward();
  }
};
struct TestTask : Task {
  void step(Net &net, const Batch &b) override { net.forward(b.x); }
};

static void all(Task &task, Net &net, const Batches &data) {
  for (auto &b : data)
    task.step(net, b);
}

void ok_other_overrider(Net &net, const Batches &data) {
  TrainTask train;
  all(train, net, data);
  TestTask test;
  torch::NoGradGuard guard;
  all(test, net, data);
}

// Rollouts under a guard, learning from them without.
struct Agent {
  Net actor, critic;
  std::vector<Tensor> states, values;
  void act(Tensor state) {
    torch::NoGradGuard guard;
    values.push_back(critic.forward(state));
    states.push_back(state);
  }
  void learn() {
    auto s = torch::stack(states), v = torch::stack(values);
    auto loss = torch::mse_loss(critic.forward(s), v);
    loss.backward();
    states.clear();
    values.clear();
  }
};

void ok_rollouts(Agent &agent, Tensor state) {
  for (int i = 0; i < 10; ++i) {
    agent.act(state);
    agent.learn();
  }
}

void ok_adversarial(Net &net, const Batches &data) {
  for (auto &b : data) {
    auto x = b.x.clone().requires_grad_();
    torch::mse_loss(net.forward(x), b.y).backward();
    Tensor moved;
    {
      torch::NoGradGuard guard;
      moved = x + 0.1 * x.grad().sign();
    }
    torch::mse_loss(net.forward(moved), b.y).backward();
  }
}

void ok_running_mean(Net &net, const Batches &data) {
  Tensor running = torch::zeros({});
  for (auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    {
      torch::NoGradGuard guard;
      running = running * 0.9 + loss * 0.1;
    }
    loss.backward();
  }
}

void ok_plain_tensors(Tensor x) {
  torch::NoGradGuard guard;
  auto y = (x * 2).requires_grad_();
  y.sum().item<float>();
}
