#include <torch/torch.h>
#include <iostream>
#include <string>
#include <vector>

using torch::Tensor;

struct Stage {
  std::string name;
  torch::nn::AnyModule module;
};

// A pipeline of type-erased trained modules, run once per request.
class Pipeline {
 public:
  void add(std::string name, torch::nn::AnyModule m) {
    m.ptr()->eval();
    stages_.push_back({std::move(name), std::move(m)});
  }
  std::vector<float> serve(const std::vector<float>& request) {
    Tensor x = torch::tensor(request).unsqueeze(0);
    for (auto& s : stages_) x = s.module.forward(x);  // EXPECT: missing-no-grad
    x = x.contiguous();
    return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()};
  }

 private:
  std::vector<Stage> stages_;
};

int main() {
  Pipeline p;
  p.add("in", torch::nn::AnyModule(torch::nn::Linear(3, 8)));
  p.add("out", torch::nn::AnyModule(torch::nn::Linear(8, 2)));
  for (int i = 0; i < 1000; ++i) std::cout << p.serve({1.f, 2.f, 3.f})[0] << '\n';
}
