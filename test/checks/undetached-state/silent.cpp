// RUN: %check %s torch-undetached-state
//
// Detached at either end, windows, sequences, states without history.

#include "../Inputs/net.h"

#include <algorithm>
#include <deque>
#include <tuple>

using torch::nn::GRU;
using torch::nn::GRUCell;
using torch::nn::LSTM;
using torch::nn::LSTMCell;
using Pair = std::tuple<Tensor, Tensor>;

void ok_detached_at_the_head(GRUCell &cell, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = h.detach();
    h = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
  }
}

void ok_detached_argument(LSTM &lstm, torch::optim::Optimizer &opt,
                          const Batches &data) {
  Tensor h = torch::zeros({1, 4, 32}), c = torch::zeros({1, 4, 32});
  for (const auto &b : data) {
    auto [out, hc] =
        lstm->forward(b.x, std::make_tuple(h.detach(), c.detach()));
    std::tie(h, c) = hc;
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

void ok_detached_at_the_end(LSTM &lstm, torch::optim::Optimizer &opt,
                            const Batches &data) {
  Pair state{torch::zeros({1, 4, 32}), torch::zeros({1, 4, 32})};
  for (const auto &b : data) {
    auto [out, next] = lstm->forward(b.x, state);
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
    state = std::make_tuple(std::get<0>(next).detach(),
                            std::get<1>(next).detach());
  }
}

void ok_detached_in_place(LSTMCell &cell, torch::optim::Optimizer &opt,
                          const Batches &data) {
  Tensor h = torch::zeros({4, 32}), c = torch::zeros({4, 32});
  for (const auto &b : data) {
    std::tie(h, c) = cell(b.x, std::make_tuple(h, c));
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
    h.detach_();
    c.detach_();
  }
}

void ok_both_elements_detached(LSTM &lstm, torch::optim::Optimizer &opt,
                               const Batches &data) {
  Pair state{torch::zeros({1, 4, 32}), torch::zeros({1, 4, 32})};
  for (const auto &b : data) {
    auto [out, next] = lstm->forward(b.x, state);
    state = next;
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
    std::get<0>(state).detach_();
    std::get<1>(state).detach_();
  }
}

void ok_data(GRUCell &cell, torch::optim::Optimizer &opt,
             const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    Tensor next = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(next, b.y).backward();
    opt.step();
    h = next.data().clone();
  }
}

void ok_cloned_and_detached(GRUCell &cell, torch::optim::Optimizer &opt,
                            const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    Tensor next = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(next, b.y).backward();
    opt.step();
    h = next.clone().detach();
  }
}

void ok_copied_under_a_guard(GRUCell &cell, torch::optim::Optimizer &opt,
                             const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell(b.x, h);
    opt.zero_grad();
    torch::mse_loss(h, b.y).backward();
    opt.step();
    torch::NoGradGuard guard;
    h = h.clone();
  }
}

void ok_made_anew(GRU &gru, torch::optim::Optimizer &opt,
                  const Batches &data) {
  Tensor h;
  for (const auto &b : data) {
    h = torch::zeros({1, 4, 32});
    auto [out, next] = gru->forward(b.x, h);
    h = next;
    opt.zero_grad();
    torch::mse_loss(out, b.y).backward();
    opt.step();
  }
}

void ok_one_sequence_at_a_time(GRUCell &cell, torch::optim::Optimizer &opt,
                               const std::vector<Batches> &sequences) {
  for (const auto &sequence : sequences) {
    Tensor h = torch::zeros({4, 32}), loss = torch::zeros({});
    for (const auto &b : sequence) {
      h = cell(b.x, h);
      loss = loss + torch::mse_loss(h, b.y);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

// The state lives outside, and each sequence begins it anew.
void ok_begun_per_sequence(GRUCell &cell, torch::optim::Optimizer &opt,
                           const std::vector<Batches> &sequences) {
  Tensor h;
  for (const auto &sequence : sequences) {
    h = torch::zeros({4, 32});
    std::vector<Tensor> losses;
    for (const auto &b : sequence) {
      h = cell(b.x, h);
      losses.push_back(torch::mse_loss(h, b.y));
    }
    opt.zero_grad();
    torch::stack(losses).mean().backward();
    opt.step();
  }
}

// From the encoder, which has a history of its own.
void ok_begun_by_an_encoder(Net &encoder, GRUCell &decoder,
                            torch::optim::Optimizer &opt,
                            const std::vector<Batches> &sequences) {
  Tensor h;
  for (const auto &sequence : sequences) {
    h = encoder.forward(sequence[0].x);
    Tensor loss = torch::zeros({});
    for (const auto &b : sequence) {
      h = decoder(b.x, h);
      loss = loss + torch::mse_loss(h, b.y);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void ok_truncated(GRUCell &cell, torch::optim::Optimizer &opt,
                  const Batches &data, int window) {
  Tensor h = torch::zeros({4, 32}), loss = torch::zeros({});
  for (size_t t = 0; t < data.size(); ++t) {
    h = cell(data[t].x, h);
    loss = loss + torch::mse_loss(h, data[t].y);
    if ((t + 1) % window == 0) {
      opt.zero_grad();
      loss.backward();
      opt.step();
      loss = torch::zeros({});
      h = h.detach();
    }
  }
}

void ok_truncated_by_chunks(GRU &gru, torch::optim::Optimizer &opt,
                            const Tensor &text, int64_t chunk) {
  Tensor h = torch::zeros({1, 4, 32});
  for (int64_t from = 0; from + chunk < text.size(0); from += chunk) {
    h.detach_();
    Tensor loss = torch::zeros({});
    for (int64_t t = from; t < from + chunk; ++t) {
      auto [out, next] = gru->forward(text[t], h);
      h = next;
      loss += torch::mse_loss(out, text[t + 1]);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

// Backward once, in the last round.
void ok_backward_at_the_end(GRUCell &cell, torch::optim::Optimizer &opt,
                            const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (size_t t = 0; t < data.size(); ++t) {
    h = cell(data[t].x, h);
    if (t + 1 == data.size()) {
      opt.zero_grad();
      torch::mse_loss(h, data[t].y).backward();
      opt.step();
    }
  }
}

void ok_until_it_is_done(GRUCell &cell, torch::optim::Optimizer &opt,
                         const Batches &data) {
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data) {
    h = cell(b.x, h);
    if (b.y.sum().item<float>() > 3) {
      opt.zero_grad();
      torch::mse_loss(h, b.y).backward();
      opt.step();
      break;
    }
  }
}

// Losses of one sequence, differentiated one by one; the step comes after.
void ok_gradients_per_step(GRUCell &cell, torch::optim::Optimizer &opt,
                           const std::vector<Batches> &sequences) {
  for (const auto &sequence : sequences) {
    Tensor h = torch::zeros({4, 32});
    opt.zero_grad();
    for (const auto &b : sequence) {
      h = cell(b.x, h);
      torch::mse_loss(h, b.y).backward({}, /*retain_graph=*/true);
    }
    opt.step();
  }
}

void ok_evaluation(GRUCell &cell, const Batches &data) {
  torch::NoGradGuard guard;
  Tensor h = torch::zeros({4, 32});
  for (const auto &b : data)
    h = cell(b.x, h);
}

// What is chosen has no history.
void ok_tokens(GRU &gru, Net &out, torch::optim::Optimizer &opt,
               const Batches &data) {
  Tensor token = torch::zeros({1, 4});
  for (const auto &b : data) {
    auto [y, ignored] = gru->forward(token.to(torch::kFloat));
    auto logits = out.forward(y);
    opt.zero_grad();
    torch::mse_loss(logits, b.y).backward();
    opt.step();
    token = logits.argmax(1);
  }
}

void ok_moving_average(Net &net, torch::optim::Optimizer &opt,
                       const Batches &data) {
  Tensor baseline = torch::zeros({});
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    (loss - baseline).backward();
    opt.step();
    baseline = 0.9 * baseline + 0.1 * loss.detach();
  }
}

void ok_overwritten_each_round(Net &first, Net &second,
                               torch::optim::Optimizer &opt,
                               const Batches &data) {
  Tensor x;
  for (const auto &b : data) {
    x = first.forward(b.x);
    x = second.forward(x);
    opt.zero_grad();
    torch::mse_loss(x, b.y).backward();
    opt.step();
  }
}

void ok_detached_by_an_algorithm(std::vector<GRUCell> &cells,
                                 torch::optim::Optimizer &opt,
                                 const Batches &data) {
  std::vector<Tensor> states(cells.size(), torch::zeros({4, 64}));
  for (const auto &b : data) {
    std::transform(states.begin(), states.end(), states.begin(),
                   [](const Tensor &t) { return t.detach(); });
    Tensor x = b.x;
    for (size_t l = 0; l < cells.size(); ++l) {
      states[l] = cells[l](x, states[l]);
      x = states[l];
    }
    opt.zero_grad();
    torch::mse_loss(x, b.y).backward();
    opt.step();
  }
}

void ok_detached_one_by_one(std::vector<GRUCell> &cells,
                            torch::optim::Optimizer &opt,
                            const Batches &data) {
  std::vector<Tensor> states(cells.size(), torch::zeros({4, 64}));
  for (const auto &b : data) {
    for (auto &s : states)
      s = s.detach();
    Tensor x = b.x;
    for (size_t l = 0; l < cells.size(); ++l)
      x = states[l] = cells[l](x, states[l]);
    opt.zero_grad();
    torch::mse_loss(x, b.y).backward();
    opt.step();
  }
}

// Two objects of one class: what is written is not what is read.
struct Sample {
  Tensor x, y;
};
void ok_another_object(Net &net, torch::optim::Optimizer &opt,
                       const std::vector<Sample> &data) {
  Sample out;
  for (const Sample &in : data) {
    out.x = net.forward(in.x);
    opt.zero_grad();
    torch::mse_loss(out.x, in.y).backward();
    opt.step();
  }
}

// Different states of one sequence, indexed by time.
void ok_states_by_time(GRUCell &cell, torch::optim::Optimizer &opt,
                       const std::vector<Batches> &sequences) {
  std::vector<Tensor> h(100);
  for (const auto &sequence : sequences) {
    h[0] = torch::zeros({4, 32});
    Tensor loss = torch::zeros({});
    for (size_t t = 0; t + 1 < sequence.size(); ++t) {
      h[t + 1] = cell(sequence[t].x, h[t]);
      loss = loss + torch::mse_loss(h[t + 1], sequence[t].y);
    }
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}
