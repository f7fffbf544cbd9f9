// RUN: %check %s torch-zero-grad
//
// Gradients are zeroed somewhere, set, or new in each round.

#include "../Inputs/net.h"

#include <algorithm>
#include <functional>

void ok_before_backward(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_after_step(Net &net, torch::optim::Optimizer &opt,
                   const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    opt.zero_grad();
  }
}

void ok_by_module(Net &net, torch::optim::Optimizer &opt,
                  const Batches &data) {
  for (const auto &b : data) {
    net.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_once_per_window(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    if (i % 4 == 0)
      opt.zero_grad();
    (torch::mse_loss(net.forward(data[i].x), data[i].y) / 4).backward();
    if (i % 4 == 3)
      opt.step();
  }
}

void ok_in_the_outer_loop(Net &net, torch::optim::Optimizer &opt,
                          const std::vector<Batches> &windows) {
  for (const auto &window : windows) {
    opt.zero_grad();
    for (const auto &b : window)
      (torch::mse_loss(net.forward(b.x), b.y) / 4).backward();
    opt.step();
  }
}

static void clear(torch::optim::Optimizer &opt) { opt.zero_grad(); }
void ok_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                    const Batches &data) {
  for (const auto &b : data) {
    clear(opt);
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void begin_elsewhere(torch::optim::Optimizer &opt);
void ok_in_a_helper_that_is_not_seen(Net &net, torch::optim::Optimizer &opt,
                                     const Batches &data) {
  for (const auto &b : data) {
    begin_elsewhere(opt);
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

Tensor loss_elsewhere(Net &net, const Batch &b);
void ok_whoever_gets_the_module(Net &net, torch::optim::Optimizer &opt,
                                const Batches &data) {
  for (const auto &b : data) {
    loss_elsewhere(net, b).backward();
    opt.step();
  }
}

void ok_closure(Net &net, torch::optim::LBFGS &opt, const Batches &data) {
  for (const auto &b : data) {
    auto closure = [&] {
      opt.zero_grad();
      auto loss = torch::mse_loss(net.forward(b.x), b.y);
      loss.backward();
      return loss;
    };
    opt.step(closure);
  }
}

void ok_closure_from_elsewhere(Net &net, torch::optim::LBFGS &opt,
                               std::function<Tensor()> closure, int n) {
  for (int i = 0; i < n; ++i) {
    net.forward(torch::ones({64})).sum().backward();
    opt.step(closure);
  }
}

void ok_by_hand(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    for (auto &p : net.parameters())
      p.grad().zero_();
  }
}

void ok_empty_gradient(Net &net, torch::optim::Optimizer &opt,
                       const Batches &data) {
  for (const auto &b : data) {
    for (auto &p : net.parameters())
      p.mutable_grad() = torch::Tensor();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_reset(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    for (auto &p : net.parameters())
      if (p.grad().defined())
        p.mutable_grad().reset();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_algorithm(Net &net, torch::optim::Optimizer &opt,
                  const Batches &data) {
  auto parameters = net.parameters();
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    std::for_each(parameters.begin(), parameters.end(), [](Tensor &p) {
      if (p.grad().defined())
        p.grad().zero_();
    });
  }
}

void ok_parameter_groups(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    for (auto &group : opt.param_groups())
      for (auto &p : group.params())
        p.mutable_grad().zero_();
  }
}

// The gradients are set, not added to.
void ok_set(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    auto parameters = net.parameters();
    auto grads = torch::autograd::grad({loss}, parameters);
    for (size_t i = 0; i < grads.size(); ++i)
      parameters[i].mutable_grad() = grads[i];
    opt.step();
    loss.detach().sum().requires_grad_(true).backward();
  }
}

void ok_hand_written_sgd(const Batches &data) {
  Tensor w = torch::randn({64, 8}, torch::requires_grad());
  for (const auto &b : data) {
    torch::mse_loss(b.x.mm(w), b.y).backward();
    torch::NoGradGuard no_grad;
    w -= 0.1 * w.grad();
    w.grad().zero_();
  }
}

// Of the input, new in each round; the sum is no parameter.
Tensor ok_smooth_saliency(Net &net, Tensor image) {
  Tensor sum = torch::zeros_like(image);
  for (int i = 0; i < 16; ++i) {
    Tensor x = (image + torch::randn_like(image)).requires_grad_(true);
    net.forward(x).mean().backward();
    sum += x.grad();
  }
  return sum;
}

// A network per round.
void ok_made_in_each_round(const std::vector<Batches> &folds) {
  for (const auto &fold : folds) {
    Net net;
    torch::optim::SGD opt(net.parameters(), 0.1);
    torch::mse_loss(net.forward(fold[0].x), fold[0].y).backward();
    opt.step();
  }
}

void ok_once(Net &net, torch::optim::Optimizer &opt, const Batch &b) {
  torch::mse_loss(net.forward(b.x), b.y).backward();
  opt.step();
}

void ok_two_optimizers(Net &generator, Net &critic,
                       torch::optim::Optimizer &g_opt,
                       torch::optim::Optimizer &d_opt, const Batches &data) {
  for (const auto &b : data) {
    critic.zero_grad();
    critic.forward(b.x).mean().backward();
    d_opt.step();
    generator.zero_grad();
    critic.forward(generator.forward(b.y)).mean().backward();
    g_opt.step();
  }
}

// Zeroed through the whole, of which both are a part.
struct Pair : torch::nn::Module {
  Pair() {
    actor = register_module("actor", torch::nn::Linear(64, 8));
    critic = register_module("critic", torch::nn::Linear(64, 1));
  }
  torch::nn::Linear actor{nullptr}, critic{nullptr};
};
void ok_zeroed_as_a_whole(const Batches &data) {
  Pair both;
  torch::optim::Adam actor(both.actor->parameters());
  torch::optim::Adam critic(both.critic->parameters());
  for (const auto &b : data) {
    both.zero_grad();
    (both.actor(b.x).sum() + both.critic(b.x).sum()).backward();
    actor.step();
    critic.step();
  }
}

// One optimizer over what the other one zeroes.
void ok_shared_parameters(const Batches &data) {
  Net net;
  torch::optim::SGD warm(net.parameters(), 0.001), main(net.parameters(), 0.1);
  for (size_t i = 0; i < data.size(); ++i) {
    main.zero_grad();
    torch::mse_loss(net.forward(data[i].x), data[i].y).backward();
    if (i < 10)
      warm.step();
    else
      main.step();
  }
}

// Parameters from several modules.
void ok_list_of_parameters(const Batches &data) {
  Net first, second;
  std::vector<Tensor> parameters = first.parameters();
  for (auto &p : second.parameters())
    parameters.push_back(p);
  torch::optim::SGD opt(parameters, 0.1);
  for (const auto &b : data) {
    first.zero_grad();
    second.zero_grad();
    torch::mse_loss(second.forward(first.forward(b.x)), b.y).backward();
    opt.step();
  }
}

class Base {
public:
  virtual ~Base() = default;
  void ok_fit(const Batches &data) {
    for (const auto &b : data) {
      begin();
      learn(b);
    }
  }

protected:
  virtual void begin() { opt_->zero_grad(); }
  void learn(const Batch &b) {
    torch::mse_loss(net_->forward(b.x), b.y).backward();
    opt_->step();
  }
  std::shared_ptr<Net> net_;
  std::unique_ptr<torch::optim::Optimizer> opt_;
};

// An optimizer of the user's own may zero in its step.
class Restarting : public torch::optim::SGD {
public:
  using SGD::SGD;
  Tensor step(LossClosure closure = nullptr) override;
};
void ok_own_optimizer(Net &net, Restarting &opt, const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

// A schedule steps too.
void ok_schedule(torch::optim::StepLR &schedule, Net &net,
                 torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    schedule.step();
  }
}

// A new leaf in each round has no gradient yet.
Tensor ok_dream(Net &net, Tensor image) {
  Tensor x = image.clone().requires_grad_(true);
  for (int i = 0; i < 20; ++i) {
    net.forward(x).mean().backward();
    x = (x + 0.1 * x.grad()).detach().requires_grad_(true);
  }
  return x;
}
Tensor ok_dream_in_place(Net &net, Tensor image) {
  Tensor x = image.clone().requires_grad_(true);
  for (int i = 0; i < 20; ++i) {
    net.forward(x).mean().backward();
    torch::NoGradGuard guard;
    x += 0.1 * x.grad();
    x = x.clone().requires_grad_(true);
  }
  return x;
}

struct Callback {
  virtual ~Callback() = default;
  virtual void on_batch_begin() = 0;
};
void ok_callbacks(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                  std::vector<std::unique_ptr<Callback>> &callbacks) {
  for (const auto &b : data) {
    for (auto &callback : callbacks)
      callback->on_batch_begin();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

// One of two optimizers steps in each round, over that round's gradients.
void ok_alternating(Net &a, Net &b, torch::optim::SGD &body,
                    torch::optim::SGD &head, const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    body.zero_grad();
    torch::mse_loss(b.forward(a.forward(data[i].x)), data[i].y).backward();
    if (i % 2)
      body.step();
    else
      head.step();
  }
  for (size_t i = 0; i < data.size(); ++i) {
    a.zero_grad();
    torch::mse_loss(b.forward(a.forward(data[i].x)), data[i].y).backward();
    if (i % 2 == 0)
      body.step();
    if (i % 2 == 1)
      head.step();
  }
}
