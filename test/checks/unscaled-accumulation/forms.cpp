// RUN: %check %s torch-unscaled-accumulation
//
// One backward call site, several executions per step, a mean loss undivided.

#include "../Inputs/net.h"

void bad_modulus(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                 int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_modulus_of_the_index(Net &net, torch::optim::Optimizer &opt,
                              const Batches &data) {
  constexpr size_t Window = 4;
  opt.zero_grad();
  for (size_t i = 0; i < data.size(); ++i) {
    torch::mse_loss(net.forward(data[i].x), data[i].y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if ((i + 1) % Window == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_inner_loop(Net &net, torch::optim::Optimizer &opt,
                    const std::vector<Batches> &data) {
  for (const auto &window : data) {
    opt.zero_grad();
    for (const auto &micro : window) {
      auto loss = torch::mse_loss(net.forward(micro.x), micro.y);
      loss.backward();
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    }
    opt.step();
  }
}

void bad_counted_inner_loop(Net &net, torch::optim::Optimizer &opt,
                            const Batches &data) {
  for (size_t first = 0; first + 4 <= data.size(); first += 4) {
    opt.zero_grad();
    for (int j = 0; j < 4; ++j) {
      const Batch &b = data[first + j];
      torch::mse_loss(net.forward(b.x), b.y).backward();
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    }
    opt.step();
  }
}

void bad_counter_set_back(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  int pending = 0;
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    ++pending;
    if (pending == 8) {
      opt.step();
      opt.zero_grad();
      pending = 0;
    }
  }
}

void bad_skip_by_continue(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    torch::mse_loss(net.forward(data[i].x), data[i].y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if ((i + 1) % 4 != 0)
      continue;
    opt.step();
    opt.zero_grad();
  }
}

void bad_zero_at_window_start(Net &net, torch::optim::Optimizer &opt,
                              const Batches &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    if (i % 4 == 0)
      opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(data[i].x), data[i].y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (i % 4 == 3)
      opt.step();
  }
}

void bad_autograd_backward(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    torch::autograd::backward({loss});
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_mean(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    Tensor loss = (net.forward(b.x) - b.y).pow(2).mean();
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_functional(Net &net, torch::optim::Optimizer &opt,
                    const Batches &data) {
  namespace F = torch::nn::functional;
  int i = 0;
  for (const auto &b : data) {
    auto loss = F::cross_entropy(net.forward(b.x), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_loss_module(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data) {
  torch::nn::CrossEntropyLoss criterion;
  int i = 0;
  for (const auto &b : data) {
    auto loss = criterion(net.forward(b.x), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void bad_negative_log_likelihood(Net &net, torch::optim::Optimizer &opt,
                                 const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::nll_loss(torch::log_softmax(net.forward(b.x), 1), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

class Trainer {
public:
  explicit Trainer(std::shared_ptr<Net> net)
      : net_(net), opt_(net->parameters(), 0.1) {}

  void bad_member_optimizer(const Batch &b) {
    auto loss = torch::mse_loss(net_->forward(b.x), b.y);
    loss.backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++count_ % 4 == 0) {
      opt_.step();
      opt_.zero_grad();
    }
  }

private:
  std::shared_ptr<Net> net_;
  torch::optim::SGD opt_;
  int count_ = 0;
};

static void apply_gradients(torch::optim::Optimizer &opt) {
  opt.step();
  opt.zero_grad();
}
void bad_step_in_helper(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0)
      apply_gradients(opt);
  }
}

void bad_module_zero_grad(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      net.zero_grad();
    }
  }
}

template <class Optimizer>
void bad_template(Net &net, Optimizer &opt, const Batches &data) {
  int i = 0;
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-unscaled-accumulation]
    if (++i % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
template void bad_template<torch::optim::SGD>(Net &, torch::optim::SGD &,
                                              const Batches &);
