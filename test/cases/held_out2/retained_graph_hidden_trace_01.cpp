#include <torch/torch.h>
#include <string>
#include <tuple>
#include <vector>

// A character model; the hidden states are plotted after training.
struct CharModel : torch::nn::Module {
  CharModel(int64_t vocabulary, int64_t hidden)
      : embed(vocabulary, hidden), lstm(torch::nn::LSTMOptions(hidden, hidden).batch_first(true)), out(hidden, vocabulary) {
    register_module("embed", embed);
    register_module("lstm", lstm);
    register_module("out", out);
  }
  torch::nn::Embedding embed;
  torch::nn::LSTM lstm;
  torch::nn::Linear out;
};

using LstmState = std::tuple<torch::Tensor, torch::Tensor>;

std::vector<torch::Tensor> train(CharModel& model, const std::vector<torch::Tensor>& chunks, int64_t hidden) {
  torch::optim::Adam adam(model.parameters());
  LstmState state{torch::zeros({1, 1, hidden}), torch::zeros({1, 1, hidden})};
  std::vector<torch::Tensor> trace;
  for (const auto& chunk : chunks) {
    auto input = chunk.slice(0, 0, -1).unsqueeze(0);
    auto [features, next] = model.lstm->forward(model.embed(input), state);
    auto loss = torch::cross_entropy_loss(model.out(features).squeeze(0), chunk.slice(0, 1));
    adam.zero_grad();
    loss.backward();
    adam.step();
    trace.push_back(std::get<0>(next).squeeze());  // EXPECT: retained-graph
    state = LstmState{std::get<0>(next).detach(), std::get<1>(next).detach()};
  }
  return trace;
}

void plot(const std::string& file, const std::vector<float>& values);

int main() {
  CharModel model(96, 128);
  std::vector<torch::Tensor> text(2000, torch::randint(96, {65}, torch::kLong));
  std::vector<float> first_unit;
  for (const auto& h : train(model, text, 128)) first_unit.push_back(h[0].item<float>());
  plot("unit0.png", first_unit);
}
