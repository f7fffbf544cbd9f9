// RUN: %check %s torch-unscaled-accumulation
//
// Scaled already: in the loss, in the gradients or in the learning rate.

#include "../Inputs/net.h"

static const int Window = 4;
static const float Scale = 1.0f / Window;

static Tensor scaled(const Tensor &loss) { return loss / Window; }

struct Base {
  Tensor scale(Tensor loss) { return loss * Scale; }
};

void ok_divided(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y) / k;
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_divided_in_the_call(Net &net, torch::optim::Optimizer &opt,
                            const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    (loss / k).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_divided_by_a_constant(Net &net, torch::optim::Optimizer &opt,
                              const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss = loss / Window;
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_divided_in_place(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss /= k;
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_div_method(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                   int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y).div(k);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_div_in_place_method(Net &net, torch::optim::Optimizer &opt,
                            const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.div_(k);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_div_function(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    torch::div(loss, k).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_reciprocal(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                   int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y) * (1.0 / k);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_named_reciprocal(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data, int k) {
  int i = 0;
  const double inverse = 1.0 / k;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    (loss * inverse).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_global_reciprocal(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    (Scale * loss).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_mul_method(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                   int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y).mul(Scale);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_mul_in_place(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss *= Scale;
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_tensor_divisor(Net &net, torch::optim::Optimizer &opt,
                       const Batches &data, int k) {
  int i = 0;
  Tensor divisor = torch::tensor(static_cast<float>(k));
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    (loss / divisor).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_outputs_divided(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    Tensor share = loss * 0.25;
    share.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_lambda(Net &net, torch::optim::Optimizer &opt, const Batches &data,
               int k) {
  int i = 0;
  auto share = [k](const Tensor &t) { return t / k; };
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    share(loss).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_helper(Net &net, torch::optim::Optimizer &opt, const Batches &data,
               int k) {
  int i = 0;
  for (const auto &b : data) {
    scaled(torch::mse_loss(net.forward(b.x), b.y)).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_base_class(Net &net, torch::optim::Optimizer &opt, const Batches &data,
                   int k) {
  int i = 0;
  Base base;
  for (const auto &b : data) {
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    base.scale(loss).backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_gradient_argument(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward(torch::full({}, 1.0 / k));
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_gradient_argument_tensor(Net &net, torch::optim::Optimizer &opt,
                                 const Batches &data, int k) {
  int i = 0;
  Tensor weight = torch::tensor(1.0f / k);
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward(weight);
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_gradients_divided(Net &net, torch::optim::Optimizer &opt,
                          const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (++i % k == 0) {
      for (auto &p : net.parameters())
        p.grad().div_(k);
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_gradients_multiplied(Net &net, torch::optim::Optimizer &opt,
                             const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (++i % k == 0) {
      for (auto &p : net.parameters())
        p.mutable_grad().mul_(1.0 / k);
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_gradients_assigned(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (++i % k == 0) {
      for (auto &p : net.parameters())
        p.mutable_grad() = p.grad() / k;
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_learning_rate(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data, int k) {
  int i = 0;
  opt.param_groups()[0].options().set_lr(0.1 / k);
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_sum_of_squares(Net &net, torch::optim::Optimizer &opt,
                       const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = (net.forward(b.x) - b.y).pow(2).sum();
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void ok_sum_reduction(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data, int k) {
  int i = 0;
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y, at::Reduction::Sum);
    loss.backward();
    if (++i % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
