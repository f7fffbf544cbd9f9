#include <torch/script.h>
#include <algorithm>
#include <iostream>
#include <optional>
#include <vector>

struct Box {
  float x0, y0, x1, y1, score;
};

class TorchDetector {
 public:
  static std::optional<TorchDetector> open(const std::string& file) {
    try {
      return TorchDetector(torch::jit::load(file));
    } catch (const std::exception& e) {
      std::cerr << e.what() << '\n';
      return std::nullopt;
    }
  }

  std::vector<Box> detect(const torch::Tensor& image, float threshold) {
    const torch::IValue result = module_.forward({image.unsqueeze(0)});  // EXPECT: missing-no-grad
    const auto dict = result.toGenericDict();
    const auto boxes = dict.at("boxes").toTensor(), scores = dict.at("scores").toTensor();
    std::vector<Box> found;
    for (int64_t i = 0; i < scores.size(0); ++i) {
      const float s = scores[i].item<float>();
      if (s < threshold) continue;
      auto b = boxes[i].detach().contiguous();
      const float* p = b.data_ptr<float>();
      found.push_back({p[0], p[1], p[2], p[3], s});
    }
    return found;
  }

 private:
  explicit TorchDetector(torch::jit::Module m) : module_(std::move(m)) { module_.eval(); }
  torch::jit::Module module_;
};
