// RUN: %check %s torch-inference-tensor-escape
//
// Through helpers, containers, members, lambdas and threads.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <tuple>

// Under the mode of whoever calls it.
static Tensor embed(Net &net, Tensor x) { return net.forward(x); }

void bad_made_in_a_helper(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = embed(net, x);
  }
  head->forward(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

static void step(torch::nn::Linear &head, Tensor feat, Tensor y) {
  auto loss = torch::mse_loss(head->forward(feat), y);
  // CHECK-MESSAGES: :[[@LINE-1]]:31: warning: 'feat' was made under InferenceMode and cannot be saved for backward [torch-inference-tensor-escape]
  // CHECK-MESSAGES: note: it is made here
  // CHECK-MESSAGES: note: called from here
  loss.backward();
}
void bad_used_in_a_helper(Net &net, torch::nn::Linear &head, Tensor x,
                          Tensor y) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  step(head, feat, y);
}

// A forward does what forwards do.
struct Head : torch::nn::Module {
  Head() { fc = register_module("fc", torch::nn::Linear(8, 2)); }
  Tensor forward(Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{nullptr};
};
void bad_into_a_forward(Net &net, Head &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x);
  }
  auto good = head.forward(x);
  auto out = head.forward(feat);
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'feat' was made{{.*}} [torch-inference-tensor-escape]
  (out + good).sum().backward();
}

void bad_list(Net &net, torch::nn::Linear &head, const Batches &data) {
  std::vector<Tensor> feats;
  {
    c10::InferenceMode guard;
    for (const auto &b : data)
      feats.push_back(net.forward(b.x));
  }
  for (auto &f : feats)
    head->forward(f).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  head->forward(feats[0]).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

static std::vector<Tensor> extract(Net &net, const Batches &data) {
  c10::InferenceMode guard;
  std::vector<Tensor> feats;
  for (const auto &b : data)
    feats.push_back(net.forward(b.x));
  return feats;
}
void bad_returned_list(Net &net, torch::nn::Linear &head, const Batches &data) {
  auto feats = extract(net, data);
  for (size_t i = 0; i < feats.size(); ++i)
    torch::mse_loss(head->forward(feats[i]), data[i].y).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

void bad_map(Net &net, torch::nn::Linear &head, Tensor x) {
  std::map<std::string, Tensor> cache;
  {
    c10::InferenceMode guard;
    cache["x"] = net.forward(x);
  }
  head->forward(cache["x"]).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

static std::tuple<Tensor, Tensor> act(Net &net, Tensor x) {
  c10::InferenceMode guard;
  auto logits = net.forward(x);
  return std::make_tuple(logits.argmax(1), logits.max());
}
void bad_tuple(Net &net, Tensor x) {
  auto [action, value] = act(net, x);
  auto q = net.forward(x).index_select(0, action);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  torch::mse_loss(q, value).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

struct Sample {
  Tensor state, action;
};
void bad_structure(Net &net, Tensor x) {
  Sample s;
  s.state = x;
  {
    c10::InferenceMode guard;
    s.action = net.forward(x).argmax(1);
  }
  net.forward(s.state).index_select(1, s.action).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// A member that one method fills and another one uses.
class Finetuner {
public:
  explicit Finetuner(Net &net) : net_(net) {}
  void prepare(Tensor x) {
    c10::InferenceMode guard;
    features_ = net_.forward(x);
  }
  void bad_train(Tensor y) {
    auto loss = torch::mse_loss(head_->forward(features_), y);
    // CHECK-MESSAGES: :[[@LINE-1]]:33: warning: 'features_' was made{{.*}} [torch-inference-tensor-escape]
    loss.backward();
  }

private:
  Net &net_;
  torch::nn::Linear head_{8, 2};
  Tensor features_;
};

// In its constructor.
class Cached {
public:
  Cached(Net &net, Tensor x) {
    c10::InferenceMode guard;
    target_ = net.forward(x);
  }
  Tensor bad_loss(Net &student, Tensor x) {
    auto loss = torch::mse_loss(student.forward(x), target_);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
    loss.backward();
    return loss;
  }

private:
  Tensor target_;
};
void use(Net &teacher, Net &student, Tensor x) {
  Cached c(teacher, x);
  c.bad_loss(student, x);
}

void bad_lambda(Net &net, torch::nn::Linear &head, Tensor x) {
  auto extract = [&](Tensor in) {
    c10::InferenceMode guard;
    return net.forward(in);
  };
  auto feat = extract(x);
  head->forward(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// Another thread does not run under the guard of the one that starts it.
void bad_thread(Net &net, torch::nn::Linear &head, Tensor x) {
  c10::InferenceMode guard;
  auto feat = net.forward(x);
  std::thread worker([&] {
    head->forward(feat).sum().backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  });
  worker.join();
}

template <class Model>
void bad_template(Model &model, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = model.forward(x);
  }
  head->forward(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}
template void bad_template<Net>(Net &, torch::nn::Linear &, Tensor);

// A guard inside an object of the project.
struct Evaluating {
  c10::InferenceMode mode;
};
void bad_guard_object(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    Evaluating now;
    feat = net.forward(x);
  }
  head->forward(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// One caller without the guard is enough.
static void accumulate(Tensor &sum, Tensor x) { sum.add_(x); }
// CHECK-MESSAGES: :[[@LINE-1]]:49: warning: 'sum' was made{{.*}} [torch-inference-tensor-escape]
void bad_second_caller(Tensor x) {
  Tensor sum;
  {
    c10::InferenceMode guard;
    sum = torch::zeros({4});
    accumulate(sum, x);
  }
  accumulate(sum, x);
}
