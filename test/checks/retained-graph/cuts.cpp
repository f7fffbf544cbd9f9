// RUN: %check %s torch-retained-graph
//
// What cuts the history and what only looks as if it did.

#include "../Inputs/net.h"

void bad_clone(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).clone());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_cpu(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).cpu());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_to(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).to(torch::kCPU));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_view(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).view({-1})[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_values_of_max(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(std::get<0>(net.forward(b.x).max(1)));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// The result of detach() is dropped.
void bad_detach_dropped(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    out.detach();
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_detach_too_late(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    Tensor values = out.detach();
    kept.push_back(out * values);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void ok_item(Net &net, const Batches &data) {
  std::vector<float> kept;
  for (const auto &b : data) {
    float loss = torch::mse_loss(net.forward(b.x), b.y).item<float>();
    kept.push_back(loss);
  }
}

void ok_item_to_float(Net &net, const Batches &data) {
  std::vector<double> kept;
  for (const auto &b : data)
    kept.push_back(torch::mse_loss(net.forward(b.x), b.y).item().toDouble());
}

template <class T> void ok_dependent_item(Net &net, const Batches &data) {
  std::vector<T> kept;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    kept.push_back(loss.template item<T>());
  }
}
template void ok_dependent_item<float>(Net &, const Batches &);

void ok_detach(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).detach());
}

void ok_detach_then_clone(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).detach().cpu().clone());
}

void ok_detach_in_place(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    out.detach_();
    kept.push_back(out);
  }
}

void ok_reassigned(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    out = out.detach();
    kept.push_back(out);
  }
}

void ok_data(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).data());
}

void ok_argmax(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).argmax(1));
}

void ok_index_of_max(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(std::get<1>(net.forward(b.x).max(1)));
}

void ok_structured_index_of_max(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto [values, indices] = net.forward(b.x).max(1);
    kept.push_back(indices);
  }
}

void ok_comparison(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).ge(0).sum());
}

void ok_comparison_operator(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x) > 0.5);
}

void ok_multinomial(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(torch::softmax(net.forward(b.x), 1).multinomial(1));
}

void ok_integer_cast(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x).round().to(torch::kLong));
}

void ok_guard(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
}

void ok_guard_inside(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    c10::InferenceMode guard;
    kept.push_back(net.forward(b.x));
  }
}

void ok_new_values_under_guard(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    torch::NoGradGuard no_grad;
    kept.push_back(out * 2);
  }
}

// A guard does not take history away from a tensor that has some.
void bad_old_value_under_guard(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    torch::NoGradGuard no_grad;
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void ok_gradients(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    kept.push_back(net.l->weight.grad().norm());
  }
}
