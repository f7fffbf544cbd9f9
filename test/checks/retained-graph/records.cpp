// RUN: %check %s torch-retained-graph
// Records of which some parts are detached.
#include <torch/torch.h>
using torch::Tensor;
struct Rec {
  Tensor out, loss;
};
#define TRAIN                                                                  \
  o.zero_grad();                                                               \
  l.backward();                                                                \
  o.step();
void ok_fields(torch::nn::Linear &n, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  std::vector<Rec> log;
  for (auto &b : d) {
    Rec r{n->forward(b), Tensor()};
    auto l = torch::mse_loss(r.out, b);
    TRAIN
    r.out = r.out.detach();
    r.loss = l.detach();
    log.push_back(r);
  }
}
void ok_replaced(torch::nn::Linear &n, torch::optim::Optimizer &o,
                 std::vector<Tensor> d) {
  std::vector<Rec> log;
  for (auto &b : d) {
    Rec r{n->forward(b), Tensor()};
    auto l = torch::mse_loss(r.out, b);
    TRAIN
    r = Rec{r.out.detach(), l.detach()};
    log.push_back(r);
  }
}
void ok_pair(torch::nn::Linear &n, torch::optim::Optimizer &o,
             std::vector<Tensor> d) {
  std::vector<std::pair<Tensor, Tensor>> log;
  for (auto &b : d) {
    std::pair<Tensor, Tensor> r{n->forward(b), Tensor()};
    auto l = torch::mse_loss(r.first, b);
    TRAIN
    r.first = r.first.detach();
    r.second = l.detach();
    log.push_back(r);
  }
}
void ok_in_place(torch::nn::Linear &n, torch::optim::Optimizer &o,
                 std::vector<Tensor> d) {
  std::vector<Rec> log;
  for (auto &b : d) {
    Rec r{n->forward(b), Tensor()};
    auto l = torch::mse_loss(r.out, b);
    TRAIN
    r.out.detach_();
    log.push_back(r);
  }
}
static Rec step(torch::nn::Linear &n, torch::optim::Optimizer &o, Tensor b) {
  Rec r;
  r.out = n->forward(b);
  auto l = torch::mse_loss(r.out, b);
  TRAIN
  r.loss = l.detach();
  return r;
}
void ok_result(torch::nn::Linear &n, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  std::vector<Tensor> log;
  for (auto &b : d) {
    auto r = step(n, o, b);
    log.push_back(r.loss);
  }
}
void ok_part_of_call(torch::nn::Linear &n, torch::optim::Optimizer &o,
                     std::vector<Tensor> d) {
  std::vector<Tensor> log;
  for (auto &b : d)
    log.push_back(step(n, o, b).loss);
}
static Rec step2(torch::nn::Linear &n, torch::optim::Optimizer &o, Tensor b) {
  auto out = n->forward(b);
  auto l = torch::mse_loss(out, b);
  TRAIN
  return {out, l.detach()};
}
void ok_list(torch::nn::Linear &n, torch::optim::Optimizer &o,
             std::vector<Tensor> d) {
  std::vector<Tensor> log;
  for (auto &b : d)
    log.push_back(step2(n, o, b).loss);
}
void ok_binding(torch::nn::Linear &n, torch::optim::Optimizer &o,
                std::vector<Tensor> d) {
  std::vector<Tensor> log;
  for (auto &b : d) {
    auto [out, loss] = step2(n, o, b);
    log.push_back(loss);
  }
}
static std::pair<Tensor, Tensor> step3(torch::nn::Linear &n,
                                       torch::optim::Optimizer &o, Tensor b) {
  auto out = n->forward(b);
  auto l = torch::mse_loss(out, b);
  TRAIN
  return {out, l.detach()};
}
void ok_pairs(torch::nn::Linear &n, torch::optim::Optimizer &o,
              std::vector<Tensor> d) {
  std::vector<Tensor> log;
  for (auto &b : d)
    log.push_back(step3(n, o, b).second);
  for (auto &b : d) {
    auto [out, loss] = step3(n, o, b);
    log.push_back(loss);
  }
}
void bad_parts(torch::nn::Linear &n, torch::optim::Optimizer &o,
               std::vector<Tensor> d) {
  std::vector<Tensor> log;
  std::vector<Rec> recs;
  for (auto &b : d) {
    log.push_back(step(n, o, b).out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    auto r = step2(n, o, b);
    log.push_back(r.out);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    recs.push_back(r);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    Rec q{n->forward(b), Tensor()};
    q.loss = torch::mse_loss(q.out, b);
    q.out = q.out.detach();
    o.zero_grad();
    q.loss.backward();
    o.step();
    recs.push_back(q);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}
