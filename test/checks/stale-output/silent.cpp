// RUN: %check %s torch-stale-output
//
// Values that are needed, graphs that are gone or that something else keeps.

#include "../Inputs/net.h"

#include <torch/script.h>

#include <utility>

void show(const Tensor &); // might run backward

static void look(const Tensor &) {}

Tensor ok_used_after_the_loop(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
  }
  return out;
}

double ok_number_after_the_loop(Net &net, const Batches &data) {
  Tensor loss;
  for (const auto &b : data)
    loss = torch::mse_loss(net.forward(b.x), b.y);
  return loss.item<double>();
}

void ok_used_in_the_outer_loop(Net &net, const Batches &data) {
  Tensor out;
  for (int epoch = 0; epoch < 9; ++epoch) {
    if (out.defined())
      look(out);
    for (const auto &b : data)
      out = net.forward(b.x);
  }
}

void ok_declared_inside(Net &net, const Batches &data) {
  for (const auto &b : data) {
    Tensor out;
    out = net.forward(b.x);
    look(out);
  }
}

void ok_reset_first(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out.reset();
    out = net.forward(b.x);
    look(out);
  }
}

void ok_emptied_at_the_end(Net &net, const Batches &data) {
  Tensor out, other;
  for (const auto &b : data) {
    out = net.forward(b.x);
    other = net.forward(b.x);
    look(out + other);
    out = Tensor();
    other = Tensor();
  }
}

void ok_emptied_if_there_is_one(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    if (out.defined())
      out.reset();
    out = net.forward(b.x);
    look(out);
  }
}

void ok_emptied_at_the_end_if_there_is_one(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
    if (out.defined())
      out.reset();
  }
}

void ok_begins_with_data(Net &net, Net &second, const Batches &data) {
  Tensor x;
  for (const auto &b : data) {
    x = b.x;
    x = net.forward(x);
    x = second.forward(x);
    look(x);
  }
}

void ok_detached(Net &net, const Batches &data) {
  Tensor out, again, copy;
  for (const auto &b : data) {
    out = net.forward(b.x).detach();
    again = net.forward(b.x);
    again.detach_();
    copy = net.forward(b.x);
    copy = copy.detach();
    look(out + again + copy);
  }
}

int ok_no_history(Net &net, const Batches &data) {
  int hits = 0;
  Tensor best;
  for (const auto &b : data) {
    best = net.forward(b.x).argmax(1);
    hits += best.eq(b.y).sum().item<int>();
  }
  return hits;
}

void ok_guarded(Net &net, const Batches &data) {
  torch::NoGradGuard guard;
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
  }
}

static void evaluate(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
  }
}
void ok_guarded_by_the_caller(Net &net, const Batches &data) {
  c10::InferenceMode guard;
  evaluate(net, data);
}

void ok_frozen(Net &net, const Batches &data) {
  for (auto &p : net.parameters())
    p.set_requires_grad(false);
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
  }
}

// After backward only the tensor itself is left.
void ok_backward(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  Tensor out, loss;
  for (const auto &b : data) {
    opt.zero_grad();
    out = net.forward(b.x);
    loss = torch::mse_loss(out, b.y);
    loss.backward();
    opt.step();
  }
}

void ok_backward_sometimes(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data, bool train) {
  Tensor loss;
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    if (train) {
      loss.backward();
      opt.step();
      opt.zero_grad();
    }
  }
}

static void learn(torch::optim::Optimizer &opt, const Tensor &loss) {
  opt.zero_grad();
  loss.backward();
  opt.step();
}
void ok_backward_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor loss;
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    learn(opt, loss);
  }
}

void ok_forces(Net &net, const Batches &data) {
  Tensor energy;
  for (const auto &b : data) {
    auto x = b.x.clone().requires_grad_(true);
    energy = net.forward(x).sum();
    look(torch::autograd::grad({energy}, {x})[0]);
  }
}

void ok_unseen(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    show(out);
  }
}

// The old value is needed.
double ok_compared_with_the_last(Net &net, const Batches &data) {
  double change = 0;
  Tensor last;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    if (last.defined())
      change += (out - last).abs().sum().item<double>();
    last = out;
  }
  return change;
}

void ok_goes_round(Net &net, Tensor x) {
  Tensor y = x;
  for (int i = 0; i < 10; ++i) {
    y = net.forward(y);
    look(y);
  }
}

void ok_in_the_condition(Net &net, const Batch &b) {
  Tensor loss = torch::ones({});
  while (loss.item<double>() > 0.1)
    loss = torch::mse_loss(net.forward(b.x), b.y);
}

void ok_the_best(Net &net, const Batches &data) {
  double least = 1e9;
  Tensor best;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    const double error = torch::mse_loss(out, b.y).item<double>();
    if (error < least) {
      least = error;
      best = out;
    }
    if (best.defined())
      look(best);
  }
}

// Something else keeps the graphs anyway.
void ok_stored(Net &net, const Batches &data) {
  std::vector<Tensor> all;
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    all.push_back(out);
  }
  look(all.back());
}

void ok_summed(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  Tensor total = torch::zeros({}), loss;
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    total = total + loss;
  }
  total.backward();
  opt.step();
}

void ok_summed_for_nothing(Net &net, const Batches &data) {
  Tensor total = torch::zeros({}), loss;
  for (const auto &b : data) {
    loss = torch::mse_loss(net.forward(b.x), b.y);
    total += loss;
  }
  look(total);
}

Tensor ok_another_is_used(Net &net, const Batches &data) {
  Tensor out, last;
  for (const auto &b : data) {
    out = net.forward(b.x);
    last = out;
  }
  return last;
}

static void keep(std::vector<Tensor> &all, const Tensor &out) {
  all.push_back(out);
}
void ok_stored_by_a_helper(Net &net, const Batches &data) {
  std::vector<Tensor> all;
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    keep(all, out);
  }
}

struct Session {
  Net net;
  Tensor last;
  void ok_member(const Batches &data) {
    for (const auto &b : data)
      last = net.forward(b.x);
  }
  void ok_member_as_well(const Batches &data) {
    Tensor out;
    for (const auto &b : data) {
      out = net.forward(b.x);
      last = out;
    }
  }
};

void ok_parameter(Net &net, const Batches &data, Tensor &out) {
  for (const auto &b : data)
    out = net.forward(b.x);
}

void ok_static(Net &net, const Batches &data) {
  static Tensor out;
  for (const auto &b : data)
    out = net.forward(b.x);
}

void ok_reference(Net &net, Session &s, const Batches &data) {
  Tensor &out = s.last;
  for (const auto &b : data)
    out = net.forward(b.x);
}

// Someone else may let go of it.
void ok_moved(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    Tensor mine = std::move(out);
    look(mine);
  }
}

void ok_exchanged(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(std::exchange(out, Tensor()));
  }
}

void ok_swapped(Net &net, const Batches &data) {
  Tensor out, other;
  for (const auto &b : data) {
    out = net.forward(b.x);
    std::swap(out, other);
    other.reset();
  }
}

static void finish(Tensor &t) {
  look(t);
  t = Tensor();
}
void ok_emptied_by_a_helper(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    finish(out);
  }
}

void ok_captured(Net &net, const Batches &data) {
  Tensor out;
  auto end = [&] { out.reset(); };
  for (const auto &b : data) {
    out = net.forward(b.x);
    end();
  }
}

void ok_pointed_at(Net &net, const Batches &data) {
  Tensor out;
  Tensor *p = &out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(*p);
    p->reset();
  }
}

void ok_once(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    look(out);
    break;
  }
  for (int i = 0; i < 1; ++i) {
    out = net.forward(data[0].x);
  }
}

// Every other round lets go of it.
void ok_in_turns(Net &net, const Batches &data) {
  Tensor out;
  int i = 0;
  for (const auto &b : data) {
    if (++i % 2) {
      out = net.forward(b.x);
      look(out);
    } else {
      out.reset();
    }
  }
}

struct Recurrent : torch::nn::Module {
  Recurrent() { l = register_module("l", torch::nn::Linear(64, 64)); }
  std::tuple<Tensor, Tensor> forward(Tensor x, Tensor h) {
    auto next = torch::tanh(l->forward(x + h));
    return std::make_tuple(next.sum(), next);
  }
  torch::nn::Linear l{nullptr};
};
// The state has its history.
double ok_state_has_it(Recurrent &net, const Batches &data) {
  double sum = 0;
  Tensor out, h = torch::zeros({64});
  for (const auto &b : data) {
    std::tie(out, h) = net.forward(b.x, h);
    sum += out.item<double>();
  }
  return sum;
}

void ok_layers(std::vector<torch::nn::Linear> &layers, Tensor x) {
  Tensor out = x;
  for (auto &layer : layers)
    out = layer->forward(out);
  look(out);
}
