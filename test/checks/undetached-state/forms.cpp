// RUN: %check %s torch-undetached-state
//
// State that goes from round to round with its history, under a backward in
// each round.

#include "../Inputs/net.h"

#include <array>
#include <map>
#include <tuple>

using torch::nn::GRU;
using torch::nn::GRUCell;
using torch::nn::LSTM;
using torch::nn::LSTMCell;
using Pair = std::tuple<Tensor, Tensor>;

void bad_lstm_tie(LSTM &lstm, torch::optim::Optimizer &opt,
                  const Batches &data) {
  auto h = torch::zeros({1, 4, 32}), c = torch::zeros({1, 4, 32});
  for (const auto &b : data) {
    auto [out, hc] = lstm->forward(b.x, std::make_tuple(h, c));
    std::tie(h, c) = hc;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'h' carries its autograd history into the next iteration [torch-undetached-state]
    opt.zero_grad();
    out.sum().backward({}, /*retain_graph=*/true);
    opt.step();
  }
}

void bad_lstm_tuple(LSTM &lstm, torch::optim::Optimizer &opt,
                    const Batches &data) {
  Pair state{torch::zeros({1, 4, 32}), torch::zeros({1, 4, 32})};
  for (const auto &b : data) {
    auto [out, next] = lstm->forward(b.x, state);
    state = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

void bad_get(LSTM &lstm, torch::optim::Optimizer &opt, const Batches &data) {
  Tensor h = torch::zeros({1, 4, 32}), c = torch::zeros({1, 4, 32});
  for (const auto &b : data) {
    auto result = lstm->forward(b.x, std::make_tuple(h, c));
    auto loss = torch::mse_loss(std::get<0>(result), b.y);
    opt.zero_grad();
    loss.backward();
    opt.step();
    h = std::get<0>(std::get<1>(result));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    c = std::get<1>(std::get<1>(result)).detach();
  }
}

void bad_gru_outer_tie(GRU &gru, torch::optim::Optimizer &opt,
                       const Batches &data) {
  Tensor out, h = torch::zeros({1, 4, 32});
  for (const auto &b : data) {
    std::tie(out, h) = gru->forward(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} 'h' carries {{.*}} [torch-undetached-state]
    auto loss = torch::mse_loss(out, b.y);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void bad_cell(GRUCell &cell, Net &head, torch::optim::Optimizer &opt,
              const Batches &data) {
  Tensor h = torch::zeros({4, 64});
  for (const auto &b : data) {
    h = cell(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    auto loss = torch::mse_loss(head.forward(h), b.y);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void bad_detach_of_the_other(LSTMCell &cell, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor h = torch::zeros({4, 32}), c = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = h.detach();
    std::tie(h, c) = cell(b.x, std::make_tuple(h, c));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} 'c' carries {{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

void bad_one_element_detached(LSTM &lstm, torch::optim::Optimizer &opt,
                              const Batches &data) {
  Pair state{torch::zeros({1, 4, 32}), torch::zeros({1, 4, 32})};
  for (const auto &b : data) {
    auto [out, next] = lstm->forward(b.x, state);
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
    state = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    std::get<0>(state).detach_();
  }
}

void bad_discarded_detach(GRUCell &cell, torch::optim::Optimizer &opt,
                          const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
    h.detach();
  }
}

// clone() and to() keep the history.
void bad_clone(GRUCell &cell, torch::optim::Optimizer &opt,
               const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    Tensor next = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(next, b.y).backward();
    opt.step();
    h = next.clone();
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
  }
}

void bad_hand_written(torch::optim::Optimizer &opt, const Batches &data,
                      torch::nn::Linear in, torch::nn::Linear rec) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = torch::tanh(torch::matmul(b.x, in->weight) +
                    torch::matmul(h, rec->weight));
    // CHECK-MESSAGES: :[[@LINE-2]]:{{.*}} [torch-undetached-state]
    auto loss = torch::mse_loss(h, b.y);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

// Two names of one state: one report, where it is handed on.
void bad_two_names(GRUCell &cell, torch::optim::Optimizer &opt,
                   const Batches &data) {
  Tensor previous = torch::zeros({4, 32}), h;
  for (const auto &b : data) {
    h = cell(b.x, previous);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
    previous = h;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} 'previous' carries {{.*}} [torch-undetached-state]
  }
}

// A first time is no new beginning.
void bad_made_once(GRU &gru, torch::optim::Optimizer &opt,
                   const Batches &data) {
  Tensor h;
  for (size_t i = 0; i < data.size(); ++i) {
    if (i == 0)
      h = torch::zeros({1, 4, 32});
    auto [out, next] = gru->forward(data[i].x, h);
    h = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(out, data[i].y).backward();
    opt.step();
  }
}

// The state is made once and not per sequence.
void bad_over_sequences(GRUCell &cell, torch::optim::Optimizer &opt,
                        const std::vector<Batches> &sequences) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &sequence : sequences) {
    Tensor loss = torch::zeros({});
    for (const auto &b : sequence) {
      h = cell(b.x, h);
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
      loss = loss + torch::mse_loss(h, b.y);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

// A window whose end does not detach.
void bad_window(GRUCell &cell, torch::optim::Optimizer &opt,
                const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  Tensor loss = torch::zeros({});
  for (size_t t = 0; t < data.size(); ++t) {
    h = cell(data[t].x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    loss = loss + torch::mse_loss(h, data[t].y);
    if ((t + 1) % 8 == 0) {
      opt.zero_grad();
      loss.backward();
      opt.step();
      loss = torch::zeros({});
    }
  }
}

void bad_per_layer(std::vector<GRUCell> &cells, torch::optim::Optimizer &opt,
                   const Batches &data) {
  std::vector<Tensor> states(cells.size(), torch::zeros({4, 64}));
  for (const auto &b : data) {
    Tensor x = b.x;
    for (size_t l = 0; l < cells.size(); ++l) {
      states[l] = cells[l](x, states[l]);
      // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
      x = states[l];
    }
    opt.zero_grad();
    torch::mse_loss(x, b.y).backward();
    opt.step();
  }
}

void bad_by_key(GRUCell &cell, torch::optim::Optimizer &opt,
                const Batches &data) {
  std::map<std::string, Tensor> memory{{"slow", torch::zeros({4, 32})}};
  for (const auto &b : data) {
    memory["slow"] = cell(b.x, memory["slow"]);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(memory["slow"], b.y).backward();
    opt.step();
  }
}

struct Memory {
  Tensor h, c;
};
void bad_in_a_struct(LSTMCell &cell, torch::optim::Optimizer &opt,
                     const Batches &data) {
  Memory m{torch::zeros({4, 32}), torch::zeros({4, 32})};
  for (const auto &b : data) {
    std::tie(m.h, m.c) = cell(b.x, std::make_tuple(m.h, m.c));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(m.h, b.y).backward();
    opt.step();
  }
}

void bad_optional(LSTM &lstm, torch::optim::Optimizer &opt,
                  const Batches &data) {
  torch::optional<Pair> state;
  for (const auto &b : data) {
    auto [out, next] = lstm->forward(b.x, state);
    state = next;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

// A sum of all losses, differentiated in each round.
void bad_running_loss(Net &net, torch::optim::Optimizer &opt,
                      const Batches &data) {
  Tensor total = torch::zeros({});
  for (const auto &b : data) {
    total += torch::mse_loss(net.forward(b.x), b.y);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    total.backward();
    opt.step();
  }
}

void bad_while(GRUCell &cell, torch::optim::Optimizer &opt,
               const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  size_t i = 0;
  while (i < data.size()) {
    const Batch &b = data[i++];
    h = cell(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    auto loss = torch::mse_loss(h, b.y);
    if (!loss.requires_grad())
      continue;
    opt.zero_grad();
    torch::autograd::backward({loss});
    opt.step();
  }
}

template <class Cell>
void bad_template(Cell &cell, torch::optim::Optimizer &opt,
                  const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell->forward(b.x, h);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-undetached-state]
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}
template void bad_template<GRUCell>(GRUCell &, torch::optim::Optimizer &,
                                    const Batches &);
