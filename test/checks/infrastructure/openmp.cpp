// RUN: %check %s torch-missing-no-grad -- -fopenmp
//
// The threads of a team start with grad mode on, whatever their caller holds.

#include "../Inputs/net.h"

#include <cstdio>

static void show(const Tensor &t) { std::printf("%f\n", t.max().item<float>()); }

void bad_parallel_for(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
#pragma omp parallel for
  for (size_t i = 0; i < data.size(); ++i)
    show(net.forward(data[i].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

static float bad_callee(Net &net, Tensor x) {
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

float bad_region(Net &net, const Batches &data) {
  c10::InferenceMode guard;
  float best = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for reduction(max : best)
    for (size_t i = 0; i < data.size(); ++i)
      best = std::max(best, bad_callee(net, data[i].x));
  }
  return best;
}

void bad_sections(Net &net, Tensor x, Tensor y) {
  torch::NoGradGuard no_grad;
#pragma omp parallel sections
  {
#pragma omp section
    show(net.forward(x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
#pragma omp section
    show(torch::relu(y));
  }
}

void ok_guard_in_the_region(Net &net, const Batches &data) {
#pragma omp parallel
  {
    torch::NoGradGuard no_grad;
#pragma omp for
    for (size_t i = 0; i < data.size(); ++i)
      show(net.forward(data[i].x));
  }
}

void ok_guard_in_each_round(Net &net, const Batches &data) {
#pragma omp parallel for
  for (size_t i = 0; i < data.size(); ++i) {
    torch::NoGradGuard no_grad;
    show(net.forward(data[i].x));
  }
}

// The guard outside holds again behind the region.
void ok_behind_the_region(Net &net, const Batches &data, bool twice) {
  torch::NoGradGuard no_grad;
  std::vector<float> sizes(data.size());
  if (twice) {
#pragma omp parallel for
    for (size_t i = 0; i < data.size(); ++i)
      sizes[i] = static_cast<float>(data[i].x.numel());
  }
  show(net.forward(data[0].x));
}

void bad_behind_a_guarded_region(Net &net, const Batches &data) {
#pragma omp parallel for
  for (size_t i = 0; i < data.size(); ++i) {
    torch::NoGradGuard no_grad;
    show(net.forward(data[i].x));
  }
  show(net.forward(data[0].x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

// The master is the thread that holds the guard; who runs a single is open.
void ok_picked_thread(Net &net, Tensor x) {
  torch::NoGradGuard no_grad;
#pragma omp parallel
  {
#pragma omp master
    show(net.forward(x));
#pragma omp single
    show(net.forward(x));
  }
}

// Without threads of its own it is a loop like any other.
void ok_simd(Net &net, const Batches &data) {
  torch::NoGradGuard no_grad;
#pragma omp simd
  for (int i = 0; i < 4; ++i)
    show(net.forward(data[i].x));
}
