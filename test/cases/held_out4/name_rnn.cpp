#include <torch/torch.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

static const std::string kLetters = "abcdefghijklmnopqrstuvwxyz '-";

struct NameRNNImpl : torch::nn::Module {
  NameRNNImpl(int64_t in, int64_t hidden, int64_t out) : hidden_(hidden), i2h(in + hidden, hidden), i2o(in + hidden, out) {
    register_module("i2h", i2h);
    register_module("i2o", i2o);
  }
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor h) {
    auto joint = torch::cat({x, h}, 1);
    return {torch::log_softmax(i2o(joint), 1), torch::tanh(i2h(joint))};
  }
  torch::Tensor init_hidden() { return torch::zeros({1, hidden_}); }
  int64_t hidden_;
  torch::nn::Linear i2h, i2o;
};
TORCH_MODULE(NameRNN);

static torch::Tensor encode(const std::string& name) {
  auto t = torch::zeros({int64_t(name.size()), 1, int64_t(kLetters.size())});
  for (size_t i = 0; i < name.size(); ++i) {
    auto pos = kLetters.find(std::tolower(name[i]));
    if (pos != std::string::npos) t[int64_t(i)][0][int64_t(pos)] = 1;
  }
  return t;
}

struct Sample {
  std::string name;
  int64_t label;
};

static std::vector<Sample> samples() {
  return {{"Adamov", 0}, {"Smith", 1}, {"Rossi", 2}, {"Müller", 3}, {"Ivanov", 0}, {"Taylor", 1}, {"Conti", 2}, {"Schneider", 3}};
}

static float train(NameRNN& rnn, torch::optim::Optimizer& opt, const Sample& s) {
  auto hidden = rnn->init_hidden();
  auto line = encode(s.name);
  torch::Tensor out;
  for (int64_t i = 0; i < line.size(0); ++i) std::tie(out, hidden) = rnn->forward(line[i], hidden);
  auto loss = torch::nll_loss(out, torch::tensor({s.label}));
  opt.zero_grad();
  loss.backward({}, /*retain_graph=*/true);
  opt.step();
  return loss.item<float>();
}

static int64_t predict(NameRNN& rnn, const std::string& name) {
  torch::NoGradGuard no_grad;
  auto hidden = rnn->init_hidden();
  torch::Tensor out;
  auto line = encode(name);
  for (int64_t i = 0; i < line.size(0); ++i) std::tie(out, hidden) = rnn->forward(line[i], hidden);
  return out.argmax(1).item<int64_t>();
}

int main() {
  NameRNN rnn(kLetters.size(), 128, 4);
  torch::optim::SGD opt(rnn->parameters(), 0.005);
  auto data = samples();
  std::mt19937 rng(1);
  float acc = 0;
  for (int it = 1; it <= 100000; ++it) {
    acc += train(rnn, opt, data[rng() % data.size()]);
    if (it % 5000 == 0) {
      int ok = 0;
      for (auto& s : data) ok += predict(rnn, s.name) == s.label;
      std::cout << it << " loss " << acc / 5000 << " acc " << ok << "/" << data.size() << "\n";
      acc = 0;
    }
  }
}
