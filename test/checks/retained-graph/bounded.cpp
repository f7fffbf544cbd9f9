// RUN: %check %s torch-retained-graph
//
// Holders that do not grow, or whose history is needed.

#include "../Inputs/net.h"

#include <deque>
#include <map>

void ok_cleared_each_window(Net &net, const Batches &data) {
  std::vector<Tensor> window;
  for (size_t i = 0; i < data.size(); ++i) {
    window.push_back(net.forward(data[i].x));
    if (i % 10 == 9)
      window.clear();
  }
}

void ok_ring(Net &net, const Batches &data) {
  std::deque<Tensor> recent;
  for (const auto &b : data) {
    recent.push_back(net.forward(b.x));
    if (recent.size() > 16)
      recent.pop_front();
  }
}

void ok_erase(Net &net, const Batches &data) {
  std::vector<Tensor> recent;
  for (const auto &b : data) {
    recent.push_back(net.forward(b.x));
    if (recent.size() > 16)
      recent.erase(recent.begin());
  }
}

void ok_capacity_test(Net &net, const Batches &data) {
  std::vector<Tensor> samples;
  for (const auto &b : data)
    if (samples.size() < 8)
      samples.push_back(net.forward(b.x));
}

void ok_ring_by_modulus(Net &net, const Batches &data) {
  std::vector<Tensor> ring(16);
  for (size_t i = 0; i < data.size(); ++i)
    ring[i % 16] = net.forward(data[i].x);
}

void ok_assigned_anew(Net &net, const std::vector<Batches> &epochs) {
  std::vector<Tensor> outputs;
  for (const auto &data : epochs) {
    outputs = {};
    outputs.push_back(net.forward(data[0].x));
  }
}

void ok_swapped_away(Net &net, const std::vector<Batches> &epochs) {
  std::vector<Tensor> outputs;
  for (const auto &data : epochs) {
    outputs.push_back(net.forward(data[0].x));
    std::vector<Tensor>().swap(outputs);
  }
}

// The container dies with the iteration of the only loop that calls.
void ok_made_inside_the_loop(Net &net, const std::vector<Batch> &data) {
  for (const auto &b : data) {
    std::vector<Tensor> layers;
    layers.push_back(net.forward(b.x));
    layers.push_back(net.forward(b.y));
  }
}

void ok_loss_over_the_container(Net &net, torch::optim::Optimizer &opt,
                                const std::vector<Batches> &epochs) {
  for (const auto &data : epochs) {
    std::vector<Tensor> losses;
    for (const auto &b : data)
      losses.push_back(torch::mse_loss(net.forward(b.x), b.y));
    opt.zero_grad();
    torch::stack(losses).mean().backward();
    opt.step();
  }
}

void ok_reinforce(Net &policy, torch::optim::Optimizer &opt) {
  for (int episode = 0; episode < 100; ++episode) {
    std::vector<Tensor> log_probs;
    std::vector<float> rewards;
    for (int step = 0; step < 50; ++step) {
      auto probs = torch::softmax(policy.forward(torch::randn({1, 64})), 1);
      auto action = probs.multinomial(1);
      log_probs.push_back(probs.gather(1, action).log());
      rewards.push_back(action.item<float>());
    }
    Tensor loss = torch::zeros({1});
    for (size_t i = 0; i < log_probs.size(); ++i)
      loss = loss - log_probs[i].sum() * rewards[i];
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

class Agent : public torch::nn::Module {
public:
  Tensor act(Tensor state) {
    auto probs = torch::softmax(net_->forward(state), 1);
    saved_.push_back(probs.log());
    return probs.multinomial(1);
  }
  void finish_episode(torch::optim::Optimizer &opt) {
    opt.zero_grad();
    (-torch::cat(saved_).sum()).backward();
    opt.step();
    saved_.clear();
  }

private:
  torch::nn::Linear net_{nullptr};
  std::vector<Tensor> saved_;
};

// What a forward collects feeds its own result.
struct Pyramid : torch::nn::Module {
  Tensor forward(Tensor x) {
    std::vector<Tensor> levels;
    for (int i = 0; i < 4; ++i) {
      x = torch::relu(l->forward(x));
      levels.push_back(x);
    }
    return torch::cat(levels, 1);
  }
  std::vector<Tensor> features(Tensor x) {
    std::vector<Tensor> levels;
    for (int i = 0; i < 4; ++i) {
      x = torch::relu(l->forward(x));
      levels.push_back(x);
    }
    return levels;
  }
  torch::nn::Linear l{nullptr};
};

std::vector<Tensor> pyramid_of(Pyramid &net, Tensor x) {
  return net.features(x);
}

void ok_unrolled_state(torch::nn::GRUCell &cell, torch::optim::Optimizer &opt,
                       const std::vector<Batches> &sequences) {
  for (const auto &sequence : sequences) {
    Tensor h;
    std::vector<Tensor> outputs;
    for (const auto &b : sequence) {
      h = cell->forward(b.x, h);
      outputs.push_back(h);
    }
    opt.zero_grad();
    torch::stack(outputs).pow(2).mean().backward();
    opt.step();
  }
}

// Nobody here knows what the callee does with them.
void consume(std::vector<Tensor> &outputs);
void ok_unknown_callee(Net &net, const Batches &data) {
  std::vector<Tensor> outputs;
  for (const auto &b : data)
    outputs.push_back(net.forward(b.x));
  consume(outputs);
}

// These callees only look.
void bad_only_looked_at(Net &net, const Batches &data) {
  std::vector<Tensor> outputs;
  for (const auto &b : data)
    outputs.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  torch::save(outputs, "outputs.pt");
}

double bad_stacked_then_item(Net &net, const Batches &data) {
  std::vector<Tensor> losses;
  for (const auto &b : data)
    losses.push_back(torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  return torch::stack(losses).mean().item<double>();
}

double bad_summed_then_item(Net &net, const Batches &data) {
  std::vector<Tensor> losses;
  for (const auto &b : data)
    losses.push_back(torch::mse_loss(net.forward(b.x), b.y));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  double total = 0;
  for (const auto &loss : losses)
    total += loss.item<double>();
  return total;
}

// What else is there or not says nothing about the holder ...
void ok_popped_behind_a_skip(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  for (const auto &b : data) {
    Tensor out = net.forward(b.x);
    if (!out.defined())
      continue;
    kept.push_back(out);
    if (kept.size() > 5)
      kept.erase(kept.begin());
  }
}

// ... but a first time is no bound.
Tensor bad_started_once(Net &net, const Batches &data) {
  Tensor total;
  for (const auto &b : data) {
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    if (!total.defined())
      total = torch::zeros({});
    total += loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    loss.backward();
  }
  return total.detach();
}
