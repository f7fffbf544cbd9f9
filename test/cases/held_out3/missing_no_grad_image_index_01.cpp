#include <torch/torch.h>
#include <string>
#include <unordered_map>
#include <vector>

struct EncoderImpl : torch::nn::Module {
  EncoderImpl() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(4)));
    pool = register_module("pool", torch::nn::AdaptiveAvgPool2d(1));
    fc = register_module("fc", torch::nn::Linear(64, 128));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::nn::functional::normalize(fc(pool(torch::relu(conv(x))).flatten(1))); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::AdaptiveAvgPool2d pool{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Encoder);

torch::Tensor load_image(const std::string& path);

// Image search: all pictures are embedded once.
class Index {
 public:
  explicit Index(Encoder encoder) : encoder_(encoder) { encoder_->eval(); }
  void add(const std::string& path) {
    auto vector = encoder_->forward(load_image(path).unsqueeze(0));  // EXPECT: missing-no-grad
    rows_.emplace(path, vector.detach().squeeze(0));
  }
  std::string nearest(const std::string& path) {
    torch::NoGradGuard guard;
    auto query = encoder_->forward(load_image(path).unsqueeze(0)).squeeze(0);
    std::string best;
    float score = -2;
    for (const auto& [name, row] : rows_)
      if (auto s = row.dot(query).item<float>(); s > score) {
        score = s;
        best = name;
      }
    return best;
  }

 private:
  Encoder encoder_;
  std::unordered_map<std::string, torch::Tensor> rows_;
};

int main(int argc, char** argv) {
  Index index{Encoder()};
  for (int i = 2; i < argc; ++i) index.add(argv[i]);
  return index.nearest(argv[1]).empty();
}
