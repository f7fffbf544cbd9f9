// RUN: %check %s torch-inference-tensor-escape
//
// Tensors of inference mode that meet nothing, and tensors that only look like
// ones.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>

namespace F = torch::nn::functional;

void ok_clone_outside(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  head->forward(feat.clone()).sum().backward();
  feat = feat.clone();
  head->forward(feat).sum().backward();
}

void ok_no_grad_guard(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    torch::NoGradGuard guard;
    feat = net.forward(x);
  }
  head->forward(feat).sum().backward();
  feat.mul_(2);
  feat.requires_grad_();
}

void ok_only_read(Net &net, Tensor x) {
  Tensor out;
  {
    c10::InferenceMode guard;
    out = net.forward(x);
  }
  std::cout << out << out.sum().item<float>() << out.argmax(1) << (out > 0).any();
  if (out.equal(x) || out.size(0) > 3)
    std::cout << out.max();
}

// Operators that save nothing of it.
void ok_not_saved(Net &net, Tensor x) {
  Tensor bias;
  {
    c10::InferenceMode guard;
    bias = torch::ones({8});
  }
  auto out = net.forward(x);
  (out + bias).sum().backward();
  (out - bias).sum().backward();
  torch::cat({out, bias}).sum().backward();
  torch::stack({out, bias}).sum().backward();
  torch::where(x > 0, out, bias).sum().backward();
  torch::l1_loss(out, bias).backward();
  torch::addmm(bias, out, torch::ones({8, 8})).sum().backward();
  (out * 2 + bias * 3).sum().backward();
}

// Nothing that goes in requires grad.
Tensor ok_no_history(Tensor x, Tensor weights) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = torch::exp(x);
  }
  auto plain = torch::ones({4});
  auto frozen = torch::randn({4}, torch::requires_grad()).detach();
  return feat * plain + feat * frozen + feat * weights;
}

void ok_guard_outside(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  torch::NoGradGuard guard;
  std::cout << head->forward(feat);
}

void ok_inside(Net &net, torch::nn::Linear &head, Tensor x) {
  c10::InferenceMode guard;
  auto feat = net.forward(x);
  feat.mul_(2);
  feat[0] = x;
  std::cout << head->forward(feat);
  torch::NoGradGuard too;
  feat.add_(1);
}

static void normalise(Tensor &t) {
  torch::NoGradGuard guard;
  t.div_(2);
}
void ok_changed_in_a_guarded_helper(Net &net, Tensor x) {
  c10::InferenceMode guard;
  auto feat = net.forward(x);
  normalise(feat);
}

// Copied into a tensor that was there before.
void ok_copied(Net &net, torch::nn::Linear &head, const Batches &data) {
  auto feats = torch::zeros({16, 8});
  auto labels = torch::zeros({16});
  for (const auto &b : data) {
    c10::InferenceMode guard;
    feats.copy_(net.forward(b.x));
    labels[0] = b.y;
  }
  torch::mse_loss(head->forward(feats), labels).backward();
}

// Views of what was there before are no inference tensors.
void ok_views_inside(torch::nn::Linear &head, Tensor x) {
  auto data = torch::randn({4, 8});
  Tensor row, cut, flat;
  {
    c10::InferenceMode guard;
    row = data[0];
    cut = data.detach();
    flat = data.view({32});
  }
  head->forward(row).sum().backward();
  head->forward(cut).sum().backward();
  row.mul_(2);
  flat.zero_();
}

// They may be the tensor that was there before.
void ok_may_be_the_same(torch::nn::Linear &head, Tensor x) {
  Tensor moved, same, flat;
  {
    c10::InferenceMode guard;
    moved = x.to(torch::kCPU);
    same = x.contiguous();
    flat = x.reshape({4, 8});
  }
  head->forward(moved).sum().backward();
  head->forward(same).sum().backward();
  head->forward(flat).sum().backward();
}

// Outside, an operator makes a normal tensor.
void ok_computed_again(Net &net, torch::nn::Linear &head, const Batches &data) {
  std::vector<Tensor> feats;
  {
    c10::InferenceMode guard;
    for (const auto &b : data)
      feats.push_back(net.forward(b.x));
  }
  auto all = torch::stack(feats);
  head->forward(all).sum().backward();
  auto scaled = feats[0] / 255;
  head->forward(scaled).sum().backward();
}

void ok_on_condition(Net &net, torch::nn::Linear &head, Tensor x, bool cache) {
  Tensor feat;
  if (cache) {
    c10::InferenceMode guard;
    feat = net.forward(x);
  } else {
    feat = net.forward(x);
  }
  head->forward(feat).sum().backward();
}

void ok_told_by_an_argument(Net &net, torch::nn::Linear &head, Tensor x,
                            bool training) {
  Tensor feat;
  {
    c10::InferenceMode guard(!training);
    feat = net.forward(x);
  }
  head->forward(feat).sum().backward();
}

void ok_optional_guard(Net &net, torch::nn::Linear &head, Tensor x, bool eval) {
  std::optional<c10::InferenceMode> guard;
  if (eval)
    guard.emplace(true);
  auto feat = net.forward(x);
  guard.reset();
  if (!eval)
    head->forward(feat).sum().backward();
}

void ok_mode_off(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard(false);
    feat = net.forward(x).detach();
  }
  head->forward(feat).sum().backward();
}

void ok_unnamed(Net &net, torch::nn::Linear &head, Tensor x) {
  c10::InferenceMode(true);
  auto feat = net.forward(x).detach();
  head->forward(feat).sum().backward();
}

void ok_asked(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  if (feat.is_inference())
    feat = feat.clone();
  head->forward(feat).sum().backward();
}

// The exception is what it wants to see.
bool ok_expected(Tensor x) {
  auto w = torch::randn({4}, torch::requires_grad());
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = torch::exp(x);
  }
  try {
    w *feat;
  } catch (const std::exception &) {
    return true;
  }
  return false;
}

Tensor replaced(Tensor x);
void refill(Tensor &x);
void ok_unseen(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor one, two;
  {
    c10::InferenceMode guard;
    one = replaced(x);
    two = net.forward(x);
  }
  refill(two);
  head->forward(one).sum().backward();
  head->forward(two).sum().backward();
}

// The head is frozen: nothing needs its input.
void ok_frozen(Net &net, Tensor x) {
  torch::nn::Linear head(8, 2);
  for (auto &p : head->parameters())
    p.set_requires_grad(false);
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  std::cout << head->forward(feat);
}

// The first layer makes a normal tensor of it and saves nothing.
void ok_sequential(Net &net, Tensor x) {
  torch::nn::Sequential head(torch::nn::ReLU(), torch::nn::Linear(8, 2));
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  head->forward(feat).sum().backward();
}

// Turned off for a change of the data alone.
void ok_data(Tensor x) {
  Tensor buffer;
  {
    c10::InferenceMode guard;
    buffer = torch::zeros({4});
  }
  buffer.data().add_(x);
  buffer.requires_grad_(false);
}

// A member that is filled in both ways.
class Both {
public:
  void cached(Net &net, Tensor x) {
    c10::InferenceMode guard;
    features_ = net.forward(x);
  }
  void fresh(Net &net, Tensor x) { features_ = net.forward(x); }
  void ok_train(torch::nn::Linear &head) {
    head->forward(features_).sum().backward();
  }

private:
  Tensor features_;
};

// A cache that lives under the guard of its callers, wherever they are.
class KeyCache {
public:
  void reset() {
    c10::InferenceMode guard;
    keys_ = torch::zeros({8, 64});
  }
  void ok_append(int64_t at, Tensor key) { keys_[at] = key; }
  Tensor ok_scale(double by) { return keys_.mul_(by); }

private:
  Tensor keys_;
};

// Predictions are kept, training goes on with other tensors.
void ok_predictions(Net &net, const Batches &data,
                    torch::optim::Optimizer &opt) {
  std::vector<Tensor> predictions;
  for (const auto &b : data) {
    {
      c10::InferenceMode guard;
      predictions.push_back(net.forward(b.x));
    }
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
  std::cout << torch::stack(predictions).mean();
}

// The state is copied for training.
struct Replay {
  Tensor state, action;
};
void ok_replay(Net &net, const Batches &data) {
  std::vector<Replay> memory;
  for (const auto &b : data) {
    c10::InferenceMode guard;
    memory.push_back({b.x, net.forward(b.x).argmax(1)});
  }
  std::vector<Tensor> actions;
  for (auto &m : memory)
    actions.push_back(m.action);
  auto index = torch::cat(actions);
  net.forward(data[0].x).index_select(1, index).sum().backward();
}

void ok_thread_with_the_guard(Net &net, Tensor x) {
  std::thread worker([&] {
    c10::InferenceMode guard;
    auto feat = net.forward(x);
    feat.mul_(2);
  });
  worker.join();
}

static Tensor sample(Net &net, Tensor x, bool train) {
  if (train)
    return net.forward(x);
  c10::InferenceMode guard;
  return net.forward(x);
}
void ok_by_argument(Net &net, torch::nn::Linear &head, Tensor x) {
  head->forward(sample(net, x, true)).sum().backward();
}

// The forward that gets it guards itself.
struct Quiet : torch::nn::Module {
  Quiet() { fc = register_module("fc", torch::nn::Linear(8, 2)); }
  Tensor forward(Tensor x) {
    torch::NoGradGuard guard;
    return fc->forward(x);
  }
  torch::nn::Linear fc{nullptr};
};
void ok_quiet_forward(Net &net, Quiet &quiet, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  std::cout << quiet.forward(feat);
}
