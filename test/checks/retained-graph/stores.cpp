// RUN: %check %s torch-retained-graph
//
// Insertion of a tensor with history under a varying key or index.

#include "../Inputs/net.h"
#include <torch/script.h>

#include <deque>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

void bad_push_back(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    auto out = net.forward(b.x);
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_emplace_back(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.emplace_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_insert_at_end(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (size_t i = 0; i < data.size(); ++i) {
    Tensor out = net.forward(data[i].x);
    kept.insert(kept.end(), out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_index(Net &net, const Batches &data) {
  std::vector<Tensor> kept(data.size());
  for (size_t i = 0; i < data.size(); ++i)
    kept[i] = net.forward(data[i].x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_at(Net &net, const Batches &data) {
  std::vector<Tensor> kept(data.size());
  for (size_t i = 0; i < data.size(); ++i)
    kept.at(i) = net.forward(data[i].x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_array(Net &net, const Batches &data) {
  Tensor kept[100];
  for (int i = 0; i < 100; ++i)
    kept[i] = net.forward(data[i].x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_deque(Net &net, const Batches &data) {
  std::deque<Tensor> kept;
  for (const auto &b : data)
    kept.push_front(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_list(Net &net, const Batches &data) {
  std::list<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_map_subscript(Net &net, const Batches &data) {
  std::map<int, Tensor> kept;
  int step = 0;
  for (const auto &b : data)
    kept[step++] = net.forward(b.x);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_map_insert(Net &net, const Batches &data) {
  std::map<int, Tensor> kept;
  for (int i = 0; i < (int)data.size(); ++i)
    kept.insert({i, net.forward(data[i].x)});
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_unordered_map_emplace(Net &net, const Batches &data) {
  std::unordered_map<std::string, Tensor> kept;
  for (int i = 0; i < (int)data.size(); ++i)
    kept.emplace("step" + std::to_string(i), net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_insert_or_assign(Net &net, const Batches &data) {
  std::map<int, Tensor> kept;
  for (int i = 0; i < (int)data.size(); ++i)
    kept.insert_or_assign(i, net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_pair(Net &net, const Batches &data) {
  std::vector<std::pair<int, Tensor>> kept;
  int i = 0;
  for (const auto &b : data)
    kept.push_back(std::make_pair(i++, net.forward(b.x)));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

struct Record {
  int step;
  Tensor loss;
};

void bad_struct(Net &net, const Batches &data) {
  std::vector<Record> kept;
  int i = 0;
  for (const auto &b : data)
    kept.push_back({i++, net.forward(b.x)});
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_struct_by_name(Net &net, const Batches &data) {
  std::vector<Record> kept;
  for (const auto &b : data) {
    Record r;
    r.step = 1;
    r.loss = net.forward(b.x);
    kept.push_back(r);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_ivalue(Net &net, const Batches &data) {
  std::vector<torch::jit::IValue> kept;
  for (const auto &b : data)
    kept.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_c10_list(Net &net, const Batches &data) {
  c10::List<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    kept.push_back(out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

void bad_nested_containers(Net &net, const Batches &data) {
  std::vector<std::vector<Tensor>> kept(3);
  int i = 0;
  for (const auto &b : data)
    kept[i++ % 3].push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// The same key each time: one tensor is held, whatever the container.
void ok_constant_key(Net &net, const Batches &data) {
  std::map<std::string, Tensor> kept;
  for (const auto &b : data)
    kept["last"] = net.forward(b.x);
}

void ok_constant_index(Net &net, const Batches &data) {
  std::vector<Tensor> kept(2);
  for (const auto &b : data)
    kept[0] = net.forward(b.x);
}

void ok_overwrite(Net &net, const Batches &data) {
  Tensor last;
  for (const auto &b : data)
    last = net.forward(b.x);
}

void ok_optional(Net &net, const Batches &data) {
  c10::optional<Tensor> last;
  for (const auto &b : data)
    last = net.forward(b.x);
}

void ok_inputs(const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data)
    kept.push_back(b.x);
}
