// RUN: %check %s torch-undetached-state
// State in a struct that is replaced as a whole.
#include <torch/torch.h>
using torch::Tensor;
struct S1 {
  Tensor h;
};
struct S2 {
  Tensor h, c;
};
struct S3 {
  Tensor h;
  S3 detached() const { return S3{h.detach()}; }
};
static S1 cut_free(const S1 &s) { return S1{s.h.detach()}; }
void ok_anew(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
             std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s.h = cell->forward(b, s.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
    s = S1{s.h.detach()};
  }
}
void ok_zeroed(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s.h = cell->forward(b, s.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
    s = S1{torch::zeros({4, 8})};
  }
}
void ok_by_function(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
                    std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s.h = cell->forward(b, s.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
    s = cut_free(s);
  }
}
void ok_by_method(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
                  std::vector<Tensor> d) {
  S3 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s.h = cell->forward(b, s.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
    s = s.detached();
  }
}
void ok_both(torch::nn::LSTMCell &cell, torch::optim::Optimizer &o,
             std::vector<Tensor> d) {
  S2 s{torch::zeros({4, 8}), torch::zeros({4, 8})};
  for (auto &b : d) {
    std::tie(s.h, s.c) = cell->forward(b, std::make_tuple(s.h, s.c));
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
    s = {s.h.detach(), s.c.detach()};
  }
}
void ok_copied(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  S3 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    auto in = s.detached();
    s.h = cell->forward(b, in.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
  }
}
void ok_per_document(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
                     std::vector<std::vector<Tensor>> docs) {
  S1 s{torch::zeros({4, 8})};
  for (auto &d : docs) {
    s = S1{torch::zeros({4, 8})};
    Tensor loss = torch::zeros({1});
    for (auto &b : d) {
      s.h = cell->forward(b, s.h);
      loss = loss + torch::mse_loss(s.h, b);
    }
    o.zero_grad();
    loss.backward();
    o.step();
  }
}

void ok_temporary(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
                  std::vector<Tensor> d) {
  S3 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    const S3 &in = s.detached();
    s.h = cell->forward(b, in.h);
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
  }
}
void bad_field(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s.h = cell->forward(b, s.h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
  }
}
void bad_whole(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    S1 next{cell->forward(b, s.h)};
    o.zero_grad();
    torch::mse_loss(next.h, b).backward();
    o.step();
    s = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
  }
}
static S1 step(torch::nn::GRUCell &cell, Tensor b, const S1 &s) {
  S1 n;
  n.h = cell->forward(b, s.h);
  return n;
}
void bad_result(torch::nn::GRUCell &cell, torch::optim::Optimizer &o,
                std::vector<Tensor> d) {
  S1 s{torch::zeros({4, 8})};
  for (auto &b : d) {
    s = step(cell, b, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    o.zero_grad();
    torch::mse_loss(s.h, b).backward();
    o.step();
  }
}
