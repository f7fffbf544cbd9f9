#include <torch/torch.h>
#include <algorithm>
#include <iostream>
#include <list>

struct Utterance {
  torch::Tensor frames;
  int64_t speaker;
};

class XVector : public torch::nn::Module {
 public:
  XVector() : tdnn_(register_module("tdnn", torch::nn::Conv1d(torch::nn::Conv1dOptions(40, 64, 5)))),
              out_(register_module("out", torch::nn::Linear(128, 10))) {}
  torch::Tensor forward(const torch::Tensor& frames) {
    auto h = torch::relu(tdnn_(frames));
    return out_(torch::cat({h.mean(-1), h.std(-1)}, 1));
  }

 private:
  torch::nn::Conv1d tdnn_;
  torch::nn::Linear out_;
};

int main() {
  XVector net;
  net.eval();
  std::list<Utterance> test(50, {torch::randn({1, 40, 200}), 3});
  int right = 0;
  std::for_each(test.begin(), test.end(), [&](const Utterance& u) {
    auto logits = net.forward(u.frames);  // EXPECT: missing-no-grad
    if (logits.argmax(1).item<int64_t>() == u.speaker) ++right;
  });
  std::cout << right << " of " << test.size() << '\n';
}
