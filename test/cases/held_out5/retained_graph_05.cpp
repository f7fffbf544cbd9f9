#include <torch/script.h>
#include <torch/torch.h>
#include <iostream>
#include <string>

// Nearest-neighbour search over embeddings of a TorchScript encoder.
class ImageIndex {
 public:
  explicit ImageIndex(const std::string& model_file) : encoder_(torch::jit::load(model_file)) { encoder_.eval(); }

  void add(const std::string& name, const torch::Tensor& image) {
    index_.insert(name, embed(image));
  }

  std::string nearest(const torch::Tensor& image) {
    auto query = embed(image);
    std::string best;
    double best_score = -2.0;
    for (const auto& entry : index_) {
      double score = torch::dot(query, entry.value().toTensor()).item<double>();
      if (score > best_score) {
        best_score = score;
        best = entry.key().toStringRef();
      }
    }
    return best;
  }

 private:
  torch::Tensor embed(const torch::Tensor& image) {
    std::vector<torch::jit::IValue> inputs{image.unsqueeze(0)};
    auto feat = encoder_.forward(inputs).toTensor().flatten();
    return feat / feat.norm();
  }

  torch::jit::Module encoder_;
  c10::impl::GenericDict index_{c10::StringType::get(), c10::TensorType::get()};
};

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  ImageIndex index(argv[1]);
  torch::Tensor gallery;
  torch::load(gallery, argv[2]);
  for (int64_t i = 0; i + 1 < gallery.size(0); ++i) index.add("img" + std::to_string(i), gallery[i]);
  std::cout << index.nearest(gallery[gallery.size(0) - 1]) << '\n';
}
