#include <torch/script.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

class ImageClassifier {
 public:
  ImageClassifier(const std::string& model, const std::string& labels) {
    try {
      module_ = torch::jit::load(model);
    } catch (const c10::Error& e) {
      std::cerr << "error loading the model: " << e.what() << "\n";
      std::exit(1);
    }
    module_.eval();
    std::ifstream in(labels);
    for (std::string line; std::getline(in, line);) labels_.push_back(line);
  }

  std::vector<std::pair<std::string, float>> top(const torch::Tensor& image, int64_t k) {
    torch::NoGradGuard guard();
    std::vector<torch::jit::IValue> inputs;
    inputs.push_back(preprocess(image));
    auto output = torch::softmax(module_.forward(inputs).toTensor(), 1);
    auto [values, indices] = output.topk(k, 1);
    std::vector<std::pair<std::string, float>> result;
    for (int64_t i = 0; i < k; ++i) {
      auto idx = indices[0][i].item<int64_t>();
      result.emplace_back(labels_.at(idx), values[0][i].item<float>());
    }
    return result;
  }

 private:
  static torch::Tensor preprocess(const torch::Tensor& image) {
    auto x = image.permute({2, 0, 1}).to(torch::kFloat) / 255;
    auto mean = torch::tensor({0.485f, 0.456f, 0.406f}).view({3, 1, 1});
    auto std = torch::tensor({0.229f, 0.224f, 0.225f}).view({3, 1, 1});
    return ((x - mean) / std).unsqueeze(0);
  }
  torch::jit::script::Module module_;
  std::vector<std::string> labels_;
};

int main(int argc, const char* argv[]) {
  if (argc != 3) {
    std::cerr << "usage: classify <model> <labels>\n";
    return -1;
  }
  ImageClassifier classifier(argv[1], argv[2]);
  for (int i = 0; i < 10; ++i) {
    auto image = torch::randint(256, {224, 224, 3}, torch::kByte);
    auto start = std::chrono::steady_clock::now();
    for (auto& [label, p] : classifier.top(image, 5)) std::cout << label << " " << p << "\n";
    auto ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::cout << "took " << ms << " ms\n";
  }
}
