#include <torch/torch.h>
#include <iostream>
#include <random>

constexpr int64_t SOS = 0, EOS = 1, MAX_LEN = 12;

struct EncoderImpl : torch::nn::Module {
  EncoderImpl(int64_t vocab, int64_t hidden) : hidden_(hidden) {
    emb = register_module("emb", torch::nn::Embedding(vocab, hidden));
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(hidden, hidden)));
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor tok, torch::Tensor h) {
    return gru->forward(emb->forward(tok).view({1, 1, -1}), h);
  }
  torch::Tensor init() const { return torch::zeros({1, 1, hidden_}); }
  int64_t hidden_;
  torch::nn::Embedding emb{nullptr};
  torch::nn::GRU gru{nullptr};
};
TORCH_MODULE(Encoder);

struct DecoderImpl : torch::nn::Module {
  DecoderImpl(int64_t hidden, int64_t vocab) {
    emb = register_module("emb", torch::nn::Embedding(vocab, hidden));
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(hidden, hidden)));
    out = register_module("out", torch::nn::Linear(hidden, vocab));
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor tok, torch::Tensor h) {
    auto x = torch::relu(emb->forward(tok).view({1, 1, -1}));
    auto r = gru->forward(x, h);
    return {torch::log_softmax(out->forward(std::get<0>(r)[0]), 1), std::get<1>(r)};
  }
  torch::nn::Embedding emb{nullptr};
  torch::nn::GRU gru{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(Decoder);

static float train_pair(Encoder& enc, Decoder& dec, torch::optim::Optimizer& eo, torch::optim::Optimizer& dopt,
                        torch::Tensor input, torch::Tensor target, bool teacher) {
  auto hidden = enc->init();
  eo.zero_grad();
  dopt.zero_grad();
  for (int64_t i = 0; i < input.size(0); ++i) hidden = std::get<1>(enc->forward(input[i], hidden));
  torch::Tensor loss = torch::zeros({});
  auto tok = torch::full({1}, SOS, torch::kLong);
  for (int64_t i = 0; i < target.size(0); ++i) {
    auto [logp, next] = dec->forward(tok, hidden);
    hidden = next;
    loss += torch::nll_loss(logp, target[i].view({1}));
    if (teacher) {
      tok = target[i].view({1});
    } else {
      tok = logp.argmax(1).detach();
      if (tok.item<int64_t>() == EOS) break;
    }
  }
  loss.backward();
  eo.step();
  dopt.step();
  return loss.item<float>() / target.size(0);
}

static std::vector<int64_t> translate(Encoder& enc, Decoder& dec, torch::Tensor input) {
  torch::NoGradGuard no_grad;
  auto h = enc->init();
  for (int64_t i = 0; i < input.size(0); ++i) h = std::get<1>(enc->forward(input[i], h));
  std::vector<int64_t> words;
  auto tok = torch::full({1}, SOS, torch::kLong);
  for (int64_t i = 0; i < MAX_LEN; ++i) {
    torch::Tensor logp;
    std::tie(logp, h) = dec->forward(tok, h);
    tok = logp.argmax(1);
    if (tok.item<int64_t>() == EOS) break;
    words.push_back(tok.item<int64_t>());
  }
  return words;
}

int main() {
  std::mt19937 rng(3);
  std::bernoulli_distribution coin(0.5);
  Encoder enc(300, 128);
  Decoder dec(128, 280);
  torch::optim::SGD eo(enc->parameters(), 0.01), dopt(dec->parameters(), 0.01);
  float acc = 0;
  for (int it = 1; it <= 75000; ++it) {
    auto input = torch::randint(2, 300, {8}, torch::kLong);
    auto target = torch::cat({torch::randint(2, 280, {7}, torch::kLong), torch::full({1}, EOS, torch::kLong)});
    acc += train_pair(enc, dec, eo, dopt, input, target, coin(rng));
    if (it % 1000 == 0) {
      std::cout << it << " " << acc / 1000 << " " << translate(enc, dec, input).size() << "\n";
      acc = 0;
    }
  }
}
