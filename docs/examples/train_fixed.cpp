//===- train_fixed.cpp - The training program, corrected ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// train.cpp without its mistakes: three lines differ, and the list that holds
// numbers instead of tensors.
//
//===----------------------------------------------------------------------===//

#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

namespace {

constexpr int64_t Classes = 3;
constexpr int64_t BatchSize = 32;

/// Points on three arms of a spiral, with some noise.
class Spirals : public torch::data::datasets::Dataset<Spirals> {
public:
  Spirals(int64_t Size, uint64_t Seed) {
    torch::manual_seed(Seed);
    labels_ = torch::randint(Classes, {Size});
    auto radius = torch::rand({Size});
    auto angle = radius * 5 + labels_ * (2 * M_PI / Classes) +
                 torch::randn({Size}) * 0.1;
    points_ = torch::stack({radius * angle.cos(), radius * angle.sin()}, 1);
  }
  torch::data::Example<> get(size_t Index) override {
    return {points_[Index], labels_[Index]};
  }
  torch::optional<size_t> size() const override { return labels_.size(0); }

private:
  torch::Tensor points_, labels_;
};

using Loader = torch::data::StatelessDataLoader<
    torch::data::datasets::MapDataset<Spirals,
                                      torch::data::transforms::Stack<>>,
    torch::data::samplers::RandomSampler>;

std::unique_ptr<Loader> loaderOf(int64_t Size, uint64_t Seed) {
  return torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      Spirals(Size, Seed).map(torch::data::transforms::Stack<>()), BatchSize);
}

struct ClassifierImpl : torch::nn::Module {
  ClassifierImpl()
      : first(register_module("first", torch::nn::Linear(2, 128))),
        second(register_module("second", torch::nn::Linear(128, 128))),
        last(register_module("last", torch::nn::Linear(128, Classes))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first(x));
    x = torch::relu(second(x));
    return last(x);
  }

  torch::nn::Linear first, second, last;
};
TORCH_MODULE(Classifier);

struct Score {
  double loss = 0, accuracy = 0;
};

/// One pass over the data; the gradients of \p MicroBatches batches make one
/// step.
void train(Classifier &model, torch::optim::Optimizer &optimizer,
           Loader &loader, int MicroBatches, std::vector<float> &history) {
  model->train();
  int pending = 0;
  for (auto &batch : loader) {
    auto output = model->forward(batch.data);
    auto loss = torch::nn::functional::cross_entropy(output, batch.target);
    (loss / MicroBatches).backward();
    if (++pending % MicroBatches == 0) {
      optimizer.step();
      optimizer.zero_grad();
    }
    history.push_back(loss.item<float>());
  }
}

Score evaluate(Classifier &model, Loader &loader, bool Verbose) {
  model->eval();
  torch::NoGradGuard no_grad;
  Score score;
  int64_t seen = 0;
  std::vector<torch::Tensor> predictions, truth;
  std::map<int64_t, torch::Tensor> example;
  for (auto &batch : loader) {
    auto output = model->forward(batch.data);
    auto loss = torch::nn::functional::cross_entropy(output, batch.target);
    score.loss += loss.item<double>();
    predictions.push_back(output.argmax(1));
    truth.push_back(batch.target);
    example[batch.target[0].item<int64_t>()] = output[0];
    ++seen;
  }
  score.loss /= seen;
  score.accuracy = torch::cat(predictions)
                       .eq(torch::cat(truth))
                       .to(torch::kFloat)
                       .mean()
                       .item<double>();
  if (Verbose)
    for (const auto &[label, logits] : example)
      std::printf("  class %d is seen as %d\n", static_cast<int>(label),
                  logits.argmax().item<int>());
  return score;
}

} // namespace

int main() {
  torch::manual_seed(1);
  torch::set_num_threads(1);
  auto training = loaderOf(2048, 2);
  auto validation = loaderOf(512, 3);

  Classifier model;
  torch::optim::SGD optimizer(model->parameters(),
                              torch::optim::SGDOptions(0.1).momentum(0.9));
  std::vector<float> history;
  const int Epochs = 12;
  for (int epoch = 1; epoch <= Epochs; ++epoch) {
    train(model, optimizer, *training, /*MicroBatches=*/4, history);
    Score score = evaluate(model, *validation, /*Verbose=*/epoch == Epochs);
    std::printf("epoch %2d  training loss %.4f  loss %.4f  accuracy %.3f\n",
                epoch, history.back(), score.loss, score.accuracy);
  }
  double mean = 0;
  for (float loss : history)
    mean += loss;
  std::printf("mean training loss %.4f over %zu batches\n",
              mean / history.size(), history.size());
}
