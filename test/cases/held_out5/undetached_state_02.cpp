#include <torch/script.h>
#include <functional>
#include <string>
#include <vector>

// Streaming speech recognizer: the scripted encoder takes a chunk and its own cache, and returns both anew.
class StreamingRecognizer {
 public:
  StreamingRecognizer(const std::string& file, int64_t layers, int64_t width)
      : encoder_(torch::jit::load(file)), layers_(layers), width_(width) {
    encoder_.eval();
    start();
  }

  void start() {
    cache_ = torch::zeros({layers_, 1, width_});
    text_.clear();
  }

  void accept(const torch::Tensor& chunk) {
    auto result = encoder_.forward({chunk, cache_}).toTuple();
    cache_ = result->elements()[1].toTensor();
    auto ids = result->elements()[0].toTensor().argmax(-1).flatten();
    for (int64_t i = 0; i < ids.numel(); ++i) {
      auto id = ids[i].item<int64_t>();
      if (id != 0 && id != last_) text_.push_back(static_cast<char>('a' + id - 1));
      last_ = id;
    }
  }

  const std::string& text() const { return text_; }

 private:
  torch::jit::script::Module encoder_;
  int64_t layers_, width_, last_ = 0;
  torch::Tensor cache_;
  std::string text_;
};

void transcribe(const std::string& model, const std::function<bool(std::vector<float>&)>& read) {
  StreamingRecognizer asr(model, 12, 512);
  std::vector<float> pcm(1600);
  while (read(pcm)) asr.accept(torch::tensor(pcm).view({1, -1, 80}));
}
