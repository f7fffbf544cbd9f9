// RUN: %check %s torch-retained-graph
//
// Where the holder lives: members, globals, statics, captures, parameters.

#include "../Inputs/net.h"

std::vector<Tensor> Log;

void bad_global(Net &net, const Batches &data) {
  for (const auto &b : data)
    Log.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

// No caller is known: a function that trains is called again and again.
void bad_static_local(Net &net, torch::optim::Optimizer &opt, const Batch &b) {
  static std::vector<Tensor> history;
  opt.zero_grad();
  Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
  loss.backward();
  opt.step();
  history.push_back(loss);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

class Trainer {
public:
  explicit Trainer(std::shared_ptr<Net> net)
      : net_(net), opt_(net->parameters(), 0.1) {}

  void bad_member(const Batch &b) {
    opt_.zero_grad();
    Tensor loss = torch::mse_loss(net_->forward(b.x), b.y);
    loss.backward();
    opt_.step();
    losses_.push_back(loss);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }

  void bad_member_sum(const Batch &b) {
    opt_.zero_grad();
    Tensor loss = torch::mse_loss(net_->forward(b.x), b.y);
    loss.backward();
    opt_.step();
    this->total_ += loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }

  void ok_member_of_numbers(const Batch &b) {
    opt_.zero_grad();
    Tensor loss = torch::mse_loss(net_->forward(b.x), b.y);
    loss.backward();
    opt_.step();
    numbers_.push_back(loss.item<float>());
  }

  void ok_member_overwritten(const Batch &b) {
    last_ = torch::mse_loss(net_->forward(b.x), b.y);
  }

private:
  std::shared_ptr<Net> net_;
  torch::optim::SGD opt_;
  std::vector<Tensor> losses_;
  std::vector<float> numbers_;
  Tensor total_ = torch::zeros({1});
  Tensor last_;
};

void bad_capture(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  auto step = [&](const Batch &b) {
    kept.push_back(net.forward(b.x));
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  };
  for (const auto &b : data)
    step(b);
}

// Whose list it is shows at the call.
static void bad_reference_parameter(Net &net, const Batches &data,
                                    std::vector<Tensor> &out) {
  for (const auto &b : data)
    out.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

static void bad_pointer_parameter(Net &net, const Batches &data,
                                  std::vector<Tensor> *out) {
  for (const auto &b : data)
    out->push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

struct Stats {
  std::vector<Tensor> outputs;
};

static void bad_field(Net &net, const Batches &data, Stats &stats) {
  for (const auto &b : data)
    stats.outputs.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

size_t owner(Net &net, const Batches &data) {
  std::vector<Tensor> kept;
  Stats stats;
  bad_reference_parameter(net, data, kept);
  bad_pointer_parameter(net, data, &kept);
  bad_field(net, data, stats);
  return kept.size() + stats.outputs.size();
}

// No caller is known, and one may run backward over what it gets.
void ok_unknown_owner(Net &net, const Batches &data, std::vector<Tensor> &out) {
  for (const auto &b : data)
    out.push_back(net.forward(b.x));
}

static void ok_owner_runs_backward(Net &net, const Batches &data,
                                   std::vector<Tensor> &out) {
  for (const auto &b : data)
    out.push_back(torch::mse_loss(net.forward(b.x), b.y));
}
void trains(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  std::vector<Tensor> losses;
  ok_owner_runs_backward(net, data, losses);
  opt.zero_grad();
  torch::stack(losses).mean().backward();
  opt.step();
}

void bad_alias(Net &net, const Batches &data) {
  Stats stats;
  auto &outputs = stats.outputs;
  for (const auto &b : data)
    outputs.push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}

void bad_shared_pointer(Net &net, const Batches &data) {
  auto kept = std::make_shared<std::vector<Tensor>>();
  for (const auto &b : data)
    kept->push_back(net.forward(b.x));
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
}
