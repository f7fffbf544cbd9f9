#include <torch/torch.h>
#include <cmath>
#include <iostream>
#include <tuple>

using Hidden = std::tuple<torch::Tensor, torch::Tensor>;

struct RNNModelImpl : torch::nn::Module {
  RNNModelImpl(int64_t vocab, int64_t emb, int64_t hid, int64_t layers)
      : hid_(hid), layers_(layers), drop(0.2), encoder(vocab, emb),
        rnn(torch::nn::LSTMOptions(emb, hid).num_layers(layers).dropout(0.2)), decoder(hid, vocab) {
    register_module("drop", drop);
    register_module("encoder", encoder);
    register_module("rnn", rnn);
    register_module("decoder", decoder);
  }
  std::pair<torch::Tensor, Hidden> forward(torch::Tensor input, Hidden hidden) {
    auto emb = drop(encoder(input));
    auto [out, next] = rnn->forward(emb, hidden);
    auto decoded = decoder(drop(out));
    return {torch::log_softmax(decoded.view({-1, decoded.size(-1)}), 1), next};
  }
  Hidden init_hidden(int64_t bsz) {
    auto w = this->parameters().front();
    return {w.new_zeros({layers_, bsz, hid_}), w.new_zeros({layers_, bsz, hid_})};
  }
  int64_t hid_, layers_;
  torch::nn::Dropout drop;
  torch::nn::Embedding encoder;
  torch::nn::LSTM rnn;
  torch::nn::Linear decoder;
};
TORCH_MODULE(RNNModel);

static Hidden repackage_hidden(const Hidden& h) { return {std::get<0>(h).detach(), std::get<1>(h).detach()}; }

static torch::Tensor batchify(torch::Tensor data, int64_t bsz) {
  auto n = data.size(0) / bsz;
  return data.narrow(0, 0, n * bsz).view({bsz, -1}).t().contiguous();
}

static std::pair<torch::Tensor, torch::Tensor> get_batch(const torch::Tensor& source, int64_t i, int64_t bptt) {
  auto len = std::min(bptt, source.size(0) - 1 - i);
  return {source.slice(0, i, i + len), source.slice(0, i + 1, i + 1 + len).reshape({-1})};
}

static double evaluate(RNNModel& model, const torch::Tensor& source) {
  model->eval();
  double total = 0;
  auto hidden = model->init_hidden(10);
  torch::NoGradGuard no_grad;
  for (int64_t i = 0; i < source.size(0) - 1; i += 35) {
    auto [data, targets] = get_batch(source, i, 35);
    auto [output, next] = model->forward(data, hidden);
    hidden = repackage_hidden(next);
    total += data.size(0) * torch::nll_loss(output, targets).item<double>();
  }
  return total / (source.size(0) - 1);
}

static void train(RNNModel& model, const torch::Tensor& source, double lr) {
  model->train();
  double total = 0;
  auto hidden = model->init_hidden(20);
  int64_t b = 0;
  for (int64_t i = 0; i < source.size(0) - 1; i += 35, ++b) {
    auto [data, targets] = get_batch(source, i, 35);
    model->zero_grad();
    hidden = repackage_hidden(hidden);
    torch::Tensor output;
    std::tie(output, hidden) = model->forward(data, hidden);
    auto loss = torch::nll_loss(output, targets);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(model->parameters(), 0.25);
    for (auto& p : model->parameters()) p.data().add_(p.grad(), -lr);
    total += loss.item<double>();
    if (b % 200 == 199) {
      std::cout << "ppl " << std::exp(total / 200) << "\n";
      total = 0;
    }
  }
}

int main() {
  auto corpus = torch::randint(1000, {200000}, torch::kLong);
  auto train_data = batchify(corpus.slice(0, 0, 180000), 20);
  auto val_data = batchify(corpus.slice(0, 180000, 200000), 10);
  RNNModel model(1000, 200, 200, 2);
  double lr = 20, best = 1e9;
  for (int epoch = 1; epoch <= 40; ++epoch) {
    train(model, train_data, lr);
    double val = evaluate(model, val_data);
    if (val < best) {
      best = val;
      torch::save(model, "model.pt");
    } else {
      lr /= 4;
    }
  }
}
