// RUN: %check %s torch-missing-no-grad
//
// Grad mode is thread-local: a new thread starts with grad mode on.

#include "../Inputs/net.h"

#include <ATen/ThreadLocalState.h>
#include <cstdio>
#include <future>
#include <thread>

void bad_thread(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  std::thread worker([&] {
    for (int i = 0; i < 100; ++i)
      std::printf("%f\n", net.forward(x).max().item<float>());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
  worker.join();
}

float bad_async(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  auto best = std::async(std::launch::async, [&] {
    return net.forward(x).max().item<float>();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
  return best.get();
}

static void worker_function(Net *net, Tensor x) {
  std::printf("%f\n", net->forward(x).max().item<float>());
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}
void bad_function(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  std::thread worker(worker_function, &net, x);
  worker.join();
}

void bad_vector_of_threads(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&net, x] {
      std::printf("%f\n", net.forward(x).max().item<float>());
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
    });
  for (auto &worker : workers)
    worker.join();
}

class Service {
public:
  explicit Service(std::shared_ptr<Net> net) : net_(net) {
    net_->eval();
    torch::NoGradGuard no_grad;
    worker_ = std::thread(&Service::loop, this);
  }
  ~Service() { worker_.join(); }

private:
  void loop() {
    for (int i = 0; i < 100; ++i)
      std::printf("%f\n", net_->forward(input_).max().item<float>());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  }
  std::shared_ptr<Net> net_;
  Tensor input_;
  std::thread worker_;
};

void ok_guard_in_thread(Net &net, Tensor x) {
  net.eval();
  std::thread worker([&] {
    torch::NoGradGuard no_grad;
    std::printf("%f\n", net.forward(x).max().item<float>());
  });
  worker.join();
}

void ok_callee_has_its_own(Net &net, Tensor x) {
  net.eval();
  auto run = [&net](Tensor t) {
    c10::InferenceMode guard;
    return net.forward(t).max().item<float>();
  };
  std::thread worker([&] { std::printf("%f\n", run(x)); });
  worker.join();
}

void ok_state_handed_over(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  at::ThreadLocalState state;
  std::thread worker([&net, x, state] {
    at::ThreadLocalStateGuard restored(state);
    std::printf("%f\n", net.forward(x).max().item<float>());
  });
  worker.join();
}

void bad_state_handed_over_in_vain(Net &net, Tensor x) {
  net.eval();
  torch::NoGradGuard no_grad;
  at::ThreadLocalState state;
  std::thread worker([&net, x, state] {
    { at::ThreadLocalStateGuard restored(state); }
    std::printf("%f\n", net.forward(x).max().item<float>());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
  worker.join();
}

float bad_state_from_before_the_guard(Net &net, Tensor x) {
  net.eval();
  at::ThreadLocalState before;
  torch::NoGradGuard no_grad;
  at::ThreadLocalStateGuard back(before);
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float ok_state_of_a_caller(const at::ThreadLocalState &state, Net &net,
                           Tensor x) {
  net.eval();
  at::ThreadLocalStateGuard as_there(state);
  return net.forward(x).max().item<float>();
}
