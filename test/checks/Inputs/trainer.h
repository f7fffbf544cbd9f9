// Functions that other files call, under whatever grad mode.
#pragma once

#include "net.h"

void ok_train_keeps_items(Net &net, torch::optim::Optimizer &optimizer,
                          const Batches &data, std::vector<float> &losses);
void bad_train_keeps_losses(Net &net, torch::optim::Optimizer &optimizer,
                            const Batches &data, std::vector<Tensor> &losses);
void bad_train_in_helpers(Net &net, torch::optim::Optimizer &optimizer,
                          const Batches &data, std::vector<Tensor> &losses);
float ok_only_evaluates(Net &net, const Batches &data);
float ok_trains_or_evaluates(Net &net, torch::optim::Optimizer &optimizer,
                             const Batches &data, bool train);
float ok_returns_early(Net &net, torch::optim::Optimizer &optimizer,
                       const Batches &data, bool train);
void ok_given_loss(torch::optim::Optimizer &optimizer, Tensor loss,
                   std::vector<Tensor> &losses, Net &net, Tensor x);
float bad_evaluates_after_training(Net &net, torch::optim::Optimizer &optimizer,
                                   const Batches &data);
void ok_turns_grad_on(Net &net, torch::optim::Optimizer &optimizer,
                      const Batches &data, std::vector<Tensor> &outputs);

class Trainer {
public:
  void epoch(const Batches &data);
  void reset();
  std::vector<Tensor> seen;

private:
  Net net;
  torch::optim::SGD optimizer{net.parameters(), 0.1};
  std::vector<Tensor> ok_losses;
};

class Recorder {
public:
  void epoch(const Batches &data);
  size_t size() const;

private:
  Net net;
  torch::optim::SGD optimizer{net.parameters(), 0.1};
  std::vector<Tensor> losses;
};

extern std::vector<Tensor> ok_all_losses;
