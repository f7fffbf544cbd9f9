// RUN: %check %s torch-inference-tensor-escape
//
// Finds tensors made under InferenceMode that meet autograd outside, which
// throws.

#include "../Inputs/net.h"
#include <c10/core/InferenceMode.h>

namespace F = torch::nn::functional;

Tensor bad_product() {
  auto w = torch::randn({4}, torch::requires_grad());
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = torch::ones({4});
  }
  return (w * feat).sum();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'feat' was made under InferenceMode and cannot be saved for backward [torch-inference-tensor-escape]
  // CHECK-MESSAGES: note: it is made here
  // CHECK-MESSAGES: note: inference mode is turned on here
}

// The features of a backbone, and a head that is trained on them.
void bad_features(Net &backbone, torch::nn::Linear &head, const Batches &data,
                  torch::optim::Optimizer &opt) {
  for (const auto &b : data) {
    Tensor feat;
    {
      c10::InferenceMode guard(true);
      feat = backbone.forward(b.x);
    }
    opt.zero_grad();
    auto out = head->forward(feat);
    // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'feat' was made under InferenceMode and cannot be saved for backward [torch-inference-tensor-escape]
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

static Tensor soft_labels(Net &teacher, Tensor x) {
  c10::InferenceMode guard;
  return torch::softmax(teacher.forward(x), 1);
}

// Distillation: the target of the loss is saved as well.
void bad_teacher(Net &teacher, Net &student, const Batches &data,
                 torch::optim::Optimizer &opt) {
  for (const auto &b : data) {
    auto target = soft_labels(teacher, b.x);
    opt.zero_grad();
    auto loss = torch::mse_loss(student.forward(b.x), target);
    // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'target' was made under InferenceMode and cannot be saved for backward [torch-inference-tensor-escape]
    loss.backward();
    opt.step();
  }
}

// argmax() outside makes a normal tensor.
void ok_functional_loss(Net &teacher, Net &student, Tensor x) {
  auto target = soft_labels(teacher, x).argmax(1);
  F::cross_entropy(student.forward(x), target).backward();
}

void bad_label(Net &teacher, Net &student, Tensor x) {
  Tensor target;
  {
    c10::InferenceMode guard;
    target = teacher.forward(x).argmax(1);
  }
  F::cross_entropy(student.forward(x), target).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  torch::nn::CrossEntropyLoss()(student.forward(x), target).backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// The actions that were chosen, as indices.
void bad_actions(Net &net, Tensor state, Tensor reward) {
  Tensor action;
  {
    c10::InferenceMode guard;
    action = net.forward(state).argmax(1).unsqueeze(1);
  }
  auto q = net.forward(state).gather(1, action);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  torch::mse_loss(q, reward).backward();
}

void bad_index(Net &net, Tensor x) {
  Tensor rows;
  {
    c10::InferenceMode guard;
    rows = torch::randperm(4);
  }
  net.forward(x).index({rows}).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

void bad_mask(Net &net, Tensor x) {
  Tensor mask;
  {
    c10::InferenceMode guard;
    mask = x > 0;
  }
  auto out = net.forward(x);
  torch::where(mask, out, torch::zeros({1})).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  out.masked_fill(mask, 0).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// A view is of the same kind, and detach() makes a view.
void bad_views(Tensor x) {
  auto w = torch::randn({4, 4}, torch::requires_grad());
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = torch::exp(x);
  }
  auto row = feat[0];
  auto cut = feat.detach();
  w.matmul(row).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}}'row' was made{{.*}} [torch-inference-tensor-escape]
  torch::mm(cut.t(), w).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// A clone() that is made inside does not help.
void bad_clone_inside(Net &net, torch::nn::Linear &head, Tensor x) {
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = net.forward(x).clone();
  }
  head(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

// InferenceMode(false) ends the mode, not the kind of the tensor.
void bad_turned_off(Tensor x) {
  auto w = torch::randn({4}, torch::requires_grad());
  c10::InferenceMode guard;
  auto feat = torch::exp(x);
  {
    c10::InferenceMode off(false);
    (w * feat).sum().backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  }
}

// NoGradGuard inside is no way out.
void bad_both_guards(Tensor x) {
  auto w = torch::randn({4}, torch::requires_grad());
  Tensor feat;
  {
    c10::InferenceMode guard;
    torch::NoGradGuard too;
    feat = torch::exp(x);
  }
  (w / feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

void bad_in_place(Net &net, const Batches &data) {
  Tensor average;
  {
    c10::InferenceMode guard;
    average = torch::zeros({8});
  }
  for (const auto &b : data) {
    torch::NoGradGuard guard;
    average.mul_(0.9).add_(net.forward(b.x).mean(0), 0.1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'average' was made under InferenceMode and cannot be changed in place outside it [torch-inference-tensor-escape]
  }
}

void bad_written_to(Tensor x) {
  Tensor buffer;
  {
    c10::InferenceMode guard;
    buffer = torch::zeros({8, 4});
  }
  buffer[0] = x;
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  buffer += 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
  buffer.copy_(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}

void bad_requires_grad(Tensor image) {
  Tensor start;
  {
    c10::InferenceMode guard;
    start = image * 2;
  }
  start.requires_grad_();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'start' was made under InferenceMode and cannot be made to require grad outside it [torch-inference-tensor-escape]
}

// Weights that are made under the guard, and updated outside.
void bad_weights(Tensor x, Tensor y) {
  Tensor w;
  {
    c10::InferenceMode guard;
    w = torch::randn({4}, torch::requires_grad());
  }
  for (int i = 0; i < 10; ++i) {
    torch::mse_loss(x.dot(w), y).backward();
    torch::NoGradGuard guard;
    w -= 0.1 * w.grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
    w.grad().zero_();
  }
}

void bad_sequential(Net &backbone, Tensor x) {
  torch::nn::Sequential head(torch::nn::Linear(8, 8), torch::nn::ReLU());
  Tensor feat;
  {
    c10::InferenceMode guard;
    feat = backbone.forward(x);
  }
  head->forward(feat).sum().backward();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-inference-tensor-escape]
}
