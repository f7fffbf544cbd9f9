#include <torch/script.h>
#include <algorithm>
#include <iostream>
#include <vector>

int main(int argc, const char* argv[]) {
  if (argc != 2) {
    std::cerr << "usage: classify MODEL\n";
    return -1;
  }
  torch::jit::script::Module module;
  try {
    module = torch::jit::load(argv[1]);
  } catch (const c10::Error& e) {
    std::cerr << "cannot load the model: " << e.what_without_backtrace() << '\n';
    return -1;
  }
  module.to(at::kCPU);

  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(torch::ones({1, 3, 224, 224}));
  at::Tensor output = module.forward(inputs).toTensor();  // EXPECT: missing-no-grad

  auto [scores, classes] = torch::softmax(output, 1).topk(5);
  for (int i = 0; i < 5; ++i)
    std::cout << classes[0][i].item<int64_t>() << ' ' << scores[0][i].item<float>() << '\n';
  return 0;
}
