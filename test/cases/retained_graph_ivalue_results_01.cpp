#include <torch/script.h>
#include <torch/torch.h>
#include <iostream>
#include <vector>

// Runs a TorchScript detector over a folder's worth of tensors.
int main(int argc, const char** argv) {
  if (argc < 2) return 1;
  torch::jit::script::Module detector = torch::jit::load(argv[1]);
  detector.eval();

  std::vector<torch::jit::IValue> results;
  for (int i = 2; i < argc; ++i) {
    torch::Tensor image;
    torch::load(image, std::string(argv[i]));
    std::vector<torch::jit::IValue> inputs;
    inputs.push_back(image.unsqueeze(0));
    results.emplace_back(detector.forward(inputs));  // EXPECT: retained-graph
  }

  for (const auto& r : results) {
    const auto tuple = r.toTuple();
    std::cout << tuple->elements()[0].toTensor().sizes() << ' ' << tuple->elements()[1].toTensor().max().item<float>()
              << '\n';
  }
}
