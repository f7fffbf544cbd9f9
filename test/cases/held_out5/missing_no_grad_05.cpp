#include <torch/script.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Box {
  float x0, y0, x1, y1, score;
};

class Detector {
 public:
  Detector(const std::string& path, float threshold)
      : module_(std::make_unique<torch::jit::Module>(torch::jit::load(path))), threshold_(threshold) {
    module_->eval();
    // The first calls are slow: the profiling executor specialises the graph.
    {
      torch::NoGradGuard no_grad;
      for (int i = 0; i < 3; ++i) module_->forward({torch::zeros({1, 3, 640, 640})});
    }
  }

  std::vector<Box> detect(const torch::Tensor& image) {
    std::vector<torch::jit::IValue> inputs;
    inputs.emplace_back(image.div(255.0).unsqueeze(0));
    auto dict = module_->forward(inputs).toGenericDict();
    auto boxes = dict.at("boxes").toTensor().cpu();
    auto scores = dict.at("scores").toTensor().cpu();
    std::vector<Box> found;
    for (int64_t i = 0; i < scores.size(0); ++i) {
      const float s = scores[i].item<float>();
      if (s < threshold_) continue;
      auto b = boxes[i];
      found.push_back({b[0].item<float>(), b[1].item<float>(), b[2].item<float>(), b[3].item<float>(), s});
    }
    return found;
  }

 private:
  std::unique_ptr<torch::jit::Module> module_;
  float threshold_;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Detector detector(argv[1], 0.4f);
  for (int frame = 0; frame < 1000; ++frame) {
    auto boxes = detector.detect(torch::randint(256, {3, 640, 640}, torch::kFloat32));
    std::cout << frame << ": " << boxes.size() << " objects\n";
  }
}
