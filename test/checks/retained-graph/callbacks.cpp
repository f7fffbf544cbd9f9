// RUN: %check %s torch-retained-graph
//
// Callables that wait in containers, tables and structures.

#include "../Inputs/net.h"

#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <string>

class Trainer {
public:
  void on_loss(std::function<void(const Tensor &)> callback) {
    callbacks_.push_back(std::move(callback));
  }
  void run(Net &net, const Batches &data) {
    for (const auto &b : data) {
      auto loss = torch::mse_loss(net.forward(b.x), b.y);
      for (auto &callback : callbacks_)
        callback(loss);
    }
  }

private:
  std::list<std::function<void(const Tensor &)>> callbacks_;
};

void bad_in_a_list(Net &net, const Batches &data) {
  std::vector<Tensor> curve;
  Trainer trainer;
  trainer.on_loss([&curve](const Tensor &loss) { curve.push_back(loss); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  trainer.run(net, data);
}

void ok_in_a_list(Net &net, const Batches &data) {
  std::vector<float> curve;
  std::vector<Tensor> detached;
  Trainer trainer;
  trainer.on_loss([&](const Tensor &loss) { curve.push_back(loss.item<float>()); });
  trainer.on_loss([&](const Tensor &loss) { detached.push_back(loss.detach()); });
  trainer.run(net, data);
}

void bad_in_a_table(Net &net, const Batches &data) {
  std::vector<Tensor> kept, detached;
  std::map<std::string, std::function<void(Tensor)>> sinks;
  sinks["keep"] = [&](Tensor t) { kept.push_back(t); };
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  sinks.emplace("detach", [&](Tensor t) { detached.push_back(t.detach()); });
  for (const auto &b : data)
    for (const auto &[name, sink] : sinks)
      sink(net.forward(b.x));
}

struct Sink {
  const char *name;
  std::function<void(Tensor)> put;
};

void bad_in_a_structure(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  Sink sink{"keep", [&](Tensor t) { kept.push_back(t); }};
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  for (const auto &b : data)
    sink.put(net.forward(b.x));
}

// What a lambda captures by initialiser lives as long as the lambda.
void bad_captured_by_initialiser(Net &net, const Batches &data) {
  auto record = [seen = std::vector<Tensor>()](const Tensor &t) mutable {
    seen.push_back(t);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  };
  for (const auto &b : data)
    record(net.forward(b.x));
}

void ok_captured_anew(Net &net, const Batches &data) {
  for (const auto &b : data) {
    auto record = [seen = std::vector<Tensor>()](const Tensor &t) mutable {
      seen.push_back(t);
    };
    record(net.forward(b.x));
  }
}
