// What bugprone-unused-raii reports is left to it on request, nothing else is.
//
// RUN: %tidy --checks=-*,torch-unnamed-guard,bugprone-unused-raii --config='{CheckOptions: {torch-unnamed-guard.IgnoreIfStockCheck: true}}' %s -- -std=c++17 -isystem %mock | %filecheck %s
// RUN: %tidy --checks=-*,torch-unnamed-guard --config='{CheckOptions: {torch-unnamed-guard.IgnoreIfStockCheck: true}}' %s -- -std=c++17 -isystem %mock | %filecheck --check-prefix=ALONE %s
// RUN: %tidy --checks=-*,torch-unnamed-guard,bugprone-unused-raii %s -- -std=c++17 -isystem %mock | %filecheck --check-prefix=BOTH %s

#include <torch/torch.h>

torch::NoGradGuard without_grad();
#define NO_GRAD torch::NoGradGuard()

void bad_seen_by_both(torch::Tensor x) {
  torch::NoGradGuard();
  // CHECK-NOT: :[[@LINE-1]]:{{.*}}[torch-unnamed-guard]
  // CHECK: :[[@LINE-2]]:3: {{.*}}[bugprone-unused-raii]
  // ALONE: :[[@LINE-3]]:3: {{.*}}[torch-unnamed-guard]
  // BOTH-DAG: :[[@LINE-4]]:3: {{.*}}[torch-unnamed-guard
  torch::AutoGradMode(false);
  // CHECK-NOT: :[[@LINE-1]]:{{.*}}[torch-unnamed-guard]
  // CHECK: :[[@LINE-2]]:3: {{.*}}[bugprone-unused-raii]
  // ALONE: :[[@LINE-3]]:3: {{.*}}[torch-unnamed-guard]
  torch::AutoGradMode{true};
  // CHECK-NOT: :[[@LINE-1]]:{{.*}}[torch-unnamed-guard]
  // CHECK: :[[@LINE-2]]:3: {{.*}}[bugprone-unused-raii]
  x.sum();
}

void bad_seen_by_one(torch::Tensor x, bool train) {
  (void)torch::NoGradGuard();
  // CHECK: :[[@LINE-1]]:9: {{.*}}[torch-unnamed-guard]
  without_grad();
  // CHECK: :[[@LINE-1]]:3: {{.*}}[torch-unnamed-guard]
  NO_GRAD;
  // CHECK: :[[@LINE-1]]:3: {{.*}}[torch-unnamed-guard]
  if (!train)
    torch::NoGradGuard();
  // CHECK: :[[@LINE-1]]:5: {{.*}}[torch-unnamed-guard]
  x.sum();
  torch::NoGradGuard();
  // CHECK: :[[@LINE-1]]:3: {{.*}}[torch-unnamed-guard]
}

template <typename T> void bad_template(torch::Tensor x) {
  torch::NoGradGuard();
  // CHECK: :[[@LINE-1]]:3: {{.*}}[torch-unnamed-guard]
  x.sum();
}

void ok_named(torch::Tensor x) {
  torch::NoGradGuard guard;
  bad_template<int>(x);
}
