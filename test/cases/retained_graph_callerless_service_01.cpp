#include <torch/script.h>
#include <mutex>
#include <string>
#include <vector>

// A plug-in: the host calls process() for every block of audio.
class DenoisePlugin {
 public:
  explicit DenoisePlugin(const std::string& model) : module_(torch::jit::load(model)) { module_.eval(); }

  void process(float* samples, int64_t n) {
    auto in = torch::from_blob(samples, {1, n}).clone();
    auto out = module_.forward({in}).toTensor();
    std::copy_n(out.contiguous().data_ptr<float>(), n, samples);
    std::lock_guard<std::mutex> lock(mutex_);
    levels_.push_back(out.abs().mean());  // EXPECT: retained-graph
  }

  float loudness() {
    std::lock_guard<std::mutex> lock(mutex_);
    float sum = 0;
    for (const auto& l : levels_) sum += l.item<float>();
    return levels_.empty() ? 0.f : sum / levels_.size();
  }

 private:
  torch::jit::Module module_;
  std::mutex mutex_;
  std::vector<torch::Tensor> levels_;
};
