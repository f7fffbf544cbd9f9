// RUN: %check %s torch-missing-no-grad
//
// Handlers are looked up in a table and run under the mode of who calls them.

#include "../Inputs/net.h"

#include <functional>
#include <map>
#include <string>

using Handlers = std::map<std::string, std::function<float(Tensor)>>;

float bad_found(Net &net, const std::string &name, Tensor x) {
  Handlers handlers;
  handlers["score"] = [&](Tensor t) { return net.forward(t).max().item<float>(); };
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  auto found = handlers.find(name);
  return found == handlers.end() ? 0.f : found->second(x);
}

float ok_found_under_guard(Net &net, const std::string &name, Tensor x) {
  Handlers handlers;
  handlers["score"] = [&](Tensor t) { return net.forward(t).max().item<float>(); };
  auto found = handlers.find(name);
  torch::NoGradGuard no_grad;
  return found == handlers.end() ? 0.f : found->second(x);
}

float bad_at(Net &net, Tensor x) {
  Handlers handlers;
  handlers.emplace("score", [&](Tensor t) { return net.forward(t).max().item<float>(); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  return handlers.at("score")(x);
}

// Who runs it is not seen.
void run_all(const Handlers &handlers);
void ok_handed_out(Net &net) {
  Handlers handlers;
  handlers.emplace("score", [&](Tensor t) { return net.forward(t).max().item<float>(); });
  run_all(handlers);
}
