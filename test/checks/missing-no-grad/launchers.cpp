// RUN: %check %s torch-missing-no-grad
//
// Which threads a guard reaches: those of at::launch, which hands its caller's
// state on, and no others.

#include "../Inputs/net.h"

#include <ATen/Parallel.h>
#include <c10/core/thread_pool.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

static void show(const Tensor &t) { std::printf("%f\n", t.max().item<float>()); }

void bad_parallel_for(Net &net, const Batches &data) {
  net.eval();
  torch::NoGradGuard no_grad;
  at::parallel_for(0, static_cast<int64_t>(data.size()), 1, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i)
      show(net.forward(data[i].x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
}

float bad_parallel_reduce(Net &net, const Batches &data) {
  c10::InferenceMode guard;
  return at::parallel_reduce(
      0, static_cast<int64_t>(data.size()), 1, 0.f,
      [&](int64_t from, int64_t to, float sum) {
        for (int64_t i = from; i < to; ++i)
          sum += net.forward(data[i].x).max().item<float>();
        // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
        return sum;
      },
      std::plus<float>());
}

void ok_parallel_for_with_a_guard_of_its_own(Net &net, const Batches &data) {
  at::parallel_for(0, static_cast<int64_t>(data.size()), 1, [&](int64_t from, int64_t to) {
    torch::NoGradGuard no_grad;
    for (int64_t i = from; i < to; ++i)
      show(net.forward(data[i].x));
  });
}

void ok_launch_takes_the_guard_along(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  at::launch([&net, x] { show(net.forward(x)); });
}

void bad_launch_without_guard(Net &net, Tensor x) {
  at::launch([&net, x] { show(net.forward(x)); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void ok_wherever_it_runs(Net &net, Tensor x) {
  at::intraop_launch([&net, x] { show(net.forward(x)); });
}

void bad_pool_of_c10(Net &net, Tensor x, c10::ThreadPool &pool) {
  torch::NoGradGuard no_grad;
  pool.run([&net, x] { show(net.forward(x)); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void bad_packaged_task(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  std::packaged_task<float(Tensor)> task([&net](Tensor t) {
    return net.forward(t).max().item<float>();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  });
  std::future<float> result = task.get_future();
  std::thread worker(std::move(task), x);
  std::printf("%f\n", result.get());
  worker.join();
}

void ok_packaged_task_run_here(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  std::packaged_task<float(Tensor)> task(
      [&net](Tensor t) { return net.forward(t).max().item<float>(); });
  task(x);
}

void ok_result_of_a_task_is_trained_on(Net &net, Tensor x) {
  std::packaged_task<Tensor(Tensor)> task([&net](Tensor t) { return net.forward(t); });
  auto result = task.get_future();
  std::thread worker(std::move(task), x);
  result.get().sum().backward();
  worker.join();
}

void ok_deferred(Net &net, Tensor x) {
  auto result = std::async(std::launch::deferred, [&] { return net.forward(x).max().item<float>(); });
  torch::NoGradGuard no_grad;
  std::printf("%f\n", result.get());
}

void bad_async_or_deferred(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  auto result = std::async(std::launch::async | std::launch::deferred,
                           [&] { return net.forward(x).max().item<float>(); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  std::printf("%f\n", result.get());
}

struct Predictor {
  Net net;
  void loop(Tensor x) {
    show(net.forward(x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
  }
  std::thread bad_bound(Tensor x) {
    torch::NoGradGuard no_grad;
    return std::thread(std::bind(&Predictor::loop, this, x));
  }
};

// Jobs that a thread takes out of a queue.
class Workers {
public:
  Workers() : thread_([this] { run(); }) {}

  void post(std::function<void()> job) {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push(std::move(job));
    ready_.notify_one();
  }

private:
  void run() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return !jobs_.empty(); });
        job = std::move(jobs_.front());
        jobs_.pop();
      }
      job();
    }
  }

  std::queue<std::function<void()>> jobs_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::thread thread_;
};

void bad_posted(Workers &workers, Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
  workers.post([&net, x] { show(net.forward(x)); });
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void ok_posted(Workers &workers, Net &net, Tensor x) {
  workers.post([&net, x] {
    torch::NoGradGuard no_grad;
    show(net.forward(x));
  });
}
