#include <torch/script.h>
#include <memory>
#include <mutex>

class Recogniser {
 public:
  explicit Recogniser(const std::string& file) : module_(torch::jit::load(file)) { module_.eval(); }

  // Called for every audio chunk; transcript() reads the scores at the end of the call.
  void feed(const at::Tensor& chunk) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto out = module_.get_method("score")({chunk}).toTensor();
    scores_.push_back(out);  // EXPECT: retained-graph
  }

  float confidence() const {
    float best = 0;
    for (size_t i = 0; i < scores_.size(); ++i) best = std::max(best, scores_.get(i).max().item<float>());
    return best;
  }

 private:
  torch::jit::Module module_;
  c10::List<at::Tensor> scores_;
  std::mutex mutex_;
};

int main() {
  Recogniser r("asr.pt");
  for (int i = 0; i < 1000; ++i) r.feed(torch::rand({1, 16000}));
  return r.confidence() > 0.5f ? 0 : 1;
}
