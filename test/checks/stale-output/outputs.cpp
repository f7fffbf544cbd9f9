// RUN: %check %s torch-stale-output
//
// A variable outside the loop holds the last graph while the next is built.

#include "../Inputs/net.h"

#include <torch/script.h>

#include <tuple>

static void show(const Tensor &) {}

void bad_output(Net &net, const Batches &data) {
  net.eval();
  Tensor out;
  for (const auto &b : data) {
    out = net.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'out' keeps the graph of one iteration alive while the next one runs its forward [torch-stale-output]
    show(out);
  }
}

double bad_output_and_loss(Net &net, const Batches &data) {
  double sum = 0;
  Tensor out, loss;
  for (size_t i = 0; i < data.size(); ++i) {
    out = net.forward(data[i].x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'out' keeps {{.*}} [torch-stale-output]
    loss = torch::mse_loss(out, data[i].y);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'loss' keeps {{.*}} [torch-stale-output]
    sum += loss.item<double>();
  }
  return sum;
}

double bad_only_the_loss(Net &net, const Batches &data) {
  double sum = 0;
  auto loss = torch::zeros({1});
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    loss = torch::mse_loss(out, b.y);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'loss' keeps {{.*}} [torch-stale-output]
    sum += loss.item<double>();
  }
  return sum;
}

static Tensor predict(Net &net, const Tensor &x) {
  auto h = net.forward(x);
  return torch::softmax(h, 1);
}
int bad_by_a_helper(Net &net, const Batches &data) {
  int hits = 0;
  Tensor scores;
  for (const auto &b : data) {
    if (b.x.numel() == 0)
      continue;
    scores = predict(net, b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    hits += scores.argmax(1).eq(b.y).sum().item<int>();
  }
  return hits;
}

void bad_by_a_lambda(Net &net, const Batches &data) {
  auto run = [&](const Tensor &x) { return net.forward(x); };
  Tensor out;
  for (const auto &b : data) {
    out = run(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    show(out);
  }
}

struct Evaluator {
  Net net;
  double sum = 0;
  void bad_in_a_method(const Batches &data) {
    Tensor out;
    for (int epoch = 0; epoch < 3; ++epoch)
      for (const auto &b : data) {
        out = net.forward(b.x);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: remark: {{.*}} [torch-stale-output]
        out = torch::softmax(out, 1);
        sum += out.max().item<double>();
      }
  }
};

struct Result {
  Tensor out, loss;
};
void bad_in_a_structure(Net &net, const Batches &data) {
  Result r;
  for (const auto &b : data) {
    r.out = net.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'r.out' keeps {{.*}} [torch-stale-output]
    show(r.out);
  }
}

struct Heads : torch::nn::Module {
  Heads() { l = register_module("l", torch::nn::Linear(64, 8)); }
  std::tuple<Tensor, Tensor> forward(Tensor x) {
    auto h = l->forward(x);
    return std::make_tuple(torch::relu(h), torch::sigmoid(h));
  }
  torch::nn::Linear l{nullptr};
};
double bad_two_heads(Heads &net, const Batches &data) {
  double sum = 0;
  Tensor policy, value;
  for (const auto &b : data) {
    std::tie(policy, value) = net.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: 'policy' keeps {{.*}} [torch-stale-output]
    // CHECK-MESSAGES: :[[@LINE-2]]:5: remark: 'value' keeps {{.*}} [torch-stale-output]
    sum += value.sum().item<double>() + policy.max().item<double>();
  }
  return sum;
}

void bad_script(torch::jit::Module &module, const std::vector<Tensor> &images) {
  Tensor out;
  for (const auto &image : images) {
    out = module.forward({image}).toTensor();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    show(out);
  }
}

// The teacher's graph is used by nothing.
void bad_teacher(Net &teacher, Net &student, torch::optim::Optimizer &opt,
                 const Batches &data) {
  Tensor target;
  for (const auto &b : data) {
    opt.zero_grad();
    target = teacher.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    auto loss = torch::mse_loss(student.forward(b.x), target.detach());
    loss.backward();
    opt.step();
  }
}

void bad_until_it_is_good(Net &net, const Batch &b) {
  Tensor out;
  double error = 1;
  do {
    out = net.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    error = torch::mse_loss(out, b.y).item<double>();
  } while (error > 0.1);
}

template <class Model> void bad_template(Model &model, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    out = model.forward(b.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: remark: {{.*}} [torch-stale-output]
    show(out);
  }
}
void use_template(Net &net, const Batches &data) { bad_template(net, data); }

void bad_with_a_way_out(Net &net, const Batches &data) {
  Tensor out;
  for (const auto &b : data) {
    try {
      out = net.forward(b.x);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: remark: {{.*}} [torch-stale-output]
      if (out.isnan().any().item<bool>())
        break;
    } catch (const std::exception &) {
    }
  }
}
