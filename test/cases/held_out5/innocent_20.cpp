#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct TextEncoderImpl : torch::nn::Module {
  TextEncoderImpl() : embed(20000, 128) { register_module("embed", embed); }
  Tensor forward(const Tensor& ids) { return embed(ids).mean(1); }
  torch::nn::Embedding embed;
};
TORCH_MODULE(TextEncoder);

class FeatureCache {
 public:
  explicit FeatureCache(TextEncoder encoder) : encoder_(std::move(encoder)) { encoder_->eval(); }

  // An inference tensor must not meet autograd: what is handed out is a normal copy.
  Tensor get(const Tensor& ids) const {
    Tensor feature = encode(ids);
    return feature.clone();
  }

 private:
  Tensor encode(const Tensor& ids) const {
    c10::InferenceMode guard;
    auto encoder = encoder_;
    return encoder->forward(ids);
  }
  TextEncoder encoder_;
};

int main() {
  TextEncoder encoder;
  torch::load(encoder, "encoder.pt");
  FeatureCache cache(encoder);
  std::vector<Tensor> features, labels;
  for (int i = 0; i < 200; ++i) {
    features.push_back(cache.get(torch::randint(20000, {32, 64}, torch::kLong)));
    labels.push_back(torch::randint(2, {32, 1}, torch::kLong).to(torch::kFloat32));
  }

  torch::nn::Linear head(128, 1);
  torch::optim::Adam opt(head->parameters(), 1e-3);
  for (int epoch = 0; epoch < 10; ++epoch) {
    double sum = 0;
    for (size_t i = 0; i < features.size(); ++i) {
      auto loss = torch::binary_cross_entropy_with_logits(head->forward(features[i]), labels[i]);
      opt.zero_grad();
      loss.backward();
      opt.step();
      sum += loss.item<double>();
    }
    std::cout << epoch << ' ' << sum / features.size() << '\n';
  }
}
