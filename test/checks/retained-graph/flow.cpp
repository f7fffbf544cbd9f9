// RUN: %check %s torch-retained-graph
//
// Loops of all kinds, branches, helpers, lambdas and standard algorithms.

#include "../Inputs/net.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

void bad_while(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  size_t i = 0;
  while (i < data.size()) {
    kept.push_back(net.forward(data[i++].x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_do(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  size_t i = 0;
  do {
    kept.push_back(net.forward(data[i].x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  } while (++i < data.size());
}

void bad_iterators(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (auto it = data.begin(); it != data.end(); ++it)
    kept.push_back(net.forward(it->x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_on_one_path(Net &net, const Batches &data, bool verbose) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    if (verbose)
      kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_detached_on_one_path(Net &net, const Batches &data, bool cut) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    if (cut)
      out = out.detach();
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_continue(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    if (b.x.numel() == 0)
      continue;
    kept.push_back(net.forward(b.x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_in_try(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    try {
      kept.push_back(net.forward(b.x));
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    } catch (const c10::Error &) {
    }
  }
}

void bad_in_catch(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    try {
      out.backward();
    } catch (const c10::Error &) {
      kept.push_back(out);
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    }
  }
}

void bad_for_each(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  std::for_each(data.begin(), data.end(), [&](const Batch &b) {
    kept.push_back(net.forward(b.x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  });
}

void bad_transform(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  std::transform(data.begin(), data.end(), std::back_inserter(kept),
                 [&](const Batch &b) { return net.forward(b.x); });
  // CHECK-MESSAGES: :[[@LINE-2]]:{{.*}} [torch-retained-graph]
}

// Adds to a list that its caller owns.
void remember(std::vector<Tensor> &where, const Tensor &what) {
  where.push_back(what);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
void bad_helper(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    remember(kept, net.forward(b.x));
}

Tensor infer(Net &net, const Tensor &x) { return net.forward(x) * 2; }
void bad_producer_in_helper(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(infer(net, b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

Tensor values_of(Net &net, const Tensor &x) { return net.forward(x).detach(); }
void ok_cut_in_helper(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(values_of(net, b.x));
}

void bad_lambda_returns(Net &net, const Batches &data) {
  auto run = [&net](const Tensor &x) { return net.forward(x); };
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(run(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_std_function(Net &net, const Batches &data) {
  std::function<Tensor(const Tensor &)> run = [&net](const Tensor &x) {
    return net.forward(x);
  };
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(run(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void ok_lambda_cuts(Net &net, const Batches &data) {
  auto run = [&net](const Tensor &x) { return net.forward(x).detach(); };
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(run(b.x));
}

void ok_guard_in_caller_of_lambda(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
  std::vector<Tensor> kept;
  std::for_each(data.begin(), data.end(),
                [&](const Batch &b) { kept.push_back(net.forward(b.x)); });
}

template <class Model> void bad_template(Model &model, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(model.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
template void bad_template<Net>(Net &, const Batches &);

struct Other : torch::nn::Module {
  Tensor forward(Tensor x) { return x * w; }
  Tensor w;
};
// A second instance adds no second report.
template void bad_template<Other>(Other &, const Batches &);

#define REMEMBER(List, Value) List.push_back(Value)
void bad_macro(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    REMEMBER(kept, net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// Stored once, not once per iteration.
void ok_after_the_loop(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  Tensor last;
  for (const auto &b : data)
    last = net.forward(b.x);
  kept.push_back(last);
}

void ok_break_after_store(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    if (out.sum().item<float>() > 0) {
      kept.push_back(out);
      break;
    }
  }
}
