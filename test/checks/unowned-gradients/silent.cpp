// RUN: %check %s torch-unowned-gradients
//
// Modules that are owned, frozen, detached or looked after, or may be.

#include "../Inputs/net.h"

using torch::optim::Adam;

void touch(Net &net); // might do anything
std::shared_ptr<Net> known_net();

void ok_frozen(const Batches &data) {
  Net net, judge;
  for (auto &p : judge.parameters())
    p.set_requires_grad(false);
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge.forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

static void freeze(torch::nn::Module &module) {
  for (auto &p : module.parameters())
    p.set_requires_grad(false);
}
void ok_frozen_by_a_helper(const Batches &data) {
  Net net, judge;
  freeze(judge);
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge.forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

void ok_detached(const Batches &data) {
  Net student, teacher;
  Adam opt(student.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    auto target = teacher.forward(b.x).detach();
    torch::mse_loss(student.forward(b.x), target).backward();
    opt.step();
  }
}

void ok_guarded(const Batches &data) {
  Net student, teacher;
  Adam opt(student.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor target;
    {
      torch::NoGradGuard guard;
      target = teacher.forward(b.x);
    }
    torch::mse_loss(student.forward(b.x), target).backward();
    opt.step();
  }
}

void ok_generative(const Batches &data) {
  Net gen, disc;
  Adam opt_g(gen.parameters(), 1e-3), opt_d(disc.parameters(), 1e-3);
  for (const auto &b : data) {
    auto fake = gen.forward(b.x);
    opt_d.zero_grad();
    (disc.forward(fake.detach()).mean() - disc.forward(b.y).mean()).backward();
    opt_d.step();
    opt_g.zero_grad();
    (-disc.forward(fake).mean()).backward();
    opt_g.step();
  }
}

// The discriminator's optimizer is in another function.
void ok_generator_step(Net &gen, Net &disc, Tensor z) {
  Adam opt(gen.parameters(), 1e-3);
  (-disc.forward(gen.forward(z)).mean()).backward();
  opt.step();
}

void ok_both_in_one(const Batches &data) {
  Net a, b;
  std::vector<Tensor> all = a.parameters();
  for (auto &p : b.parameters())
    all.push_back(p);
  Adam opt(all, 1e-3);
  for (const auto &x : data) {
    opt.zero_grad();
    torch::mse_loss(b.forward(a.forward(x.x)), x.y).backward();
    opt.step();
  }
}

void ok_gradients_are_read(const Batches &data) {
  Net net, probe;
  Adam opt(net.parameters(), 1e-3);
  double norm = 0;
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(probe.forward(net.forward(b.x)), b.y).backward();
    norm += probe.l->weight.grad().norm().item<double>();
    opt.step();
  }
}

void ok_stepped_by_hand(const Batches &data) {
  Net net, other;
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(other.forward(net.forward(b.x)), b.y).backward();
    opt.step();
    torch::NoGradGuard guard;
    for (auto &p : other.parameters()) {
      p.sub_(p.grad() * 0.1);
      p.grad().zero_();
    }
  }
}

void ok_zeroed(const Batches &data) {
  Net net, judge;
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    judge.zero_grad();
    torch::mse_loss(judge.forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

void ok_handed_on(const Batches &data) {
  Net net, judge;
  touch(judge);
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge.forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

void ok_another_may_own_it(const Batches &data) {
  Net net;
  auto judge = known_net();
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge->forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

void ok_a_part_is_owned(const Batches &data) {
  Net net, judge;
  Adam opt(net.parameters(), 1e-3), tune(judge.l->parameters(), 1e-4);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge.forward(net.forward(b.x)), b.y).backward();
    opt.step();
    tune.step();
  }
}

struct Both : torch::nn::Module {
  Both(std::shared_ptr<Net> first) : a(register_module("a", first)) {}
  std::shared_ptr<Net> a;
};
void ok_part_of_another(const Batches &data) {
  Net net;
  auto judge = std::make_shared<Net>();
  Both both(judge);
  Adam opt(both.parameters(), 1e-3), other(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(judge->forward(net.forward(b.x)), b.y).backward();
    opt.step();
    other.step();
  }
}

// No parameters, so no gradients.
struct Scale : torch::nn::Module {
  Tensor forward(Tensor x) { return x * 2; }
};
void ok_no_parameters(const Batches &data) {
  Net net;
  Scale scale;
  torch::nn::ReLU relu;
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(relu->forward(scale.forward(net.forward(b.x))), b.y)
        .backward();
    opt.step();
  }
}

// It freezes itself.
struct Backbone : torch::nn::Module {
  Backbone() {
    l = register_module("l", torch::nn::Linear(8, 8));
    for (auto &p : parameters())
      p.set_requires_grad(false);
  }
  Tensor forward(Tensor x) { return l->forward(x); }
  torch::nn::Linear l{nullptr};
};
void ok_freezes_itself(const Batches &data) {
  Net net;
  Backbone backbone;
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(backbone.forward(net.forward(b.x)), b.y).backward();
    opt.step();
  }
}

// Gradients of its parameters are not asked for.
void ok_only_the_input(const Batches &data) {
  Net net, judge;
  Adam opt(net.parameters(), 1e-3);
  for (const auto &b : data) {
    auto x = b.x.clone().requires_grad_(true);
    auto g = torch::autograd::grad({judge.forward(x).sum()}, {x})[0];
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), g).backward();
    opt.step();
  }
}

// Nothing steps here: who calls does.
void ok_no_step(Net &a, Net &b, const Batches &data) {
  for (const auto &x : data)
    torch::mse_loss(b.forward(a.forward(x.x)), x.y).backward();
}

class Agent {
public:
  Agent(std::shared_ptr<Net> actor, std::shared_ptr<Net> critic)
      : actor(actor), critic(critic), opt(actor->parameters(), 1e-3) {}
  void ok_member_from_elsewhere(const Batches &data) {
    for (const auto &b : data) {
      opt.zero_grad();
      (-critic->forward(actor->forward(b.x)).mean()).backward();
      opt.step();
    }
  }

private:
  std::shared_ptr<Net> actor, critic;
  Adam opt;
};

class Owner {
public:
  Owner() { second = std::make_unique<Adam>(critic.parameters(), 1e-3); }
  void ok_owned_in_the_constructor(const Batches &data) {
    for (const auto &b : data) {
      first.zero_grad();
      second->zero_grad();
      (-critic.forward(actor.forward(b.x)).mean()).backward();
      first.step();
      second->step();
    }
  }

private:
  Net actor, critic;
  Adam first{actor.parameters(), 1e-3};
  std::unique_ptr<Adam> second;
};

class Unseen {
public:
  void setup(); // might make an optimizer
  void ok_methods_elsewhere(const Batches &data) {
    for (const auto &b : data) {
      opt.zero_grad();
      (-critic.forward(actor.forward(b.x)).mean()).backward();
      opt.step();
    }
  }

private:
  Net actor, critic;
  Adam opt{actor.parameters(), 1e-3};
};

// A target network that follows by hand.
void ok_target(const Batches &data) {
  Net online, target;
  Adam opt(online.parameters(), 1e-3);
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(online.forward(b.x), target.forward(b.x)).backward();
    opt.step();
    torch::NoGradGuard guard;
    auto from = online.parameters(), to = target.parameters();
    for (size_t i = 0; i < to.size(); ++i)
      to[i].mul_(0.99).add_(from[i] * 0.01);
  }
}
