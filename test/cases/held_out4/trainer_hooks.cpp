#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

enum class Event { EpochStart, EpochEnd, StepEnd };

struct State {
  int64_t epoch = 0, step = 0;
  double loss = 0;
};

class Engine {
 public:
  using Handler = std::function<void(const State&)>;
  void on(Event e, Handler h) { handlers_[e].push_back(std::move(h)); }

 protected:
  void fire(Event e) {
    for (auto& h : handlers_[e]) h(state_);
  }
  State state_;

 private:
  std::map<Event, std::vector<Handler>> handlers_;
};

struct TextCnnImpl : torch::nn::Module {
  TextCnnImpl(int64_t vocab, int64_t classes) {
    emb = register_module("emb", torch::nn::Embedding(vocab, 64));
    conv = register_module("conv", torch::nn::Conv1d(torch::nn::Conv1dOptions(64, 128, 3).padding(1)));
    fc = register_module("fc", torch::nn::Linear(128, classes));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::relu(conv(emb(x).transpose(1, 2)));
    return fc(std::get<0>(h.max(2)));
  }
  torch::nn::Embedding emb{nullptr};
  torch::nn::Conv1d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(TextCnn);

class SupervisedEngine : public Engine {
 public:
  SupervisedEngine(TextCnn model, double lr) : model_(model), optimizer_(model_->parameters(), torch::optim::AdamOptions(lr)) {}

  void run(const torch::Tensor& x, const torch::Tensor& y, int64_t epochs, int64_t batch) {
    for (state_.epoch = 0; state_.epoch < epochs; ++state_.epoch) {
      fire(Event::EpochStart);
      model_->train();
      for (int64_t i = 0; i + batch <= x.size(0); i += batch) {
        state_.loss = train_step(x.slice(0, i, i + batch), y.slice(0, i, i + batch));
        ++state_.step;
        fire(Event::StepEnd);
      }
      fire(Event::EpochEnd);
    }
  }

  double accuracy(const torch::Tensor& x, const torch::Tensor& y) {
    torch::NoGradGuard no_grad;
    model_->eval();
    return model_->forward(x).argmax(1).eq(y).to(torch::kFloat).mean().item<double>();
  }

 private:
  double train_step(const torch::Tensor& x, const torch::Tensor& y) {
    auto loss = torch::nn::functional::cross_entropy(model_->forward(x), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(model_->parameters(), 1.0);
    optimizer_.step();
    return loss.item<double>();
  }

  TextCnn model_;
  torch::optim::Adam optimizer_;
};

int main() {
  auto x = torch::randint(10000, {4096, 40}, torch::kLong), y = torch::randint(6, {4096}, torch::kLong);
  SupervisedEngine engine(TextCnn(10000, 6), 1e-3);
  engine.on(Event::StepEnd, [](const State& s) {
    if (s.step % 50 == 0) std::cout << "step " << s.step << " loss " << s.loss << "\n";
  });
  engine.on(Event::EpochEnd, [&](const State& s) { std::cout << "epoch " << s.epoch << " acc " << engine.accuracy(x, y) << "\n"; });
  engine.run(x, y, 5, 64);
}
