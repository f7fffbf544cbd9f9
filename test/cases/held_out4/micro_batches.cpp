#include <torch/torch.h>
#include <iostream>
#include <string>

struct Options {
  int64_t batch = 8, accumulate = 4, epochs = 10;
  double lr = 3e-4;
};

struct TransformerClassifierImpl : torch::nn::Module {
  TransformerClassifierImpl(int64_t vocab, int64_t d, int64_t classes)
      : emb(vocab, d), enc(torch::nn::TransformerEncoderLayerOptions(d, 4).dim_feedforward(2 * d).dropout(0.1)), head(d, classes) {
    register_module("emb", emb);
    register_module("enc", enc);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor tokens) {
    auto x = emb(tokens).transpose(0, 1);
    return head(enc(x).mean(0));
  }
  torch::nn::Embedding emb;
  torch::nn::TransformerEncoderLayer enc;
  torch::nn::Linear head;
};
TORCH_MODULE(TransformerClassifier);

static double run_epoch(TransformerClassifier& model, torch::optim::Optimizer& optimizer, const torch::Tensor& x,
                        const torch::Tensor& y, const Options& o) {
  model->train();
  double sum = 0;
  int64_t step = 0;
  for (int64_t i = 0; i + o.batch <= x.size(0); i += o.batch) {
    optimizer.zero_grad();
    auto logits = model->forward(x.slice(0, i, i + o.batch));
    auto loss = torch::nn::functional::cross_entropy(logits, y.slice(0, i, i + o.batch)) / double(o.accumulate);
    loss.backward();
    sum += loss.item<double>() * o.accumulate;
    ++step;
    if (step % o.accumulate == 0) {
      torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
      optimizer.step();
    }
  }
  return sum / step;
}

static double evaluate(TransformerClassifier& model, const torch::Tensor& x, const torch::Tensor& y) {
  torch::NoGradGuard no_grad;
  model->eval();
  return model->forward(x).argmax(1).eq(y).to(torch::kFloat).mean().item<double>();
}

int main(int argc, char** argv) {
  Options o;
  if (argc > 1) o.accumulate = std::stoll(argv[1]);
  TransformerClassifier model(5000, 64, 4);
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(o.lr));
  torch::optim::StepLR scheduler(optimizer, 3, 0.5);
  auto x = torch::randint(5000, {2048, 32}, torch::kLong), y = torch::randint(4, {2048}, torch::kLong);
  auto vx = torch::randint(5000, {256, 32}, torch::kLong), vy = torch::randint(4, {256}, torch::kLong);
  for (int64_t e = 0; e < o.epochs; ++e) {
    auto loss = run_epoch(model, optimizer, x, y, o);
    scheduler.step();
    std::cout << e << " " << loss << " " << evaluate(model, vx, vy) << "\n";
  }
}
