// A pipeline of AnyModules; the only caller of the evaluation holds the guard, training callers do not.
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <utility>
#include <vector>

struct ScaleImpl : torch::nn::Module {
  explicit ScaleImpl(int64_t width) { gain = register_parameter("gain", torch::ones({width})); }
  torch::Tensor forward(torch::Tensor x) { return x * gain; }
  torch::Tensor gain;
};
TORCH_MODULE(Scale);

class Pipeline : public torch::nn::Module {
 public:
  Pipeline() {
    add("in", torch::nn::Linear(14, 28));
    add("scale", Scale(28));
    add("act", torch::nn::ReLU());
    add("out", torch::nn::Linear(28, 3));
  }

  torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor>* taps = nullptr) {
    for (auto& s : stages_) {
      x = s.forward(x);
      if (taps) taps->push_back(x);
    }
    return x;
  }

 private:
  template <typename M>
  void add(const std::string& name, M module) {
    register_module(name, module);
    stages_.push_back(torch::nn::AnyModule(module));
  }
  std::vector<torch::nn::AnyModule> stages_;
};

using Callback = std::function<void(int, double)>;

static double error_rate(Pipeline& p, const torch::Tensor& x, const torch::Tensor& y) {
  p.eval();
  std::vector<torch::Tensor> taps;
  auto out = p.forward(x, &taps);
  p.train();
  if (taps.front().isnan().any().item<bool>()) std::cerr << "nan in the first stage\n";
  return out.argmax(1).ne(y).to(torch::kFloat).mean().item<double>();
}

static void fit_pipeline(Pipeline& p, torch::optim::Optimizer& opt, const Callback& done) {
  const auto vx = torch::randn({500, 14}), w = torch::randn({14, 3});
  const auto vy = torch::matmul(vx, w).argmax(1);
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (int i = 0; i < 100; ++i) {
      auto x = torch::randn({64, 14});
      auto y = torch::matmul(x, w).argmax(1);
      opt.zero_grad();
      torch::cross_entropy_loss(p.forward(x), y).backward();
      opt.step();
    }
    torch::NoGradGuard off;
    done(epoch, error_rate(p, vx, vy));
  }
}

int main() {
  Pipeline pipeline;
  torch::optim::Adam opt(pipeline.parameters(), 1e-3);
  std::vector<double> errors;
  fit_pipeline(pipeline, opt, [&errors](int epoch, double e) {
    errors.push_back(e);
    std::cout << epoch << " " << e << "\n";
  });
}
